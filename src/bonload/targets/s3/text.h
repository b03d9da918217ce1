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

/* Append a text, all texts of a list that ends in NULL, or one byte. */
void text_put(struct text *t, const char *more);
void text_put_list(struct text *t, const char *const *list);
void text_put_byte(struct text *t, char byte);

/* Appends several texts: text_put_all(&t, first, second). */
#define text_put_all(t, ...) text_put_list((t), (const char *const[]){__VA_ARGS__, NULL})

/*
 * Appends bytes and percent-encodes them (RFC 3986), except letters, digits, - . _ ~ and the
 * characters in `kept`.
 */
void text_put_encoded(struct text *t, const char *more, const char *kept);

/*
 * Copies the text of the first element with that name: it is meant for answers like
 * <Code>NoSuchKey</Code>. Elements within it are not part of the text. The answer may be cut off
 * anywhere; an element without an end does not count. Returns false, with an empty text, when there
 * is no such element. Cuts a text that is too long.
 */
bool xml_text(const char *xml, size_t length, const char *element, char *text, size_t size);

#endif
