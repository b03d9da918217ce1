// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio_ext.h>

#include "bonnie/workloads/workload.h"
#include "measure/clock.h"
#include "sys/stop.h"

/* putc and getc: move the start of the data set through stdio, one character at a time. An
 * operation is a buffer of characters that stdio passes to the system, and has a latency. */

static int perchar_prepare(void *context, struct err *e)
{
    struct work *w = context;
    return w->workload->reads ? work_have_data(w, w->perchar_bytes, e)
                              : data_file_empty(&w->data, w->scratch, e);
}

static int perchar_work(void *context, struct err *e)
{
    struct work *w = context;
    struct data_file *d = &w->data;
    const bool writes = !w->workload->reads;
    unsigned char characters[PERCHAR_CHUNK_BYTES] __attribute__((aligned(8)));
    int rc = data_file_open(d, writes ? O_WRONLY : O_RDONLY, USE_CHARACTERS, e);
    if (rc != 0)
        return rc;
    FILE *stream = fdopen(d->file->fd, writes ? "w" : "r");
    if (!stream)
        return err_system(e, errno, "open a stream on %s", d->name);
    /* Only one worker uses the stream. Without this call, stdio takes a lock for every character as
     * soon as there is a second thread. */
    __fsetlocking(stream, FSETLOCKING_BYCALLER);
    d->file->fd = -1; /* the stream owns it */
    for (uint64_t at = 0; rc == 0 && at < w->perchar_bytes;) {
        uint64_t rest = w->perchar_bytes - at;
        size_t count = rest < PERCHAR_CHUNK_BYTES ? (size_t)rest : PERCHAR_CHUNK_BYTES;
        if (writes)
            contents_fill(w->contents, d->number, at, characters, count, 0);
        uint64_t start = clock_ns();
        if (writes)
            for (size_t i = 0; i < count; i++)
                putc(characters[i], stream);
        else
            for (size_t i = 0; i < count; i++)
                characters[i] = (unsigned char)getc(stream);
        op_stats_add(&w->stats->ops, clock_ns() - start, count);
        if (ferror(stream)) {
            rc = err_system(e, errno, writes ? "putc to %s" : "getc from %s", d->name);
        } else if (feof(stream)) {
            rc = err_system(e, EIO, "getc from %s: it ends before %llu", d->name,
                            (unsigned long long)w->perchar_bytes);
        } else {
            if (!writes)
                contents_check(w->contents, d->number, at, characters, count,
                               contents_version(w->contents, d->number, at, count), w->corruption);
            at += count;
            if (writes)
                d->valid_bytes = at;
            rc = stop_check(e);
        }
    }
    if (rc == 0 && writes && fflush(stream) != 0)
        rc = err_system(e, errno, "write %s", d->name);
    const struct io_file file = {.fd = fileno(stream), .name = d->name};
    if (rc == 0 && writes)
        rc = io_sync_pieces(&file, e);
    /* everything has been flushed; a close that a signal interrupts has released the descriptor */
    if (fclose(stream) != 0 && errno != EINTR && rc == 0)
        rc = err_system(e, errno, "close %s", d->name);
    return rc;
}

#define CHARACTERS(now, old)                                                                       \
    .title = now, .old_title = old, .item = ITEM_PERCHAR_CHUNK,                                    \
    .task = {.prepare = perchar_prepare, .work = perchar_work}

const struct workload workload_putc = {
    CHARACTERS("Writing by character", "Writing a byte at a time"), .written_percent = 100};
const struct workload workload_getc = {
    CHARACTERS("Reading by character", "Reading a byte at a time"), .read_percent = 100,
    .reads = true, .shifts = true};
