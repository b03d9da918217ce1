#ifndef BONLOAD_TARGETS_S3_S3_SIGN_H
#define BONLOAD_TARGETS_S3_S3_SIGN_H

#include <stddef.h>

#include "bonload/targets/s3/hasher.h"
#include "bonload/targets/s3/text.h"

/*
 * Signatures of requests to an object store: Amazon's version 4 (AWS4-HMAC-SHA256) and version 2
 * (HMAC-SHA1), as the documentation of S3 defines them. A path is signed as it is sent: encoded
 * once, and not normalised.
 */

/* A header or a query parameter, which is encoded where a function asks for that. */
struct sign_pair {
    const char *name;
    const char *value;
};

#define SIGN_PAIRS_MOST 64

struct sign_request {
    const char *method;
    const char *path;                /* percent-encoded, from the first slash on */
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

/* The data with which a thread signs. */
struct signer {
    struct hasher hasher;
    struct sign_keys keys;
    char day[9];                     /* the day for which `key` is valid; "": none yet */
    unsigned char key[SHA256_BYTES]; /* computed once a day */
    struct text canonical;           /* the canonical request of the last signature */
    char to_sign[256];               /* version 4: the string to sign of the last signature */
};

/*
 * Opens a signer for canonical requests of up to `room` bytes. Returns 0 or a negative errno;
 * signer_close() is needed in either case.
 */
int signer_open(struct signer *s, const struct sign_keys *keys, size_t room, struct err *e);
void signer_close(struct signer *s);

/*
 * Appends a query in canonical order: by name, then by value, each percent-encoded already. At most
 * SIGN_PAIRS_MOST pairs.
 */
void sign_query(struct text *query, const struct sign_pair *pairs, size_t count);

/* Append the value of the header Authorization. Return 0, or -ENOBUFS if there is no room. */
int sign_version4(struct signer *s, const struct sign_request *r, struct text *authorization);
int sign_version2(struct signer *s, const struct sign_request *r, struct text *authorization);

#endif
