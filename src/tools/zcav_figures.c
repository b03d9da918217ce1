// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/zcav_figures.h"

bool bad_map_add(struct bad_map *m, uint64_t offset, uint64_t bytes, int code)
{
    size_t first = offset / MIB;
    size_t end = (offset + bytes) / MIB;
    bool is_new = !m->codes[first] && !m->codes[end] && (first == 0 || !m->codes[first - 1]);
    memset(m->codes + first, code, end - first);
    return is_new;
}

bool bad_map_next(const struct bad_map *m, struct bad_range *r)
{
    size_t first = (r->offset + r->bytes) / MIB;
    while (first < m->count && m->codes[first] == 0)
        first++;
    size_t end = first;
    while (end < m->count && m->codes[end] != 0)
        end++;
    *r = (struct bad_range){
        .offset = first * MIB, .bytes = (end - first) * MIB, .code = m->codes[first]};
    return end > first;
}

/* Sorts by the time for the same number of bytes. Blocks that could not be moved come last. */
static int compare_blocks(const void *a, const void *b)
{
    const struct zcav_block *x = a;
    const struct zcav_block *y = b;
    if (x->bytes == 0 || y->bytes == 0)
        return (x->bytes == 0) - (y->bytes == 0);
    double left = (double)x->nanoseconds / (double)x->bytes;
    double right = (double)y->nanoseconds / (double)y->bytes;
    return (left > right) - (left < right);
}

struct zcav_block zcav_middle(struct zcav_block *passes, size_t count, uint64_t block_bytes)
{
    struct zcav_block mean = {.bytes = block_bytes};
    double nanoseconds = 0;
    size_t good = count;
    qsort(passes, count, sizeof *passes, compare_blocks);
    while (good > 0 && passes[good - 1].bytes == 0)
        good--;
    if (good == 0)
        return (struct zcav_block){.nanoseconds = passes[0].nanoseconds};
    size_t skipped = good / 3;
    for (size_t i = skipped; i < good - skipped; i++)
        nanoseconds += (double)passes[i].nanoseconds / (double)passes[i].bytes;
    mean.nanoseconds = (uint64_t)(nanoseconds / (double)(good - 2 * skipped) * (double)block_bytes);
    return mean;
}
