#ifndef UTIL_BUNDLE_H
#define UTIL_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Objects without pointers, one behind the other, as they travel between hosts: of each only the
 * words that are not 0, because a histogram is nearly empty whatever it has counted. Whoever reads
 * must know which objects there are; hosts are of one architecture.
 */
struct bundle {
    uint64_t *words;
    size_t count;
    size_t room;
    bool is_short; /* memory ran out: not all is there */
};

/* Adds an object, or a text with its length. A zeroed bundle is empty. */
void bundle_put(struct bundle *b, const void *object, size_t bytes);
void bundle_put_text(struct bundle *b, const char *text);

size_t bundle_bytes(const struct bundle *b);
void bundle_release(struct bundle *b);

/* What of a bundle has not been read yet. */
struct bundle_reader {
    const unsigned char *at;
    size_t bytes;
};

/* Takes the next object, which must have that size. False: there is none, or another one. */
bool bundle_take(struct bundle_reader *r, void *object, size_t bytes);

/* Takes the next text, which is to be freed. NULL: there is none, or no memory. */
char *bundle_take_text(struct bundle_reader *r);

#endif
