#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include "cli/option.h"
#include "util/err.h"

/*
 * Reports a long option that no row of the table has; `word` is as given, "--nmae=value". If the
 * name is the beginning of one or several names, they are listed; if it is a misspelling, the
 * nearest name is suggested. Returns -EINVAL.
 */
int suggest_option(const struct option_table *table, const char *word, struct err *e);

#endif
