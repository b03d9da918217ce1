#ifndef CLI_GO_PARSER_H
#define CLI_GO_PARSER_H

#include "cli/option.h"
#include "util/err.h"

/*
 * Reads a command line as the flags of a program written in Go are spelled: a name after one dash
 * or two, its value after `=` or in the next word. An option without a value (VALUE_NONE, or
 * OPTION_BOOLEAN) takes one after `=` only. Everything after `--` is no option.
 *
 * `operand` is the name of the option that a word without a dash is the value of, once; NULL: there
 * is no such word. Options may follow it.
 *
 * The settings will point into argv. The value of an option that is OPTION_SECRET is overwritten
 * there, so its `set` has to copy it. Returns 0, or -EINVAL with one line in e that names the
 * option, what was given (unless it is a secret) and what is accepted.
 */
int cli_parse_go(const struct option_table *table, const char *operand, int argc, char *argv[],
                 void *settings, struct err *e);

#endif
