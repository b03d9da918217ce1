#ifndef IO_ENGINE_CHOICE_H
#define IO_ENGINE_CHOICE_H

#include <stdint.h>
#include <stdio.h>

#include "io/engine.h"
#include "util/err.h"

/* What --engine and --iodepth mean, in every program that has them. */

/*
 * The engine of that name, which must be one of the table (NULL: the default one), and its depth: 0
 * stands for the default, which is 32 where an engine has many transfers in flight. Returns 0, or
 * -EINVAL with a line in e for a depth that the engine cannot have.
 */
int engine_choose(const char *name, uint64_t wanted_depth, const struct engine_ops **engine,
                  unsigned *depth, struct err *e);

/* What --engine takes, up to a NULL: the engines of the table, and help. */
extern const char *const engine_words[];

/* Returns 0 when the engine works on this system, else a negative errno with a line in e. */
int engine_check(const struct engine_ops *engine, struct err *e);

/* Prints what --engine=help prints: every engine, and the reason if it cannot be used here. */
void engine_print_all(FILE *out);

#endif
