#include "bonload/targets/s3/hasher.h"

#include <errno.h>
#include <string.h>

/* Block size of both hashes, in bytes. */
#define BLOCK 64

int hasher_open(struct hasher *h, struct err *e)
{
    h->context = EVP_MD_CTX_new();
    h->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    h->sha1 = EVP_MD_fetch(NULL, "SHA1", NULL);
    return h->context && h->sha256 && h->sha1
               ? 0
               : err_say(e, "libcrypto has no SHA-256 or no SHA-1 for signatures");
}

void hasher_close(struct hasher *h)
{
    EVP_MD_CTX_free(h->context);
    EVP_MD_free(h->sha256);
    EVP_MD_free(h->sha1);
    *h = (struct hasher){0};
}

void hasher_begin(struct hasher *h)
{
    EVP_DigestInit_ex(h->context, h->sha256, NULL);
}

void hasher_add(struct hasher *h, const void *part, size_t length)
{
    EVP_DigestUpdate(h->context, part, length);
}

void hasher_end(struct hasher *h, char hex[static SHA256_HEX])
{
    unsigned char hash[SHA256_BYTES];
    EVP_DigestFinal_ex(h->context, hash, NULL);
    hasher_hex(hash, hex);
}

void hasher_hex(const unsigned char hash[static SHA256_BYTES], char hex[static SHA256_HEX])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        hex[2 * i] = digits[hash[i] >> 4];
        hex[2 * i + 1] = digits[hash[i] & 15];
    }
    hex[2 * SHA256_BYTES] = '\0';
}

/*
 * Hashes a block, which is the key with every byte combined with `pad` by exclusive or, and then
 * the text.
 */
static void hash_padded(struct hasher *h, const EVP_MD *md, const unsigned char key[static BLOCK],
                        unsigned char pad, const void *text, size_t length, unsigned char *hash)
{
    unsigned char block[BLOCK];
    for (size_t i = 0; i < BLOCK; i++)
        block[i] = key[i] ^ pad;
    EVP_DigestInit_ex(h->context, md, NULL);
    EVP_DigestUpdate(h->context, block, BLOCK);
    EVP_DigestUpdate(h->context, text, length);
    EVP_DigestFinal_ex(h->context, hash, NULL);
}

static void hmac(struct hasher *h, const EVP_MD *md, size_t bytes, const void *key,
                 size_t key_length, const char *text, unsigned char *hash)
{
    unsigned char padded[BLOCK] = {0};
    if (key_length <= BLOCK) {
        memcpy(padded, key, key_length);
    } else {
        EVP_DigestInit_ex(h->context, md, NULL);
        EVP_DigestUpdate(h->context, key, key_length);
        EVP_DigestFinal_ex(h->context, padded, NULL);
    }
    hash_padded(h, md, padded, 0x36, text, strlen(text), hash);
    hash_padded(h, md, padded, 0x5c, hash, bytes, hash);
}

void hasher_hmac256(struct hasher *h, const void *key, size_t key_length, const char *text,
                    unsigned char hash[static SHA256_BYTES])
{
    hmac(h, h->sha256, SHA256_BYTES, key, key_length, text, hash);
}

void hasher_hmac1(struct hasher *h, const void *key, size_t key_length, const char *text,
                  unsigned char hash[static SHA1_BYTES])
{
    hmac(h, h->sha1, SHA1_BYTES, key, key_length, text, hash);
}
