#ifndef IO_ENGINE_CHOICE_H
#define IO_ENGINE_CHOICE_H

#include <stdint.h>
#include <stdio.h>

#include "io/engine.h"
#include "util/err.h"

/* What --engine and --iodepth mean, in every program that has them. */

/*
 * Finds the engine with that name, which must be in the table (NULL: the default), and its depth.
 * wanted_depth 0 is the default: 32 if the engine keeps many transfers in flight, and otherwise 1.
 * Returns 0, or -EINVAL with a line in e if the engine cannot have that depth.
 */
int engine_choose(const char *name, uint64_t wanted_depth, const struct engine_ops **engine,
                  unsigned *depth, struct err *e);

/* The values of --engine, with a NULL at the end: all engines of the table, and help. */
extern const char *const engine_words[];

/* Returns 0 if the engine works on this system, and otherwise a negative errno with a line in e. */
int engine_check(const struct engine_ops *engine, struct err *e);

/* Prints the text of --engine=help: every engine, and why it cannot be used if that is so. */
void engine_print_all(FILE *out);

#endif
