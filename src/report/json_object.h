#ifndef REPORT_JSON_OBJECT_H
#define REPORT_JSON_OBJECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Building JSON so that only the end has to look whether all went well. Every function appends to
 * *object (or *array). When memory runs out, it is freed and becomes NULL, and stays so; a value
 * that is NULL because its own building failed does the same to the object it is put into.
 */

/* Any value, which the object or the array owns from now on. */
void put_value(json_t **object, const char *key, json_t *value);
void append_value(json_t **array, json_t *value);

/* A whole number; more than 2^63-1 becomes that, which is the largest that jansson knows. */
void put_count(json_t **object, const char *key, uint64_t count);

/* A number with a fraction. What is not finite has no place in JSON: it becomes 0. */
void put_real(json_t **object, const char *key, double number);
void append_real(json_t **array, double number);

void put_flag(json_t **object, const char *key, bool flag);

/*
 * A text, made harmless by sanitize_clean(). That which is NULL becomes an empty text, or with
 * put_fact(), which is for what may be unknown, null.
 */
void put_text(json_t **object, const char *key, const char *text);
void put_fact(json_t **object, const char *key, const char *text);

/* A time in seconds since 1970, by RFC 3339 in UTC: "2026-11-21T12:34:56Z". */
void put_time(json_t **object, const char *key, int64_t seconds);

/* A count that is unknown when it is 0: then it becomes null. */
void put_known_count(json_t **object, const char *key, uint64_t count);

/*
 * The whole document, with jansson's flags, as a text that is to be freed; NULL when it is NULL or
 * memory runs out. (With jansson's own json_dumps() a key may then be missing without any sign of
 * it.)
 */
char *json_text(const json_t *object, size_t flags);

#endif
