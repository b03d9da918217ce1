#ifndef BONNIE_OPTION_SETTERS_H
#define BONNIE_OPTION_SETTERS_H

#include "util/err.h"

/*
 * Setters of options whose values are more than a number, a text or a word. Each stores a value as
 * the field `set` of a struct option_entry requires; `settings` is a struct settings.
 */
int set_size(void *settings, const char *value, struct err *e);
int set_files(void *settings, const char *value, struct err *e);
int set_workers(void *settings, const char *value, struct err *e);
int set_label(void *settings, const char *value, struct err *e);
int set_fast(void *settings, const char *value, struct err *e);
int set_seed(void *settings, const char *value, struct err *e);
int set_random_file(void *settings, const char *value, struct err *e);
int set_processes(void *settings, const char *value, struct err *e);
int set_synchronise(void *settings, const char *value, struct err *e);
int set_tests(void *settings, const char *value, struct err *e);
int set_preset(void *settings, const char *value, struct err *e);
int set_format(void *settings, const char *value, struct err *e);
int set_json(void *settings, const char *value, struct err *e);
int set_html(void *settings, const char *value, struct err *e);
int set_engine(void *settings, const char *value, struct err *e);
int set_uring(void *settings, const char *value, struct err *e);
int set_null(void *settings, const char *value, struct err *e);
int set_iops_block(void *settings, const char *value, struct err *e);
int set_iops_pattern(void *settings, const char *value, struct err *e);
int set_steady(void *settings, const char *value, struct err *e);
int set_data(void *settings, const char *value, struct err *e);

/* What their values can be, or begin with (option_entry.words). */
extern const char *const synchronise_words[];
extern const char *const workers_words[];
extern const char *const format_words[];
extern const char *const uring_words[];
extern const char *const null_words[];
extern const char *const iops_pattern_words[];
extern const char *const data_words[];

#endif
