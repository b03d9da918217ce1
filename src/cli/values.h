#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* A number that may have been left out. */
struct given {
    bool given;
    uint64_t value;
};

static inline uint64_t given_or(struct given g, uint64_t otherwise)
{
    return g.given ? g.value : otherwise;
}

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

/* The same; a number with a fraction is rounded down (units_parse_rounded_size). */
int value_rounded_size(struct given *out, const char *value, uint64_t unit, uint64_t max,
                       const char *accepted, struct err *e);

/* Seconds, up to 1000000 and with a fraction if need be, in nanoseconds: at least `min` of them. */
int value_seconds(struct given *out, const char *value, uint64_t min, struct err *e);

/* Yes or no, as Go's flags take it. */
int value_boolean(bool *out, const char *value, struct err *e);

/* A duration or a size as in Go; a decimal number in billionths. */
int value_duration(struct given *out, const char *value, uint64_t min, const char *accepted,
                   struct err *e);
int value_bytes(struct given *out, const char *value, uint64_t min, uint64_t max,
                const char *accepted, struct err *e);
int value_decimal(struct given *out, const char *value, uint64_t min, uint64_t max,
                  const char *accepted, struct err *e);

/* Any text but an empty one. */
int value_text(const char **out, const char *value, const char *accepted, struct err *e);

/* The place of value in a list of words that ends with NULL, which is that of the enum that it
 * stands for; -1: it is not there. */
int value_word(const char *value, const char *const words[]);

/*
 * A comma-separated list: has every word taken, a copy that may be changed, until one is refused or
 * has VALUE_WORD characters.
 */
#define VALUE_WORD 32
typedef bool value_take(void *settings, char *word);
int value_list(void *settings, const char *list, value_take *take, const char *accepted,
               struct err *e);

#endif
