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
 * Parsers of option values. Those that return int return 0, or -EINVAL with `accepted` as the line
 * in e, which says what is accepted.
 */

/* A whole number from min to max. */
int value_count(struct given *out, const char *value, uint64_t min, uint64_t max,
                const char *accepted, struct err *e);

/* A size up to max; a bare number counts units of `unit` bytes. */
int value_size(struct given *out, const char *value, uint64_t unit, uint64_t max,
               const char *accepted, struct err *e);

/*
 * The same, but a number with a fraction is accepted and rounded down (units_parse_rounded_size).
 */
int value_rounded_size(struct given *out, const char *value, uint64_t unit, uint64_t max,
                       const char *accepted, struct err *e);

/*
 * Seconds from `min` nanoseconds up to 1000000 s, with or without a fraction; stored in
 * nanoseconds.
 */
int value_seconds(struct given *out, const char *value, uint64_t min, struct err *e);

/* Yes or no, as Go's flag package accepts it. */
int value_boolean(bool *out, const char *value, struct err *e);

/* A duration or a size as in Go, or a decimal number, which is stored in billionths. */
int value_duration(struct given *out, const char *value, uint64_t min, const char *accepted,
                   struct err *e);
int value_bytes(struct given *out, const char *value, uint64_t min, uint64_t max,
                const char *accepted, struct err *e);
int value_decimal(struct given *out, const char *value, uint64_t min, uint64_t max,
                  const char *accepted, struct err *e);

/* Any text but an empty one. */
int value_text(const char **out, const char *value, const char *accepted, struct err *e);

/*
 * The index of `value` in a list of words that ends with NULL, which is also the value of the enum
 * that the list describes; -1: not in the list.
 */
int value_word(const char *value, const char *const words[]);

/*
 * Splits a comma-separated list and calls `take` for each word, a copy that it may change, until it
 * refuses one or a word is VALUE_WORD characters or longer.
 */
#define VALUE_WORD 32
typedef bool value_take(void *settings, char *word);
int value_list(void *settings, const char *list, value_take *take, const char *accepted,
               struct err *e);

#endif
