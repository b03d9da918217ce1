#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include "cli/option.h"
#include "util/err.h"

/*
 * Reports a long option that the table does not have. `word` is as the user gave it:
 * "--nmae=value". Lists the names that begin with the given one or, if there are none, suggests the
 * nearest name. Returns -EINVAL.
 */
int suggest_option(const struct option_table *table, const char *word, struct err *e);

#endif
