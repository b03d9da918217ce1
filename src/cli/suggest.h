#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include "cli/option.h"
#include "util/err.h"

/*
 * Says what is wrong with a long option that getopt_long(3) does not know: `word` is as it was
 * given, "--nmae=value". It may be the beginning of several names, which are listed, or a misspelt
 * one, for which the nearest name is suggested. Returns -EINVAL.
 */
int suggest_option(const struct option_table *table, const char *word, struct err *e);

#endif
