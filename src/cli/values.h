#ifndef BONNIE_CLI_VALUES_H
#define BONNIE_CLI_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/settings.h"
#include "util/err.h"

/*
 * The values of options. Those that return int return 0, or -EINVAL with `accepted` as the line in
 * e: it says what is accepted.
 */

/* A whole number from min to max. */
int value_count(struct given *out, const char *value, uint64_t min, uint64_t max,
                const char *accepted, struct err *e);

/* A size up to max; a bare number counts units of `unit` bytes. */
int value_size(struct given *out, const char *value, uint64_t unit, uint64_t max,
               const char *accepted, struct err *e);

/* Seconds up to LIMIT_SECONDS, in nanoseconds, of which there must be `min`. */
int value_seconds(struct given *out, const char *value, uint64_t min, struct err *e);

/* Any text but an empty one. */
int value_text(const char **out, const char *value, const char *accepted, struct err *e);

/* The place of value in a list of words, which is that of the enum it stands for; -1: not there. */
int value_word(const char *value, const char *const words[], int count);

/*
 * A comma-separated list: has every word taken, a copy that may be changed, until one is refused or
 * has VALUE_WORD characters.
 */
#define VALUE_WORD 32
typedef bool value_take(struct settings *s, char *word);
int value_list(struct settings *s, const char *list, value_take *take, const char *accepted,
               struct err *e);

#endif
