#ifndef BONLOAD_OPTION_SETTERS_H
#define BONLOAD_OPTION_SETTERS_H

#include "util/err.h"

/*
 * Setters of options that no general kind of value covers (cli/option.h). `settings` is a struct
 * settings. When they refuse a value, the line in e says what is accepted.
 */
int set_latency_limit(void *settings, const char *value, struct err *e);
int set_fail_above(void *settings, const char *value, struct err *e);
int set_sweep(void *settings, const char *value, struct err *e);
int set_verify(void *settings, const char *value, struct err *e);
int set_meta_ops(void *settings, const char *value, struct err *e);
int set_s3_endpoint(void *settings, const char *value, struct err *e);
int set_header(void *settings, const char *value, struct err *e);
int set_s3_api_key(void *settings, const char *value, struct err *e);
int set_s3_secret_key(void *settings, const char *value, struct err *e);
int set_seed(void *settings, const char *value, struct err *e);

#endif
