#ifndef BONLOAD_OPTION_SETTERS_H
#define BONLOAD_OPTION_SETTERS_H

#include "util/err.h"

/*
 * The setters of options whose values no general kind covers (cli/option.h). Each gets the
 * program's struct settings; a refusal says what is accepted.
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
