#ifndef REPORT_JSON_OBJECT_H
#define REPORT_JSON_OBJECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Builds JSON so that only the end has to check for failure. Every function appends to *object (or
 * *array). When memory runs out, *object is freed, becomes NULL and stays so; a NULL value, whose
 * own construction failed, does the same to the object it is put into.
 */

/* Appends any value, which the object or the array owns from now on. */
void put_value(json_t **object, const char *key, json_t *value);
void append_value(json_t **array, json_t *value);

/* A whole number. jansson's largest is 2^63-1, which replaces anything larger. */
void put_count(json_t **object, const char *key, uint64_t count);

/* A number with a fraction. JSON has no infinity and no NaN: they become 0. */
void put_real(json_t **object, const char *key, double number);
void append_real(json_t **array, double number);

void put_flag(json_t **object, const char *key, bool flag);

/*
 * A text, sanitized by sanitize_clean(). NULL becomes an empty text, but null in put_fact(), which
 * is for values that may be unknown.
 */
void put_text(json_t **object, const char *key, const char *text);
void put_fact(json_t **object, const char *key, const char *text);

/* A time in seconds since 1970, by RFC 3339 in UTC: "2026-11-21T12:34:56Z". */
void put_time(json_t **object, const char *key, int64_t seconds);

/* A count for which 0 means unknown, and becomes null. */
void put_known_count(json_t **object, const char *key, uint64_t count);

/*
 * The whole document as a text that the caller frees, with jansson's flags; NULL when object is
 * NULL or memory runs out. (jansson's own json_dumps() may lose a key without any sign of it in
 * that case.)
 */
char *json_text(const json_t *object, size_t flags);

#endif
