// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/targets/s3/s3.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void text_begin(struct text *t, char *memory, size_t size)
{
    *t = (struct text){.memory = memory, .size = size};
    memory[0] = '\0';
}

static void put_bytes(struct text *t, const char *more, size_t length)
{
    if (text_is_whole(t)) {
        size_t room = t->size - t->used - 1;
        size_t part = length < room ? length : room;
        memcpy(t->memory + t->used, more, part);
        t->memory[t->used + part] = '\0';
    }
    t->used += length;
}

void text_put(struct text *t, const char *more)
{
    put_bytes(t, more, strlen(more));
}

void text_put_list(struct text *t, const char *const *list)
{
    for (; *list; list++)
        text_put(t, *list);
}

void text_put_byte(struct text *t, char byte)
{
    put_bytes(t, &byte, 1);
}

void text_put_encoded(struct text *t, const char *more, const char *kept)
{
    static const char digits[] = "0123456789ABCDEF";
    for (; *more; more++) {
        unsigned char c = (unsigned char)*more;
        const char code[] = {'%', digits[c >> 4], digits[c & 15]};
        if (isalnum(c) || strchr("-._~", c) || strchr(kept, c))
            text_put_byte(t, *more);
        else
            put_bytes(t, code, sizeof code);
    }
}

static const struct entity {
    const char *name;
    char byte;
} entities[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&#34;", '"'},
};

bool xml_text(const char *xml, size_t length, const char *element, char *text, size_t size)
{
    char tag[32];
    int tag_length = snprintf(tag, sizeof tag, "<%s>", element);
    const char *end = xml + length;
    const char *at = memmem(xml, length, tag, (size_t)tag_length);
    const char *stop = NULL;
    size_t used = 0;
    if (at) {
        at += tag_length;
        stop = memchr(at, '<', (size_t)(end - at));
    }
    while (stop && at < stop && used + 1 < size) {
        char byte = *at;
        size_t taken = 1;
        for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
            size_t entity = strlen(entities[i].name);
            if (entity > (size_t)(stop - at) || memcmp(at, entities[i].name, entity) != 0)
                continue;
            byte = entities[i].byte;
            taken = entity;
        }
        text[used++] = byte;
        at += taken;
    }
    text[used] = '\0';
    return stop;
}

#define SHA1_BYTES 20
#define BLOCK      64 /* block size of both hashes, in bytes */

int signer_open(struct signer *s, const struct sign_keys *keys, size_t room, struct err *e)
{
    *s = (struct signer){.keys = *keys};
    char *memory = malloc(room);
    if (!memory)
        return err_system(e, ENOMEM, "allocate memory for signatures");
    text_begin(&s->canonical, memory, room);
    s->context = EVP_MD_CTX_new();
    s->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    s->sha1 = EVP_MD_fetch(NULL, "SHA1", NULL);
    return s->context && s->sha256 && s->sha1
               ? 0
               : err_say(e, "libcrypto lacks SHA-256 or SHA-1, which signatures need");
}

void signer_close(struct signer *s)
{
    EVP_MD_CTX_free(s->context);
    EVP_MD_free(s->sha256);
    EVP_MD_free(s->sha1);
    free(s->canonical.memory);
    *s = (struct signer){0};
}

static void write_hex(const unsigned char hash[static SHA256_BYTES], char hex[static SHA256_HEX])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        hex[2 * i] = digits[hash[i] >> 4];
        hex[2 * i + 1] = digits[hash[i] & 15];
    }
    hex[2 * SHA256_BYTES] = '\0';
}

void sign_hash_end(struct signer *s, char hex[static SHA256_HEX])
{
    unsigned char hash[SHA256_BYTES];
    EVP_DigestFinal_ex(s->context, hash, NULL);
    write_hex(hash, hex);
}

/* Hashes one text after another. */
static void hash_both(struct signer *s, const EVP_MD *md, const void *first, size_t first_length,
                      const void *second, size_t second_length, unsigned char *hash)
{
    EVP_DigestInit_ex(s->context, md, NULL);
    EVP_DigestUpdate(s->context, first, first_length);
    EVP_DigestUpdate(s->context, second, second_length);
    EVP_DigestFinal_ex(s->context, hash, NULL);
}

