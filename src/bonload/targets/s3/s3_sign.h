#ifndef BONLOAD_TARGETS_S3_S3_SIGN_H
#define BONLOAD_TARGETS_S3_S3_SIGN_H

#include <curl/curl.h>
#include <openssl/evp.h>
#include <stddef.h>

#include "bonload/targets/s3/text.h"
#include "util/err.h"

/*
 * Signs requests to an object store, with Amazon's version 4 (AWS4-HMAC-SHA256) or version 2
 * (HMAC-SHA1), as the documentation of S3 defines them. Signs a path as it is sent: encoded once
 * and not normalised.
 */

#define SIGN_HEADERS_MOST 64

#define SHA256_BYTES 32
#define SHA256_HEX   (2 * SHA256_BYTES + 1)

struct sign_request {
    const char *method;
    const char *path;  /* percent-encoded, beginning with a slash */
    const char *query; /* version 4: percent-encoded; ordered by name, each with an "=" */
    const struct curl_slist *headers; /* as libcurl sends them; at most SIGN_HEADERS_MOST */
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

/*
 * Opens a signer for canonical requests of up to `room` bytes. Returns 0, or a negative errno with
 * a line in e; the caller must call signer_close() in either case.
 */
int signer_open(struct signer *s, const struct sign_keys *keys, size_t room, struct err *e);
void signer_close(struct signer *s);

/* SHA-256, in lower-case hexadecimal digits, of data that comes in parts. */
void sign_hash_begin(struct signer *s);
void sign_hash_add(struct signer *s, const void *part, size_t length);
void sign_hash_end(struct signer *s, char hex[static SHA256_HEX]);

/* Append the value of the header Authorization. Return 0, or -ENOBUFS when there is no room. */
int sign_version4(struct signer *s, const struct sign_request *r, struct text *authorization);
int sign_version2(struct signer *s, const struct sign_request *r, struct text *authorization);

#endif
