#ifndef BONLOAD_TARGETS_S3_SIGN_H
#define BONLOAD_TARGETS_S3_SIGN_H

#include <stddef.h>

#include "bonload/targets/hasher.h"
#include "bonload/targets/text.h"

/*
 * Signatures of requests to an object store: version 4 (AWS4-HMAC-SHA256) and version 2 (HMAC-SHA1)
 * of Amazon's, as its documentation of S3 defines them. A path is signed as it is sent: encoded
 * once, and not normalised.
 */

/* A header, or a parameter of a query; an encoded one where that is asked for. */
struct sign_pair {
    const char *name;
    const char *value;
};

#define SIGN_PAIRS_MOST 64

struct sign_request {
    const char *method;
    const char *path;                /* percent-encoded, from the first slash on */
    const char *query;               /* as sign_query() makes it */
    const struct sign_pair *headers; /* SIGN_PAIRS_MOST at most */
    size_t header_count;
    const char *body_hash; /* version 4: SHA-256 of the body, in hexadecimal digits */
    const char *time;      /* version 4: "20150830T123600Z"; version 2: what the header Date has */
    const char *resource;  /* version 2: bucket, path and subresources */
};

struct sign_keys {
    const char *access;
    const char *secret;
    const char *region;
    const char *service;
};

/* What one thread signs with. */
struct signer {
    struct hasher hasher;
    struct sign_keys keys;
    char day[9];                     /* that `key` is for; "": none yet */
    unsigned char key[SHA256_BYTES]; /* made once a day */
    struct text canonical;           /* the canonical request of the last signature */
    char to_sign[256];               /* version 4: the string to sign of the last signature */
};

/* Opens a signer for canonical requests of `room` bytes. Returns 0 or a negative errno;
 * signer_close() follows in either case. */
int signer_open(struct signer *s, const struct sign_keys *keys, size_t room, struct err *e);
void signer_close(struct signer *s);

/*
 * Appends a query in canonical order: by name, then by value, each of them percent-encoded already.
 * SIGN_PAIRS_MOST pairs at most.
 */
void sign_query(struct text *query, const struct sign_pair *pairs, size_t count);

/* Appends the value of the header Authorization. Returns 0, or -ENOBUFS if there is no room. */
int sign_version4(struct signer *s, const struct sign_request *r, struct text *authorization);
int sign_version2(struct signer *s, const struct sign_request *r, struct text *authorization);

#endif
