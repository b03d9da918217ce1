#ifndef BONLOAD_TARGETS_S3_TEXT_H
#define BONLOAD_TARGETS_S3_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A text that grows in memory of a fixed size, and is always terminated. What does not fit is left
 * out, and text_is_whole() says so.
 */
struct text {
    char *memory;
    size_t size; /* size of the memory; above 0 */
    size_t used; /* length without the NUL; what it would be if everything fitted */
};

static inline bool text_is_whole(const struct text *t)
{
    return t->used < t->size;
}

/* Begins an empty text. */
void text_begin(struct text *t, char *memory, size_t size);

/* Appends a text, one byte, or some bytes. */
void text_put(struct text *t, const char *more);
void text_put_byte(struct text *t, char byte);
void text_put_bytes(struct text *t, const char *more, size_t length);

/* Appends percent-encoded bytes (RFC 3986): all but letters, digits, - . _ ~ and those of `kept`.
 */
void text_put_encoded(struct text *t, const char *more, const char *kept);

#endif
