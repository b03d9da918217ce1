// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/zcav_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/output.h"
#include "util/portable.h"
#include "util/printable.h"
#include "util/units.h"

static uint64_t end_of(const struct bad_range *r)
{
    return r->offset + r->bytes;
}

static int insert_range(struct bad_ranges *b, size_t at, const struct bad_range *range,
                        struct err *e)
{
    if (b->count == b->room) {
        size_t room = 2 * b->room + 16;
        struct bad_range *ranges = realloc(b->ranges, room * sizeof *ranges);
        if (!ranges)
            return err_system(e, ENOMEM, "allocate memory for %zu bad ranges", room);
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
    size_t at = b->count; /* becomes the index of the first range that does not end before this */
    while (at > 0 && end_of(&b->ranges[at - 1]) >= range->offset)
        at--;
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

/* A block that took less time has no figure, but `++++`. */
#define SHORTEST_NS MILLION

int zcav_log_open(struct zcav_log *l, const char *path, bool keeps_back, struct err *e)
{
    *l = (struct zcav_log){.stream = stdout,
                           .name = "standard output",
                           .is_own = path || keeps_back,
                           .is_read = !path && isatty(STDOUT_FILENO)};
    if (path) {
        int fd = output_open_live(path, e);
        if (fd < 0)
            return fd;
        l->name = path;
        l->stream = fdopen(fd, "w");
        if (!l->stream)
            close(fd);
    } else if (keeps_back) {
        l->stream = open_memstream(&l->text, &l->length);
    }
    return l->stream ? 0 : err_system(e, errno, "open %s", l->name);
}

/* Flushes after each line, because a run may take hours, and a machine with a bad disk may hang. */
static int flush_log(struct zcav_log *l, struct err *e)
{
    if (fflush(l->stream) != 0 || ferror(l->stream))
        return err_system(e, errno ? errno : EIO, "write to %s", l->name);
    return 0;
}

int zcav_log_heading(struct zcav_log *l, unsigned passes, struct err *e)
{
    if (!l->stream)
        return 0;
    if (passes > 1)
        fprintf(l->stream, "#loops: %u\n", passes);
    fprintf(l->stream, "#block offset (GiB), MiB/s, time\n");
    return flush_log(l, e);
}

/* Returns the stream, and removes the progress bar that may be on its terminal. */
static FILE *stream_of(const struct zcav_log *l)
{
    if (l->is_live)
        fputs(ZCAV_ERASE, l->stream);
    return l->stream;
}

static double mib_per_second(const struct zcav_block *b)
{
    return b->nanoseconds > 0 ? (double)b->bytes / MIB / zcav_seconds(b->nanoseconds) : 0;
}

int zcav_log_block(struct zcav_log *l, uint64_t offset, const struct zcav_block *block,
                   struct err *e)
{
    if (!l->stream)
        return 0;
    double gib = (double)offset / GIB;
    double seconds = zcav_seconds(block->nanoseconds);
    if (block->bytes == 0)
        fprintf(stream_of(l), "#%.2f ---- %.3f\n", gib, seconds);
    else if (block->nanoseconds < SHORTEST_NS)
        fprintf(stream_of(l), "#%.2f ++++ %.3f\n", gib, seconds);
    else
        fprintf(stream_of(l), "%.2f %.2f %.3f\n", gib, mib_per_second(block), seconds);
    return flush_log(l, e);
}

int zcav_log_pass(struct zcav_log *l, bool writes, const struct zcav_block *sum, struct err *e)
{
    if (!l->stream)
        return 0;
    const char *done = writes ? "Wrote" : "Read";
    if (l->is_read)
        fprintf(stream_of(l), "# %s %" PRIu64 " MiB in %.2f s: %.0f MiB/s.\n", done,
                sum->bytes / MIB, zcav_seconds(sum->nanoseconds), mib_per_second(sum));
    else
        fprintf(stream_of(l),
                "# %s %" PRIu64 " megs in %" PRIu64 " seconds, %.0f megabytes per second.\n", done,
                sum->bytes / MIB, sum->nanoseconds / (uint64_t)BILLION, mib_per_second(sum));
    return flush_log(l, e);
}

int zcav_log_bad(struct zcav_log *l, bool writes, const struct bad_ranges *bad, struct err *e)
{
    if (!l->stream)
        return 0;
    for (size_t i = 0; i < bad->count; i++) {
        const struct bad_range *r = &bad->ranges[i];
        fprintf(l->stream, "# %s: %" PRIu64 " bytes at %" PRIu64 " (%.2f GiB): %s\n",
                writes ? "Unwritable" : "Unreadable", r->bytes, r->offset, (double)r->offset / GIB,
                portable_reason(r->code));
    }
    return flush_log(l, e);
}

int zcav_log_close(struct zcav_log *l, const char *device, struct err *e)
{
    if (!l->stream)
        return 0;
    int rc = flush_log(l, e);
    FILE *stream = l->stream;
    l->stream = NULL;
    if (l->is_own && fclose(stream) != 0 && rc == 0)
        rc = err_system(e, errno, "write to %s", l->name);
    if (rc == 0 && l->text) {
        errno = 0;
        printf("# device: %s\n%s\n\n", printable(device).text, l->text);
        rc = output_flush(e);
    }
    zcav_log_discard(l);
    return rc;
}

void zcav_log_discard(struct zcav_log *l)
{
    if (l->stream && l->is_own)
        fclose(l->stream);
    free(l->text);
    *l = (struct zcav_log){0};
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

struct zcav_block zcav_log_middle(struct zcav_block *passes, size_t count, uint64_t block_bytes)
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
