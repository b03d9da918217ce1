#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* A number that the user may have left out. */
struct given {
    bool given;
    uint64_t value;
};

static inline uint64_t given_or(struct given g, uint64_t otherwise)
{
    return g.given ? g.value : otherwise;
}

/*
 * Parse the values of options. Those that return int return 0, or -EINVAL with the line `accepted`
 * in e.
 */

/* Parses a whole number from min to max. */
int value_count(struct given *out, const char *value, uint64_t min, uint64_t max,
                const char *accepted, struct err *e);

/* Parses a size up to max. A number without a suffix is in units of `unit` bytes. */
int value_size(struct given *out, const char *value, uint64_t unit, uint64_t max,
               const char *accepted, struct err *e);

/*
 * Does the same, but also accepts a fraction, and rounds the size down
 * (units_parse_rounded_size()).
 */
int value_rounded_size(struct given *out, const char *value, uint64_t unit, uint64_t max,
                       const char *accepted, struct err *e);

/*
 * Parses seconds from `min` nanoseconds up to 1000000 s, with or without a fraction. Stores them in
 * nanoseconds.
 */
int value_seconds(struct given *out, const char *value, uint64_t min, struct err *e);

/* Parses yes or no, as Go's flag package spells them. */
int value_boolean(bool *out, const char *value, struct err *e);

/* Parse a duration or a size as in Go, and a decimal number, which is stored in billionths. */
int value_duration(struct given *out, const char *value, uint64_t min, const char *accepted,
                   struct err *e);
int value_bytes(struct given *out, const char *value, uint64_t min, uint64_t max,
                const char *accepted, struct err *e);
int value_decimal(struct given *out, const char *value, uint64_t min, uint64_t max,
                  const char *accepted, struct err *e);

/* Parses any text that is not empty. */
int value_text(const char **out, const char *value, const char *accepted, struct err *e);

/*
 * The index of `value` in a list of words that ends with NULL, which is also the value of the enum
 * that the list describes; -1: it is not in the list.
 */
int value_word(const char *value, const char *const words[]);

/*
 * Splits a comma-separated list, and calls `take` with a copy of each word, which `take` may
 * change. Ends when `take` refuses a word, or when a word has VALUE_WORD characters or more.
 */
#define VALUE_WORD 32
typedef bool value_take(void *settings, char *word);
int value_list(void *settings, const char *list, value_take *take, const char *accepted,
               struct err *e);

#endif
