#ifndef BONLOAD_OPTION_SETTERS_H
#define BONLOAD_OPTION_SETTERS_H

#include "util/err.h"

/*
 * What those options do to the settings that no kind of value does (cli/option.h). Each takes the
 * program's struct settings; a refusal says what is accepted.
 */
int set_latency_limit(void *settings, const char *value, struct err *e);
int set_sweep(void *settings, const char *value, struct err *e);
int set_verify(void *settings, const char *value, struct err *e);
int set_meta_ops(void *settings, const char *value, struct err *e);
int set_header(void *settings, const char *value, struct err *e);
int set_s3_api_key(void *settings, const char *value, struct err *e);
int set_s3_secret_key(void *settings, const char *value, struct err *e);
int set_seed(void *settings, const char *value, struct err *e);

#endif
