#ifndef BONLOAD_TARGETS_S3_TEXT_H
#define BONLOAD_TARGETS_S3_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A text that grows in memory of a fixed size, and always ends in a NUL. What does not fit is left
 * out; then text_is_whole() returns false.
 */
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

/* Append a text, one byte, or some bytes. */
void text_put(struct text *t, const char *more);
void text_put_byte(struct text *t, char byte);
void text_put_bytes(struct text *t, const char *more, size_t length);

/*
 * Appends bytes and percent-encodes them (RFC 3986), except letters, digits, - . _ ~ and the
 * characters in `kept`.
 */
void text_put_encoded(struct text *t, const char *more, const char *kept);

#endif
