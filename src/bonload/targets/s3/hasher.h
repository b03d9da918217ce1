#ifndef BONLOAD_TARGETS_S3_HASHER_H
#define BONLOAD_TARGETS_S3_HASHER_H

#include <openssl/evp.h>
#include <stddef.h>

#include "util/err.h"

/* Hashes and keyed hashes (HMAC, RFC 2104) by libcrypto, without an allocation for each of them. */

#define SHA256_BYTES 32
#define SHA256_HEX   (2 * SHA256_BYTES + 1)
#define SHA1_BYTES   20

struct hasher {
    EVP_MD_CTX *context;
    EVP_MD *sha256;
    EVP_MD *sha1;
};

/*
 * Returns 0, or a negative errno with a line in e; the caller must call hasher_close() in either
 * case.
 */
int hasher_open(struct hasher *h, struct err *e);
void hasher_close(struct hasher *h);

/* SHA-256 of data that comes in parts. */
void hasher_begin(struct hasher *h);
void hasher_add(struct hasher *h, const void *part, size_t length);
void hasher_end(struct hasher *h, char hex[static SHA256_HEX]);

/* Keyed hashes. `hash` may overlap the key. */
void hasher_hmac256(struct hasher *h, const void *key, size_t key_length, const char *text,
                    unsigned char hash[static SHA256_BYTES]);
void hasher_hmac1(struct hasher *h, const void *key, size_t key_length, const char *text,
                  unsigned char hash[static SHA1_BYTES]);

/* Writes the hash in lower-case hexadecimal digits. */
void hasher_hex(const unsigned char hash[static SHA256_BYTES], char hex[static SHA256_HEX]);

#endif
