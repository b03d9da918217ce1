#ifndef BONLOAD_TARGETS_S3_S3_SIGN_H
#define BONLOAD_TARGETS_S3_S3_SIGN_H

#include <stddef.h>

#include "bonload/targets/s3/hasher.h"
#include "bonload/targets/s3/text.h"

/*
 * Signs requests to an object store, with Amazon's version 4 (AWS4-HMAC-SHA256) or version 2
 * (HMAC-SHA1), as the documentation of S3 defines them. Signs a path as it is sent: encoded once
 * and not normalised.
 */

/* A header or a query parameter. Each function says whether it wants it percent-encoded. */
struct sign_pair {
    const char *name;
    const char *value;
};

#define SIGN_PAIRS_MOST 64

struct sign_request {
    const char *method;
    const char *path;                /* percent-encoded, beginning with a slash */
    const char *query;               /* as sign_query() makes it */
    const struct sign_pair *headers; /* at most SIGN_PAIRS_MOST */
    size_t header_count;
    const char *body_hash; /* version 4: SHA-256 of the body, in hexadecimal digits */
    const char *time; /* version 4: "20150830T123600Z"; version 2: the value of the header Date */
    const char *resource; /* version 2: bucket, path and subresources */
};

struct sign_keys {
    const char *access;
    const char *secret;
    const char *region;
    const char *service;
};

/* What a thread needs for signing. */
struct signer {
    struct hasher hasher;
    struct sign_keys keys;
    char day[9];                     /* the day that `key` is valid for; "": there is no key yet */
    unsigned char key[SHA256_BYTES]; /* computed once a day */
    struct text canonical;           /* the canonical request of the last signature */
    char to_sign[256];               /* version 4: the string to sign of the last signature */
};

/*
 * Opens a signer for canonical requests of up to `room` bytes. Returns 0, or a negative errno with
 * a line in e; the caller must call signer_close() in either case.
 */
int signer_open(struct signer *s, const struct sign_keys *keys, size_t room, struct err *e);
void signer_close(struct signer *s);

/*
 * Appends a query in canonical order, by name and then by value. The pairs must be percent-encoded,
 * and no more than SIGN_PAIRS_MOST.
 */
void sign_query(struct text *query, const struct sign_pair *pairs, size_t count);

/* Append the value of the header Authorization. Return 0, or -ENOBUFS when there is no room. */
int sign_version4(struct signer *s, const struct sign_request *r, struct text *authorization);
int sign_version2(struct signer *s, const struct sign_request *r, struct text *authorization);

#endif
