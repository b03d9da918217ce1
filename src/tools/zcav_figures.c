// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/zcav_figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t end_of(const struct bad_range *r)
{
    return r->offset + r->bytes;
}

int bad_ranges_add(struct bad_ranges *b, const struct bad_range *range, bool *is_new, struct err *e)
{
    struct bad_range sum = *range;
    size_t at = b->count; /* becomes the index of the first range that does not end before this */
    while (at > 0 && end_of(&b->ranges[at - 1]) >= range->offset)
        at--;
    size_t next = at; /* becomes that of the first range that begins after it */
    for (; next < b->count && b->ranges[next].offset <= end_of(range); next++) {
        const struct bad_range *r = &b->ranges[next];
        uint64_t end = end_of(r) > end_of(&sum) ? end_of(r) : end_of(&sum);
        sum.offset = r->offset < sum.offset ? r->offset : sum.offset;
        sum.bytes = end - sum.offset;
        sum.code = b->ranges[at].code;
    }
    *is_new = next == at;
    if (*is_new) {
        struct bad_range *ranges = reallocarray(b->ranges, b->count + 1, sizeof *ranges);
        if (!ranges)
            return err_system(e, ENOMEM, "allocate memory for %zu bad ranges", b->count + 1);
        b->ranges = ranges;
    }
    memmove(&b->ranges[at + 1], &b->ranges[next], (b->count - next) * sizeof *b->ranges);
    b->ranges[at] = sum;
    b->count = b->count + 1 - (next - at);
    return 0;
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

uint64_t zcav_median(const struct zcav_block *blocks, size_t count)
{
    struct zcav_block *sorted = calloc(count + 1, sizeof *sorted);
    uint64_t median = 0;
    size_t good = 0;
    if (!sorted)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (blocks[i].bytes > 0)
            sorted[good++] = blocks[i];
    qsort(sorted, good, sizeof *sorted, compare_blocks);
    if (good > 0)
        median = sorted[good / 2].nanoseconds;
    free(sorted);
    return median;
}
