// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "bonnie/workloads/workload.h"
#include "io/file.h"

/*
 * Goes through a worker's data file in chunks, from the first to the last. That is a lap. If the
 * end of its time cuts a lap off, the next lap continues there.
 */
struct chunks {
    struct work *work;
    uint64_t next;    /* offset of the next chunk */
    uint64_t written; /* number of bytes written, from the start of the file */
    int rc;           /* first failure to write back, whose line is in e */
    struct err *e;
};

/*
 * Puts the place of the next chunk into *io. Returns false at the end of the file, or after a
 * failure.
 */
static bool chunks_next(struct chunks *c, struct io *io, enum io_kind kind)
{
    size_t chunk = c->work->plan->data.chunk_bytes;
    if (c->rc != 0 || c->next >= c->work->data.bytes)
        return false;
    io->kind = kind;
    io->file = 0;
    io->offset = c->next;
    io->length = chunk;
    c->next += chunk;
    return true;
}

/* Steps of a source that reads chunks and checks them. chunks_next_read() is its `next`. */
static enum source_answer chunks_next_read(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct chunks *c = context;
    const struct work *w = c->work;
    if (!chunks_next(c, io, IO_READ))
        return SOURCE_ENDED;
    op_state(io)->version = contents_version(w->contents, w->number, io->offset, io->length);
    return SOURCE_READY;
}

static enum transfer_answer chunks_check(void *context, struct io *io)
{
    struct work *w = ((struct chunks *)context)->work;
    contents_check(w->contents, w->number, io->offset, io->buffer, io->length,
                   op_state(io)->version, w->corruption);
    return OPERATION_ENDED;
}

/*
 * Counts a chunk that has been written, and writes the file back in pieces (io/file.h). Otherwise
 * the system would let the storage idle until much of the file is in memory, or until the final
 * fsync: the figure would first describe memory, and then the storage. The time counts for this
 * chunk.
 */
static enum transfer_answer chunks_wrote(void *context, struct io *io)
{
    struct chunks *c = context;
    const struct plan *p = c->work->plan;
    uint64_t begun = c->written / IO_PIECE * IO_PIECE;
    c->written += io->length;
    uint64_t ended = c->written / IO_PIECE * IO_PIECE;
    if (ended == begun || p->direct || p->sync || !plan_stores(p))
        return OPERATION_ENDED;
    /* with a queue, a chunk of the piece may still be in flight; the final sync writes it back */
    int rc = io_write_behind(c->work->data.file, begun, ended - begun, c->e);
    if (c->rc == 0)
        c->rc = rc;
    return OPERATION_ENDED_NOW;
}

/*
 * Moves all chunks from work->lap_start on, or as many as the lap's time allows, with the two steps
 * of a source; their context is a struct chunks. Then syncs the file if they wrote, and closes it,
 * but not the queue, because closing an engine must not count as time of the storage. Afterwards
 * lap_start is the place where the lap ended.
 */
static int chunks_run(struct work *w, struct io_source steps, struct err *e)
{
    struct chunks c = {.work = w, .next = w->lap_start, .written = w->lap_start, .e = e};
    steps.context = &c;
    steps.duration_ns = w->lap_ns;
    int rc = io_queue_run(&w->queue, &steps, &w->stats->ops, e);
    if (rc == 0 && w->workload->written_percent > 0)
        rc = io_queue_sync(&w->queue, 0, e);
    int closed = io_close(w->data.file, e);
    w->lap_start = c.next;
    return rc ? rc : closed ? closed : c.rc;
}

static int chunks_prepare(void *context, struct err *e)
{
    struct work *w = context;
    const struct data_file *d = &w->data;
    int rc = work_open_data(w, e);
    /* otherwise, with several writes in flight, each would wait until the one before has ended */
    bool sets_size = !w->workload->reads && plan_stores(w->plan) && w->plan->engine.depth > 1;
    if (rc == 0 && sets_size && !d->device && ftruncate(d->fd, (off_t)d->bytes) != 0)
        rc = err_system(e, errno, "make %s %" PRIu64 " bytes long", d->name, d->bytes);
    return rc == 0 ? work_open_queue(w, w->data.file, 1, w->plan->data.chunk_bytes, e) : rc;
}

/*
 * put_block and get_block: go through the whole data set in chunks, once from the first to the
 * last, or for a time.
 */

static enum source_answer put_next(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct chunks *c = context;
    const struct work *w = c->work;
    if (!chunks_next(c, io, IO_WRITE))
        return SOURCE_ENDED;
    contents_fill(w->contents, w->number, io->offset, io->buffer, io->length, 0);
    return SOURCE_READY;
}

static int put_work(void *context, struct err *e)
{
    struct work *w = context;
    const struct io_source steps = {.next = put_next, .transferred = chunks_wrote};
    int rc = chunks_run(w, steps, e);
    if (rc == 0 && plan_stores(w->plan))
        w->data.valid_bytes = w->lap_start;
    return rc;
}

static bool get_failed(void *context, const struct io *io, int code)
{
    const struct work *w = ((struct chunks *)context)->work;
    struct io place = *io;
    place.file = w->number; /* the queue has this file alone */
    return work_goes_on(w->plan, w->contents, w->corruption, &place, code);
}

static int get_work(void *context, struct err *e)
{
    const struct io_source steps = {
        .next = chunks_next_read, .transferred = chunks_check, .failed = get_failed};
    return chunks_run(context, steps, e);
}

const struct workload workload_put_block = {
    .title = "Writing in chunks",
    .old_title = "Writing intelligently",
    .item = ITEM_CHUNK,
    .written_percent = 100,
    .uses_engine = true,
    .task = {.prepare = chunks_prepare, .work = put_work},
};

const struct workload workload_get_block = {
    .title = "Reading in chunks",
    .old_title = "Reading intelligently",
    .item = ITEM_CHUNK,
    .read_percent = 100,
    .uses_engine = true,
    .reads = true,
    .shifts = true,
    .task = {.prepare = chunks_prepare, .work = get_work},
};

/*
 * rewrite: reads, changes and writes back every chunk. With a queue, many chunks are in flight at
 * once, each at its own step.
 */

static enum transfer_answer rewrite_transferred(void *context, struct io *io)
{
    struct chunks *c = context;
    if (io->kind == IO_WRITE)
        return chunks_wrote(c, io);
    chunks_check(c, io);
    contents_fill(c->work->contents, c->work->number, io->offset, io->buffer, io->length, 1);
    io->kind = IO_WRITE;
    return OPERATION_CONTINUES;
}

static int rewrite_work(void *context, struct err *e)
{
    struct work *w = context;
    const struct io_source steps = {.next = chunks_next_read, .transferred = rewrite_transferred};
    int rc = chunks_run(w, steps, e);
    w->contents->files[w->number].rewritten = w->lap_start;
    if (w->lap_start == w->data.bytes)
        contents_end_rewriting(w->contents, w->number);
    return rc;
}

const struct workload workload_rewrite = {
    .title = "Rewriting",
    .old_title = "Rewriting",
    .item = ITEM_CHUNK,
    .read_percent = 100,
    .written_percent = 100,
    .uses_engine = true,
    .reads = true,
    .task = {.prepare = chunks_prepare, .work = rewrite_work},
};
