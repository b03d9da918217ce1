// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bundle.h"

#include <stdlib.h>
#include <string.h>

#define WORD sizeof(uint64_t)

/* Length of the longest text that bundle_take_text() accepts, in bytes. */
#define MOST_TEXT (UINT64_C(1) << 20)

/* What precedes the words of an object. */
struct head {
    uint64_t bytes;
    uint64_t words; /* number of words that are not 0 */
};

/* A word that is not 0, and its place. */
struct filled_word {
    uint64_t at;
    uint64_t value;
};

static size_t words_of(size_t bytes)
{
    return (bytes + WORD - 1) / WORD;
}

/* Number of the object's bytes in its word i: the last word may have fewer. */
static size_t bytes_of_word(size_t bytes, size_t i)
{
    size_t left = bytes - i * WORD;
    return left < WORD ? left : WORD;
}

static uint64_t word_of(const void *object, size_t bytes, size_t i)
{
    uint64_t word = 0;
    memcpy(&word, (const unsigned char *)object + i * WORD, bytes_of_word(bytes, i));
    return word;
}

static void add_words(struct bundle *b, const void *words, size_t count)
{
    if (b->room - b->count < count) {
        size_t room = 2 * (b->room + count) + 1024;
        uint64_t *more = realloc(b->words, room * WORD);
        if (!more) {
            b->is_short = true;
            return;
        }
        b->words = more;
        b->room = room;
    }
    memcpy(b->words + b->count, words, count * WORD);
    b->count += count;
}

void bundle_put(struct bundle *b, const void *object, size_t bytes)
{
    struct head head = {.bytes = bytes};
    for (size_t i = 0; i < words_of(bytes); i++)
        head.words += word_of(object, bytes, i) != 0;
    add_words(b, &head, sizeof head / WORD);
    for (size_t i = 0; i < words_of(bytes); i++) {
        const struct filled_word one = {.at = i, .value = word_of(object, bytes, i)};
        if (one.value != 0)
            add_words(b, &one, sizeof one / WORD);
    }
}

void bundle_put_text(struct bundle *b, const char *text)
{
    uint64_t length = strlen(text);
    bundle_put(b, &length, sizeof length);
    bundle_put(b, text, length);
}

size_t bundle_bytes(const struct bundle *b)
{
    return b->count * WORD;
}

void bundle_release(struct bundle *b)
{
    free(b->words);
    *b = (struct bundle){0};
}

/* Copies the next `bytes` bytes. Returns false when there are fewer. */
static bool copy_bytes(struct bundle_reader *r, void *to, size_t bytes)
{
    if (r->bytes < bytes)
        return false;
    memcpy(to, r->at, bytes);
    r->at += bytes;
    r->bytes -= bytes;
    return true;
}

bool bundle_take(struct bundle_reader *r, void *object, size_t bytes)
{
    struct head head;
    struct filled_word one;
    if (!copy_bytes(r, &head, sizeof head) || head.bytes != bytes)
        return false;
    memset(object, 0, bytes);
    for (uint64_t i = 0; i < head.words; i++) {
        if (!copy_bytes(r, &one, sizeof one) || one.at >= words_of(bytes))
            return false;
        memcpy((unsigned char *)object + one.at * WORD, &one.value, bytes_of_word(bytes, one.at));
    }
    return true;
}

char *bundle_take_text(struct bundle_reader *r)
{
    uint64_t length;
    if (!bundle_take(r, &length, sizeof length) || length > MOST_TEXT)
        return NULL;
    char *text = malloc(length + 1);
    if (!text)
        return NULL;
    text[length] = '\0';
    if (bundle_take(r, text, length))
        return text;
    free(text);
    return NULL;
}
