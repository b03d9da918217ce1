#ifndef CLI_GO_PARSER_H
#define CLI_GO_PARSER_H

#include "cli/option.h"
#include "util/err.h"

/*
 * Reads a command line as the flags of a program written in Go are spelled: a name after one dash
 * or two, its value after `=` or in the next word. An OPTION_BOOLEAN takes `true` or `false` from
 * the next word, and every other value after `=` only. No word after `--` is an option.
 *
 * `operand` names the option whose value may be given as a word without a dash, once, unless the
 * option itself is given; options may follow it. NULL: no such word is accepted. given[] becomes
 * true for the entries of the table that were given.
 *
 * The settings will point into argv. The value of an option that is OPTION_SECRET is overwritten
 * there, so its `set` has to copy it. Returns 0, or -EINVAL with one line in e that names the
 * option, what was given (unless it is a secret) and what is accepted.
 */
int cli_parse_go(const struct option_table *table, const char *operand, int argc, char *argv[],
                 void *settings, bool given[OPTIONS_MOST], struct err *e);

#endif
