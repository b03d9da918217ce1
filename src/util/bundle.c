// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bundle.h"

#define WORD sizeof(uint64_t)

/* A bundle is a list of pairs of words: for each object its bytes and the number of its words that
 * are not 0, then the place and the value of each of these. The last word may be cut short. */
static void put_pair(struct bundle *b, uint64_t first, uint64_t second)
{
    if (b->room - b->count < 2) {
        size_t room = 2 * b->room + 1024;
        uint64_t *more = realloc(b->words, room * WORD);
        if (!more) {
            b->is_short = true;
            return;
        }
        b->words = more;
        b->room = room;
    }
    b->words[b->count++] = first;
    b->words[b->count++] = second;
}

void bundle_put(struct bundle *b, const void *object, size_t bytes)
{
    size_t head = b->count;
    put_pair(b, bytes, 0);
    for (size_t at = 0; at < bytes && !b->is_short; at += WORD) {
        uint64_t word = 0;
        memcpy(&word, (const unsigned char *)object + at, bytes - at < WORD ? bytes - at : WORD);
        if (word != 0) {
            put_pair(b, at / WORD, word);
            b->words[head + 1]++;
        }
    }
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

static bool take_pair(struct bundle_reader *r, uint64_t pair[static 2])
{
    if (r->bytes < 2 * WORD)
        return false;
    memcpy(pair, r->at, 2 * WORD);
    r->at += 2 * WORD;
    r->bytes -= 2 * WORD;
    return true;
}

bool bundle_take(struct bundle_reader *r, void *object, size_t bytes)
{
    uint64_t head[2], filled[2];
    if (!take_pair(r, head) || head[0] != bytes)
        return false;
    memset(object, 0, bytes);
    for (uint64_t i = 0; i < head[1]; i++) {
        if (!take_pair(r, filled) || filled[0] >= (bytes + WORD - 1) / WORD)
            return false;
        size_t at = filled[0] * WORD;
        memcpy((unsigned char *)object + at, &filled[1], bytes - at < WORD ? bytes - at : WORD);
    }
    return true;
}
