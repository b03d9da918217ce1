#include "bonload/targets/s3/s3_sign.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define AMZ_PREFIX "x-amz-"

int signer_open(struct signer *s, const struct sign_keys *keys, size_t room, struct err *e)
{
    *s = (struct signer){.keys = *keys};
    char *memory = malloc(room);
    if (!memory)
        return err_system(e, ENOMEM, "memory for signatures");
    text_begin(&s->canonical, memory, room);
    return hasher_open(&s->hasher, e);
}

void signer_close(struct signer *s)
{
    hasher_close(&s->hasher);
    free(s->canonical.memory);
    s->canonical.memory = NULL;
}

/* ---- sorting --------------------------------------------------------------------------------- */

typedef int compare_pairs(const struct sign_pair *a, const struct sign_pair *b);

/* Sorts pointers to the pairs. Equal pairs keep their order. */
static void sort_pairs(const struct sign_pair *sorted[], const struct sign_pair *pairs,
                       size_t count, compare_pairs *compare)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && compare(sorted[at - 1], &pairs[i]) > 0; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = &pairs[i];
    }
}

static int by_name_and_value(const struct sign_pair *a, const struct sign_pair *b)
{
    int order = strcmp(a->name, b->name);
    return order ? order : strcmp(a->value, b->value);
}

static int by_header(const struct sign_pair *a, const struct sign_pair *b)
{
    return strcasecmp(a->name, b->name);
}

void sign_query(struct text *query, const struct sign_pair *pairs, size_t count)
{
    const struct sign_pair *sorted[SIGN_PAIRS_MOST];
    sort_pairs(sorted, pairs, count, by_name_and_value);
    for (size_t i = 0; i < count; i++) {
        text_put(query, i > 0 ? "&" : "");
        text_put(query, sorted[i]->name);
        text_put(query, "=");
        text_put(query, sorted[i]->value);
    }
}

/* ---- headers --------------------------------------------------------------------------------- */