/* A keyed hash (HMAC, RFC 2104). `hash` may overlap the key. */
static void make_hmac(struct signer *s, const EVP_MD *md, const void *key, size_t key_length,
                      const char *text, unsigned char *hash)
{
    unsigned char inner[BLOCK] = {0};
    unsigned char outer[BLOCK];
    if (key_length <= BLOCK)
        memcpy(inner, key, key_length);
    else
        hash_both(s, md, key, key_length, "", 0, inner);
    for (size_t i = 0; i < BLOCK; i++) {
        outer[i] = inner[i] ^ 0x5c;
        inner[i] ^= 0x36;
    }
    hash_both(s, md, inner, BLOCK, text, strlen(text), hash);
    hash_both(s, md, outer, BLOCK, hash, (size_t)EVP_MD_get_size(md), hash);
}

struct header {
    const char *name;
    size_t length; /* of the name */
    const char *value;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int compare_names(const struct header *a, const struct header *b)
{
    int order = strncasecmp(a->name, b->name, a->length < b->length ? a->length : b->length);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* Sorts the lines of libcurl's list by name; those with the same name keep their order. A line is
 * "NAME: VALUE", or "NAME;" for a header without a value; libcurl does not send "NAME:". Returns
 * the number of headers. */
static size_t sort_headers(struct header sorted[static MAX_SIGN_HEADERS],
                           const struct curl_slist *lines)
{
    size_t count = 0;
    for (; lines && count < MAX_SIGN_HEADERS; lines = lines->next) {
        const char *colon = strchr(lines->data, ':');
        const char *end = colon ? colon : strchr(lines->data, ';');
        struct header h = {.name = lines->data, .length = (size_t)(end - lines->data)};
        h.value = end + 1 + strspn(end + 1, " \t");
        if (colon && !*h.value)
            continue;
        size_t at = count++;
        for (; at > 0 && compare_names(&sorted[at - 1], &h) > 0; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = h;
    }
    return count;
}

static void put_name(struct text *t, const struct header *h)
{
    for (size_t i = 0; i < h->length; i++)
        text_put_byte(t, (char)tolower((unsigned char)h->name[i]));
}

/* Appends a value without blanks at its end; with `joins`, also reduces those within it to one. */
static void put_value(struct text *t, const char *value, bool joins)
{
    size_t length = strlen(value);
    while (length > 0 && is_blank(value[length - 1]))
        length--;
    for (size_t at = 0; at < length; at++) {
        if (!joins || !is_blank(value[at]))
            text_put_byte(t, value[at]);
        else if (!is_blank(value[at - 1]))
            text_put_byte(t, ' ');
    }
}

static bool has_same_name(const struct header sorted[], size_t i)
{
    return i > 0 && compare_names(&sorted[i - 1], &sorted[i]) == 0;
}

/* Appends "name:value\n" for each name, with the values of all headers that have it. */
static void put_headers(struct text *t, const struct header sorted[], size_t count, bool joins)
{
    for (size_t i = 0; i < count; i++) {
        if (has_same_name(sorted, i)) {
            text_put_byte(t, ',');
        } else {
            put_name(t, &sorted[i]);
            text_put_byte(t, ':');
        }
        put_value(t, sorted[i].value, joins);
        if (i + 1 == count || !has_same_name(sorted, i + 1))
            text_put_byte(t, '\n');
    }
}

static void put_names(struct text *t, const struct header sorted[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (has_same_name(sorted, i))
            continue;
        text_put(t, i > 0 ? ";" : "");
        put_name(t, &sorted[i]);
    }
}

/* Appends date, region and service. */
static void put_scope(struct text *t, const struct signer *s)
{
    text_put_all(t, s->day, "/", s->keys.region, "/", s->keys.service, "/aws4_request");
}

int sign_version4(struct signer *s, const struct sign_request *r, struct text *authorization)
{
    struct header sorted[MAX_SIGN_HEADERS];
    unsigned char hash[SHA256_BYTES];
    char hex[SHA256_HEX];
    char first[600];
    struct text *canonical = &s->canonical;
    struct text t;
    size_t count = sort_headers(sorted, r->headers);
    text_begin(canonical, canonical->memory, canonical->size);
    text_put_all(canonical, r->method, "\n", r->path, "\n", r->query, "\n");
    put_headers(canonical, sorted, count, true);
    text_put_byte(canonical, '\n');
    put_names(canonical, sorted, count);
    text_put_all(canonical, "\n", r->body_hash);
    if (strncmp(s->day, r->time, 8) != 0) { /* the key for a day, region and service */
        snprintf(s->day, sizeof s->day, "%.8s", r->time);
        int length = snprintf(first, sizeof first, "AWS4%s", s->keys.secret);
        make_hmac(s, s->sha256, first, (size_t)length, s->day, s->key);
        make_hmac(s, s->sha256, s->key, SHA256_BYTES, s->keys.region, s->key);
        make_hmac(s, s->sha256, s->key, SHA256_BYTES, s->keys.service, s->key);
        make_hmac(s, s->sha256, s->key, SHA256_BYTES, "aws4_request", s->key);
    }
    if (!text_is_whole(canonical))
        return -ENOBUFS;
    hash_both(s, s->sha256, canonical->memory, canonical->used, "", 0, hash);
    write_hex(hash, hex);
    text_begin(&t, s->to_sign, sizeof s->to_sign);
    text_put_all(&t, "AWS4-HMAC-SHA256\n", r->time, "\n");
    put_scope(&t, s);
    text_put_all(&t, "\n", hex);
    if (!text_is_whole(&t))
        return -ENOBUFS;
    make_hmac(s, s->sha256, s->key, sizeof s->key, s->to_sign, hash);
    write_hex(hash, hex);
    text_put_all(authorization, "AWS4-HMAC-SHA256 Credential=", s->keys.access, "/");
    put_scope(authorization, s);
    text_put(authorization, ", SignedHeaders=");
    put_names(authorization, sorted, count);
    text_put_all(authorization, ", Signature=", hex);
    return text_is_whole(authorization) ? 0 : -ENOBUFS;
}

static bool begins_with(const struct header *h, const char *name)
{
    return strncasecmp(h->name, name, strlen(name)) == 0;
}

/* Appends the value of a header, if the request has it. `name` ends in a colon. */
static void put_value_of(struct text *t, const struct header sorted[], size_t count,
                         const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (begins_with(&sorted[i], name))
            put_value(t, sorted[i].value, false);
    text_put_byte(t, '\n');
}

int sign_version2(struct signer *s, const struct sign_request *r, struct text *authorization)
{
    struct header sorted[MAX_SIGN_HEADERS];
    unsigned char hash[SHA1_BYTES];
    unsigned char base64[2 * SHA1_BYTES];
    struct text *t = &s->canonical;
    size_t count = sort_headers(sorted, r->headers);
    size_t kept = 0;
    text_begin(t, t->memory, t->size);
    text_put_all(t, r->method, "\n");
    put_value_of(t, sorted, count, "content-md5:");
    put_value_of(t, sorted, count, "content-type:");
    text_put_all(t, r->time, "\n");
    for (size_t i = 0; i < count; i++) /* only Amazon's own headers are signed as a whole */
        if (begins_with(&sorted[i], "x-amz-"))
            sorted[kept++] = sorted[i];
    put_headers(t, sorted, kept, false);
    text_put_all(t, r->bucket, r->path, *r->subresource ? "?" : "", r->subresource);
    if (!text_is_whole(t))
        return -ENOBUFS;
    make_hmac(s, s->sha1, s->keys.secret, strlen(s->keys.secret), t->memory, hash);
    EVP_EncodeBlock(base64, hash, sizeof hash);
    text_put_all(authorization, "AWS ", s->keys.access, ":", (const char *)base64);
    return text_is_whole(authorization) ? 0 : -ENOBUFS;
}
