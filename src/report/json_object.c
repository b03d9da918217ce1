// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/json_object.h"

#include <math.h>
#include <time.h>

void put_value(json_t **object, const char *key, json_t *value)
{
    if (json_object_set_new(*object, key, value) == 0)
        return;
    json_decref(*object);
    *object = NULL;
}

void append_value(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value) == 0)
        return;
    json_decref(*array);
    *array = NULL;
}

void put_count(json_t **object, const char *key, uint64_t count)
{
    put_value(object, key, json_integer(count > INT64_MAX ? INT64_MAX : (json_int_t)count));
}

void put_count_list(json_t **object, const struct json_count list[])
{
    for (; list->key; list++)
        put_count(object, list->key, list->count);
}

void put_real(json_t **object, const char *key, double number)
{
    put_value(object, key, json_real(isfinite(number) ? number : 0));
}

void put_real_list(json_t **object, const struct json_real list[])
{
    for (; list->key; list++)
        put_real(object, list->key, list->number);
}

void append_real(json_t **array, double number)
{
    append_value(array, json_real(isfinite(number) ? number : 0));
}

void put_flag(json_t **object, const char *key, bool flag)
{
    put_value(object, key, json_boolean(flag));
}

/* Makes a JSON string, or NULL. Sanitizing never makes a text longer. */
static json_t *string_of(const char *text)
{
    size_t size = strlen(text) + 1;
    char *clean = malloc(size);
    if (!clean)
        return NULL;
    sanitize_clean(clean, size, text);
    json_t *string = json_string(clean);
    free(clean);
    return string;
}

void put_text(json_t **object, const char *key, const char *text)
{
    put_value(object, key, string_of(text ? text : ""));
}

void put_fact(json_t **object, const char *key, const char *text)
{
    put_value(object, key, text ? string_of(text) : json_null());
}

void put_time(json_t **object, const char *key, int64_t seconds)
{
    char text[64] = "";
    time_t when = (time_t)seconds;
    struct tm utc;
    if (gmtime_r(&when, &utc))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    put_text(object, key, text);
}

void put_known_count(json_t **object, const char *key, uint64_t count)
{
    if (count > 0)
        put_count(object, key, count);
    else
        put_value(object, key, json_null());
}

void put_known_real(json_t **object, const char *key, double number)
{
    if (number < 0)
        put_value(object, key, json_null());
    else
        put_real(object, key, number);
}

/* Counts first, and then writes into memory that is large enough: jansson overlooks it when a key
 * cannot be written, and musl's open_memstream(3) loses silently what it has no memory for. */
char *json_text(const json_t *object, size_t flags)
{
    size_t length = object ? json_dumpb(object, NULL, 0, flags) : 0;
    char *text = length > 0 ? calloc(length + 1, 1) : NULL;
    if (text && json_dumpb(object, text, length, flags) == length)
        return text;
    free(text);
    return NULL;
}

void put_known(json_t **object, const char *key, const char *text)
{
    put_fact(object, key, text[0] ? text : NULL);
}
