#ifndef BONNIE_CLI_SET_BULK_H
#define BONNIE_CLI_SET_BULK_H

#include "cli/settings.h"
#include "util/err.h"

/*
 * The options of engines, iops and contents; each takes its value as struct option_entry's `set`
 * says.
 */
int set_engine(struct settings *s, const char *value, struct err *e);
int set_iodepth(struct settings *s, const char *value, struct err *e);
int set_uring(struct settings *s, const char *value, struct err *e);
int set_null(struct settings *s, const char *value, struct err *e);
int set_iops_duration(struct settings *s, const char *value, struct err *e);
int set_iops_block(struct settings *s, const char *value, struct err *e);
int set_iops_writes(struct settings *s, const char *value, struct err *e);
int set_iops_pattern(struct settings *s, const char *value, struct err *e);
int set_data(struct settings *s, const char *value, struct err *e);
int set_verify(struct settings *s, const char *value, struct err *e);

#endif
