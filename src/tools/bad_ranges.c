#include "tools/bad_ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t end_of(const struct bad_range *r)
{
    return r->offset + r->bytes;
}

/* Index of the first range that does not end before the offset. */
static size_t first_touched(const struct bad_ranges *b, uint64_t offset)
{
    size_t low = 0;
    size_t high = b->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (end_of(&b->ranges[middle]) < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int insert_range(struct bad_ranges *b, size_t at, const struct bad_range *range,
                        struct err *e)
{
    if (b->count == b->room) {
        size_t room = 2 * b->room + 16;
        struct bad_range *ranges = realloc(b->ranges, room * sizeof *ranges);
        if (!ranges)
            return err_system(e, ENOMEM, "memory for %zu bad ranges", room);
        b->ranges = ranges;
        b->room = room;
    }
    memmove(&b->ranges[at + 1], &b->ranges[at], (b->count - at) * sizeof *b->ranges);
    b->ranges[at] = *range;
    b->count++;
    return 0;
}

/* Merges `range` with the range at index `at`, and with all following ones that `range` touches. */
static void join_ranges(struct bad_ranges *b, size_t at, const struct bad_range *range)
{
    struct bad_range *first = &b->ranges[at];
    uint64_t end = end_of(range);
    size_t next = at;
    for (; next < b->count && b->ranges[next].offset <= end_of(range); next++)
        if (end_of(&b->ranges[next]) > end)
            end = end_of(&b->ranges[next]);
    if (range->offset < first->offset)
        first->offset = range->offset;
    first->bytes = end - first->offset;
    memmove(first + 1, &b->ranges[next], (b->count - next) * sizeof *b->ranges);
    b->count -= next - at - 1;
}

int bad_ranges_add(struct bad_ranges *b, const struct bad_range *range, bool *is_new, struct err *e)
{
    size_t at = first_touched(b, range->offset);
    *is_new = at == b->count || b->ranges[at].offset > end_of(range);
    if (*is_new)
        return insert_range(b, at, range, e);
    join_ranges(b, at, range);
    return 0;
}

uint64_t bad_ranges_bytes(const struct bad_ranges *b)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < b->count; i++)
        bytes += b->ranges[i].bytes;
    return bytes;
}

void bad_ranges_release(struct bad_ranges *b)
{
    free(b->ranges);
    *b = (struct bad_ranges){0};
}
