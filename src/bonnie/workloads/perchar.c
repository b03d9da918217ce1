// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>

#include "bonnie/workloads/workload.h"
#include "measure/clock.h"
#include "sys/stop.h"

/*
 * putc and getc: move the start of the data set through stdio, one character at a time. An
 * operation is a buffer of characters that stdio passes to the system, and has a latency.
 */

/* Move a block of characters, with one call for each. */
static void put_each(FILE *stream, unsigned char *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        putc(from[i], stream);
}

static void get_each(FILE *stream, unsigned char *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (unsigned char)getc(stream);
}

/*
 * Opens a stream on the worker's data file. The stream owns the descriptor. Returns NULL with a
 * line in e on failure.
 */
static FILE *open_stream(struct work *w, int access, const char *mode, struct err *e)
{
    struct data_file *d = &w->data;
    if (data_file_open(d, access, USE_CHARACTERS, e) != 0)
        return NULL;
    FILE *stream = fdopen(d->file->fd, mode);
    if (!stream) {
        err_system(e, errno, "open a stream on %s", d->name);
        return NULL;
    }
    /*
     * Only one worker uses the stream. Without this call, stdio takes a lock for every character as
     * soon as there is a second thread.
     */
    __fsetlocking(stream, FSETLOCKING_BYCALLER);
    d->file->fd = -1; /* the stream owns it */
    return stream;
}

static int perchar_prepare(void *context, struct err *e)
{
    struct work *w = context;
    return w->workload->reads ? work_have_data(w, w->perchar_bytes, e)
                              : data_file_empty(&w->data, w->scratch, e);
}

static int move_characters(struct work *w, FILE *stream, bool writes, struct err *e)
{
    void (*move)(FILE *, unsigned char *, size_t) = writes ? put_each : get_each;
    struct data_file *d = &w->data;
    unsigned char characters[PERCHAR_CHUNK_BYTES] __attribute__((aligned(8)));
    for (uint64_t at = 0; at < w->perchar_bytes;) {
        uint64_t rest = w->perchar_bytes - at;
        size_t count = rest < PERCHAR_CHUNK_BYTES ? (size_t)rest : PERCHAR_CHUNK_BYTES;
        if (writes)
            contents_fill(w->contents, d->number, at, characters, count);
        uint64_t start = clock_ns();
        move(stream, characters, count);
        op_stats_add(&w->stats->ops, clock_ns() - start, count);
        if (ferror(stream))
            return err_system(e, errno, writes ? "putc to %s" : "getc from %s", d->name);
        if (feof(stream))
            return err_system(e, EIO, "getc from %s: it ends before %llu", d->name,
                              (unsigned long long)w->perchar_bytes);
        if (!writes)
            contents_check(w->contents, d->number, at, characters, count,
                           contents_version(w->contents, d->number, at, count), w->corruption);
        at += count;
        if (writes)
            d->valid_bytes = at;
        if (stop_check(e) != 0)
            return -EINTR;
    }
    if (!writes)
        return 0;
    if (fflush(stream) != 0)
        return err_system(e, errno, "write %s", d->name);
    const struct io_file file = {.fd = fileno(stream), .name = d->name};
    return io_sync_pieces(&file, e);
}

static int perchar_work(void *context, struct err *e)
{
    struct work *w = context;
    bool writes = !w->workload->reads;
    FILE *stream = open_stream(w, writes ? O_WRONLY : O_RDONLY, writes ? "w" : "r", e);
    if (!stream)
        return -e->code;
    int rc = move_characters(w, stream, writes, e);
    /* everything has been flushed; a close that a signal interrupts has released the descriptor */
    if (fclose(stream) != 0 && errno != EINTR && rc == 0)
        rc = err_system(e, errno, "close %s", w->data.name);
    return rc;
}

const struct workload workload_putc = {
    .title = "Writing by character",
    .old_title = "Writing a byte at a time",
    .item = ITEM_PERCHAR_CHUNK,
    .written_percent = 100,
    .task = {.prepare = perchar_prepare, .work = perchar_work},
};

const struct workload workload_getc = {
    .title = "Reading by character",
    .old_title = "Reading a byte at a time",
    .item = ITEM_PERCHAR_CHUNK,
    .read_percent = 100,
    .reads = true,
    .shifts = true,
    .task = {.prepare = perchar_prepare, .work = perchar_work},
};
