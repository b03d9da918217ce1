// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <jansson.h>

#include "measure/durability.h"
#include "measure/levels.h"
#include "measure/limit.h"
#include "tail/summary.h"

/* Every function appends to *object (or *array). When memory runs out, or a value is NULL, *object
 * is freed, and becomes and stays NULL: only the end has to check. */

/* Appends any value, which belongs to the object or the array from now on. */
void put_value(json_t **object, const char *key, json_t *value);
void append_value(json_t **array, json_t *value);

/* Appends a whole number. jansson's largest is 2^63-1, and replaces anything larger. */
void put_count(json_t **object, const char *key, uint64_t count);

/* Appends a number with a fraction. JSON has neither infinity nor NaN: 0 replaces them. */
void put_real(json_t **object, const char *key, double number);
void append_real(json_t **array, double number);

/* Append several: PUT_COUNTS(&object, {"reads", reads}, {"writes", writes}). */
struct json_count {
    const char *key;
    uint64_t count;
};
struct json_real {
    const char *key;
    double number;
};
void put_count_list(json_t **object, const struct json_count list[]);
void put_real_list(json_t **object, const struct json_real list[]);
#define PUT_COUNTS(object, ...)                                                                    \
    put_count_list(object, (const struct json_count[]){__VA_ARGS__, {NULL, 0}})
#define PUT_REALS(object, ...)                                                                     \
    put_real_list(object, (const struct json_real[]){__VA_ARGS__, {NULL, 0}})

void put_flag(json_t **object, const char *key, bool flag);

/* Append a text, sanitized by sanitize_clean(). NULL becomes "" in put_text(), and null in
 * put_fact(); an empty text becomes null in put_known(). */
void put_text(json_t **object, const char *key, const char *text);
void put_fact(json_t **object, const char *key, const char *text);
void put_known(json_t **object, const char *key, const char *text);

/* Appends a time in seconds since 1970, as RFC 3339 has it, in UTC: "2026-11-21T12:34:56Z". */
void put_time(json_t **object, const char *key, int64_t seconds);

/* Append a figure. A count of 0, or a negative number, means unknown, and becomes null. */
void put_known_count(json_t **object, const char *key, uint64_t count);
void put_known_real(json_t **object, const char *key, double number);

/* Formats the document with jansson's flags; the caller frees it. NULL: memory has run out. */
char *json_text(const json_t *object, size_t flags);

/* Append the figures of a struct, with the names of its fields as keys; "tail", what the slowest
 * operations waited for, if that was wanted; "direct_asked", "direct_seen" and "direct_reason";
 * "durability", "durability_of" and "durability_reason"; "levels"; what others did to CPUs and
 * device, and the same as "machine". */
void put_latencies(json_t **object, const struct latencies *l);
void put_tail(json_t **object, const struct tail_summary *s);
void put_direct(json_t **object, const struct direct_use *use);
void put_durability(json_t **object, const struct durability *d);
void put_levels(json_t **object, const struct levels *levels);
void put_others(json_t **object, const struct others *o);
void put_machine(json_t **object, const struct others *o);
