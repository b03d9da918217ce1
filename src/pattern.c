#include "pattern.h"

#include <string.h>

#include "util/rng.h"

void pattern_init(struct pattern *p, enum data_kind kind, uint64_t seed)
{
    struct rng rng;
    rng_init(&rng, seed, 0);
    p->kind = kind;
    p->seed = seed;
    for (size_t i = 0; i < PATTERN_BLOCK_WORDS; i++)
        p->pool[i] = rng_next(&rng);
}

static struct pattern_stamp make_stamp(const struct pattern *p, uint64_t file, uint64_t block,
                                       uint64_t generation)
{
    struct pattern_stamp stamp = {
        .seed = p->seed, .file = file, .block = block, .generation = generation};
    stamp.check = rng_mix(rng_mix(rng_mix(rng_mix(stamp.seed) ^ file) ^ block) ^ generation);
    return stamp;
}

/* words must be PATTERN_BLOCK bytes, aligned for uint64_t. */
static void fill_block(const struct pattern *p, uint64_t *restrict words, uint64_t file,
                       uint64_t block, uint64_t generation)
{
    struct pattern_stamp stamp = make_stamp(p, file, block, generation);
    const uint64_t *restrict pool = p->pool;
    for (size_t i = 0; i < PATTERN_BLOCK_WORDS; i++)
        words[i] = pool[i] ^ stamp.check;
    memcpy(words, &stamp, sizeof stamp);
    words[PATTERN_BLOCK_WORDS - 1] = stamp.check;
}

/* Part of one block: made whole on the side, then copied. */
static void fill_part(const struct pattern *p, void *buffer, size_t length, size_t skip,
                      uint64_t file, uint64_t block, uint64_t generation)
{
    uint64_t whole[PATTERN_BLOCK_WORDS];
    fill_block(p, whole, file, block, generation);
    memcpy(buffer, (char *)whole + skip, length);
}

void pattern_fill(const struct pattern *p, void *buffer, size_t length, uint64_t file,
                  uint64_t offset, uint64_t generation)
{
    if (p->kind == DATA_ZERO) {
        memset(buffer, 0, length);
        return;
    }
    char *to = buffer;
    while (length > 0) {
        size_t skip = (size_t)(offset % PATTERN_BLOCK);
        size_t part = PATTERN_BLOCK - skip;
        if (part > length)
            part = length;
        uint64_t block = offset / PATTERN_BLOCK;
        if (part == PATTERN_BLOCK && (uintptr_t)to % _Alignof(uint64_t) == 0)
            fill_block(p, (uint64_t *)(void *)to, file, block, generation);
        else
            fill_part(p, to, part, skip, file, block, generation);
        to += part;
        offset += part;
        length -= part;
    }
}
