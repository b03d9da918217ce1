// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <curl/curl.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/plan/plan.h"
#include "util/err.h"

/* A text that grows in memory of a fixed size, and always ends in a NUL. What does not fit is left
 * out; then text_is_whole() returns false. */
struct text {
    char *memory;
    size_t size; /* size of the memory in bytes, above 0 */
    size_t used; /* length without the NUL, also counting what did not fit */
};

static inline bool text_is_whole(const struct text *t)
{
    return t->used < t->size;
}

/* Begins an empty text in the caller's memory. */
void text_begin(struct text *t, char *memory, size_t size);

/* Append a text, all texts of a list that ends in NULL, or one byte. */
void text_put(struct text *t, const char *more);
void text_put_list(struct text *t, const char *const *list);
void text_put_byte(struct text *t, char byte);

/* Appends several texts: text_put_all(&t, first, second). */
#define text_put_all(t, ...) text_put_list((t), (const char *const[]){__VA_ARGS__, NULL})

/* Appends bytes, percent-encoded (RFC 3986) except letters, digits, - . _ ~ and those in `kept`. */
void text_put_encoded(struct text *t, const char *more, const char *kept);

/* Copies the text of the first element with that name, as in <Code>NoSuchKey</Code>, up to the next
 * tag; cuts one that is too long. The answer may be cut off anywhere; an element without an end
 * does not count. Returns false, with an empty text, when there is no such element. */
bool xml_text(const char *xml, size_t length, const char *element, char *text, size_t size);

/* Signs requests to an object store as the documentation of S3 defines it: with version 4
 * (AWS4-HMAC-SHA256) or 2 (HMAC-SHA1), and the path as it is sent, encoded once, not normalised. */
#define MAX_SIGN_HEADERS 64
#define SHA256_BYTES     32
#define SHA256_HEX       (2 * SHA256_BYTES + 1)

struct sign_request {
    const char *method;
    const char *path;  /* percent-encoded, beginning with a slash */
    const char *query; /* version 4: percent-encoded; ordered by name, each with an "=" */
    const struct curl_slist *headers; /* as libcurl sends them; at most MAX_SIGN_HEADERS */
    const char *body_hash;            /* version 4: SHA-256 of the body, in hexadecimal digits */
    const char *time;   /* version 4: "20150830T123600Z"; version 2: the value of the header Date */
    const char *bucket; /* version 2: "/bucket" if the path does not have it, or "" */
    const char *subresource; /* version 2: the part of the query that is signed, not encoded */
};

struct sign_keys {
    const char *access;
    const char *secret;
    const char *region;
    const char *service;
};

/* What a thread needs for signing. */
struct signer {
    EVP_MD_CTX *context; /* for one hash after another, so that none needs an allocation */
    EVP_MD *sha256;
    EVP_MD *sha1;
    struct sign_keys keys;
    char day[9];                     /* the day that `key` is valid for; "": there is no key yet */
    unsigned char key[SHA256_BYTES]; /* computed once a day */
    struct text canonical;           /* the canonical request of the last signature */
    char to_sign[256];               /* version 4: the string to sign of the last signature */
};

/* Opens a signer for canonical requests of up to `room` bytes. signer_close() must follow. */
int signer_open(struct signer *s, const struct sign_keys *keys, size_t room, struct err *e);
void signer_close(struct signer *s);

/* Ends the hash in s->context, a SHA-256 that EVP_DigestInit_ex(3) has begun: as lower-case
 * hexadecimal digits. */
void sign_hash_end(struct signer *s, char hex[static SHA256_HEX]);

/* Append the value of the header Authorization. Return 0, or -ENOBUFS when there is no room. */
int sign_version4(struct signer *s, const struct sign_request *r, struct text *authorization);
int sign_version2(struct signer *s, const struct sign_request *r, struct text *authorization);

#define S3_HOST_SIZE 256 /* room for a host with the bucket before it */
#define MAX_S3_SITES 32

/* One of the servers of a store. */
struct s3_site {
    char origin[512]; /* scheme, host and port: "https://store:9000" */
    char host[320];   /* the whole header Host: without the scheme's default port */
    char root[512];   /* path before a key, percent-encoded: "/bucket/" or "/" */
    char bucket[512]; /* "/bucket" if that is part of the host, and not of the root; or "" */
    bool is_there;    /* the endpoint's host is "BUCKET." and more */
};

#define PROFILE_VALUE 4096 /* room for what a profile in Amazon's files says */
enum {
    PROFILE_ACCESS,
    PROFILE_SECRET,
    PROFILE_TOKEN,
    PROFILE_REGION,
    PROFILE_ENDPOINT,
    PROFILE_VALUES
};

/* Where an object store is, and who sends the requests. */
struct s3_place {
    struct s3_site sites[MAX_S3_SITES];
    unsigned site_count;
    const char *bucket;
    struct sign_keys keys;
    const char *token; /* session token; NULL: none */
    unsigned version;  /* version of signatures, 2 or 4; 0: requests are not signed */
    char profile[PROFILE_VALUES][PROFILE_VALUE]; /* "": it says nothing */
};

/* Finds the place from options, environment and AWS_PROFILE. The bucket is part of the path; with
 * -s3-virtual, and at Amazon's own endpoints, it is part of the host. The texts belong to the
 * settings and the environment. */
int s3_place_find(struct s3_place *place, const struct settings *s, struct err *e);