static void put_lower(struct text *t, const char *name)
{
    for (; *name; name++)
        text_put_byte(t, (char)tolower((unsigned char)*name));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/*
 * Appends a header's value without blanks at its ends; with `joins`, also reduces blanks within it
 * to one.
 */
static void put_value(struct text *t, const char *value, bool joins)
{
    size_t length = strlen(value);
    while (length > 0 && is_blank(value[length - 1]))
        length--;
    size_t at = 0;
    while (at < length && is_blank(value[at]))
        at++;
    for (; at < length; at++) {
        if (!joins || !is_blank(value[at]))
            text_put_byte(t, value[at]);
        else if (!is_blank(value[at - 1]))
            text_put_byte(t, ' ');
    }
}

static bool has_same_name(const struct sign_pair *const sorted[], size_t i)
{
    return i > 0 && by_header(sorted[i - 1], sorted[i]) == 0;
}

/*
 * Appends "name:value
 * " for each header. Headers with the same name become one with all their values.
 */
static void put_headers(struct text *t, const struct sign_pair *const sorted[], size_t count,
                        bool joins)
{
    for (size_t i = 0; i < count; i++) {
        if (has_same_name(sorted, i)) {
            text_put_byte(t, ',');
        } else {
            put_lower(t, sorted[i]->name);
            text_put_byte(t, ':');
        }
        put_value(t, sorted[i]->value, joins);
        if (i + 1 == count || !has_same_name(sorted, i + 1))
            text_put_byte(t, '\n');
    }
}

static void put_names(struct text *t, const struct sign_pair *const sorted[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (has_same_name(sorted, i))
            continue;
        text_put(t, i > 0 ? ";" : "");
        put_lower(t, sorted[i]->name);
    }
}

/* ---- version 4 ------------------------------------------------------------------------------- */

static void make_canonical(struct text *t, const struct sign_request *r,
                           const struct sign_pair *const sorted[])
{
    text_begin(t, t->memory, t->size);
    text_put(t, r->method);
    text_put_byte(t, '\n');
    text_put(t, r->path);
    text_put_byte(t, '\n');
    text_put(t, r->query);
    text_put_byte(t, '\n');
    put_headers(t, sorted, r->header_count, true);
    text_put_byte(t, '\n');
    put_names(t, sorted, r->header_count);
    text_put_byte(t, '\n');
    text_put(t, r->body_hash);
}

/* Computes the key for one day, region and service, unless it is known already. */
static void make_key(struct signer *s, const char *time)
{
    char first[600];
    unsigned char *key = s->key;
    if (strncmp(s->day, time, 8) == 0)
        return;
    snprintf(s->day, sizeof s->day, "%.8s", time);
    int length = snprintf(first, sizeof first, "AWS4%s", s->keys.secret);
    hasher_hmac256(&s->hasher, first, (size_t)length, s->day, key);
    hasher_hmac256(&s->hasher, key, SHA256_BYTES, s->keys.region, key);
    hasher_hmac256(&s->hasher, key, SHA256_BYTES, s->keys.service, key);
    hasher_hmac256(&s->hasher, key, SHA256_BYTES, "aws4_request", key);
}

/* Appends date, region and service. */
static void put_scope(struct text *t, const struct signer *s)
{
    text_put(t, s->day);
    text_put_byte(t, '/');
    text_put(t, s->keys.region);
    text_put_byte(t, '/');
    text_put(t, s->keys.service);
    text_put(t, "/aws4_request");
}

static bool make_string(struct signer *s, const struct sign_request *r)
{
    char hash[SHA256_HEX];
    struct text t;
    hasher_begin(&s->hasher);
    hasher_add(&s->hasher, s->canonical.memory, s->canonical.used);
    hasher_end(&s->hasher, hash);
    text_begin(&t, s->to_sign, sizeof s->to_sign);
    text_put(&t, "AWS4-HMAC-SHA256\n");
    text_put(&t, r->time);
    text_put_byte(&t, '\n');
    put_scope(&t, s);
    text_put_byte(&t, '\n');
    text_put(&t, hash);
    return text_is_whole(&t);
}

int sign_version4(struct signer *s, const struct sign_request *r, struct text *authorization)
{
    const struct sign_pair *sorted[SIGN_PAIRS_MOST];
    unsigned char hash[SHA256_BYTES];
    char signature[SHA256_HEX];
    sort_pairs(sorted, r->headers, r->header_count, by_header);
    make_canonical(&s->canonical, r, sorted);
    make_key(s, r->time);
    if (!text_is_whole(&s->canonical) || !make_string(s, r))
        return -ENOBUFS;
    hasher_hmac256(&s->hasher, s->key, sizeof s->key, s->to_sign, hash);
    hasher_hex(hash, signature);
    text_put(authorization, "AWS4-HMAC-SHA256 Credential=");
    text_put(authorization, s->keys.access);
    text_put_byte(authorization, '/');
    put_scope(authorization, s);
    text_put(authorization, ", SignedHeaders=");
    put_names(authorization, sorted, r->header_count);
    text_put(authorization, ", Signature=");
    text_put(authorization, signature);
    return text_is_whole(authorization) ? 0 : -ENOBUFS;
}

/* ---- version 2 ------------------------------------------------------------------------------- */

/* Appends the value of a header, if the request has it. */
static void put_header_value(struct text *t, const struct sign_request *r, const char *name)
{
    for (size_t i = 0; i < r->header_count; i++)
        if (strcasecmp(r->headers[i].name, name) == 0)
            put_value(t, r->headers[i].value, false);
}

/* Selects Amazon's own headers, because only these are signed. Returns their number. */
static size_t select_amz(const struct sign_pair *sorted[], size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (strncasecmp(sorted[i]->name, AMZ_PREFIX, sizeof AMZ_PREFIX - 1) == 0)
            sorted[kept++] = sorted[i];
    return kept;
}

static void make_string2(struct text *t, const struct sign_request *r,
                         const struct sign_pair *const sorted[], size_t count)
{
    text_begin(t, t->memory, t->size);
    text_put(t, r->method);
    text_put_byte(t, '\n');
    put_header_value(t, r, "content-md5");
    text_put_byte(t, '\n');
    put_header_value(t, r, "content-type");
    text_put_byte(t, '\n');
    text_put(t, r->time);
    text_put_byte(t, '\n');
    put_headers(t, sorted, count, false);
    text_put(t, r->resource);
}

int sign_version2(struct signer *s, const struct sign_request *r, struct text *authorization)
{
    const struct sign_pair *sorted[SIGN_PAIRS_MOST];
    unsigned char hash[SHA1_BYTES];
    unsigned char base64[2 * SHA1_BYTES];
    sort_pairs(sorted, r->headers, r->header_count, by_header);
    make_string2(&s->canonical, r, sorted, select_amz(sorted, r->header_count));
    if (!text_is_whole(&s->canonical))
        return -ENOBUFS;
    hasher_hmac1(&s->hasher, s->keys.secret, strlen(s->keys.secret), s->canonical.memory, hash);
    EVP_EncodeBlock(base64, hash, sizeof hash);
    text_put(authorization, "AWS ");
    text_put(authorization, s->keys.access);
    text_put_byte(authorization, ':');
    text_put(authorization, (const char *)base64);
    return text_is_whole(authorization) ? 0 : -ENOBUFS;
}
