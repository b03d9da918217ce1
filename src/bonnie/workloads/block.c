// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/workloads/workload.h"

/* Goes through a worker's data file in chunks, from the first to the last. That is a lap. If the
 * end of its time cuts a lap off, the next lap continues there. */
struct chunks {
    struct operations of; /* the queue has the worker's file alone */
    struct work *work;
    uint64_t next;    /* offset of the next chunk */
    uint64_t written; /* number of bytes written, from the start of the file */
    int rc;           /* first failure to write back, whose line is in e */
    struct err *e;
};

static enum source_answer chunks_next(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct chunks *c = context;
    struct work *w = c->work;
    size_t chunk = w->plan->data.chunk_bytes;
    if (c->rc != 0 || c->next >= w->data.bytes)
        return SOURCE_ENDED;
    if (w->is_one_by_one) {
        /* In a short look, the first chunk goes alone. If it takes so long that what is in flight
         * at the end would outlast the test, all go one by one. */
        const struct op_stats *ops = &w->stats->ops;
        uint64_t begun = c->next / chunk;
        uint64_t ended = ops->latencies.count + ops->errors;
        if (begun == 1 && ended == 1)
            w->is_one_by_one =
                ops->latencies.sum * w->plan->engine.depth > w->plan->chunk_test_ns / 2;
        if (w->is_one_by_one && begun > ended)
            return SOURCE_LATER;
    }
    io->kind = w->workload->reads ? IO_READ : IO_WRITE;
    io->file = 0;
    io->offset = c->next;
    io->length = chunk;
    c->next += chunk;
    if (io->kind == IO_READ)
        op_state(io)->version = CONTENTS_CLAIMED; /* nobody else changes the file meanwhile */
    else
        contents_fill(w->contents, w->number, io->offset, io->buffer, chunk, 0);
    return SOURCE_READY;
}

/* Counts a chunk that has been written, and writes the file back in pieces (io/file.h), in this
 * chunk's time. Otherwise the storage would idle until much of the file is in memory, and the
 * figure would first describe memory, and then the storage. */
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

/* Largest chunk with whose check no clock need be read: that takes a hundredth of its transfer. */
#define QUICK_BYTES 16384

/* rewrite: with a queue, many chunks are in flight at once, each at its own step. */
static enum transfer_answer rewrite_transferred(void *context, struct io *io)
{
    struct chunks *c = context;
    if (io->kind == IO_WRITE)
        return chunks_wrote(c, io);
    operation_check(&c->of, io);
    contents_fill(c->work->contents, c->work->number, io->offset, io->buffer, io->length, 1);
    io->kind = IO_WRITE;
    return OPERATION_CONTINUES;
}

/* Moves all chunks from lap_start on, or as many as the lap's time allows. Then syncs the file if
 * they wrote, and closes it, but not the queue, because closing an engine must not count as time of
 * the storage. Afterwards lap_start is the place where the lap ended. */
static int chunks_work(void *context, struct err *e)
{
    struct work *w = context;
    const bool reads = w->workload->reads;
    const bool writes = w->workload->written_percent > 0;
    struct chunks c = {.of = {w->plan, w->contents, w->corruption, w->number},
                       .work = w,
                       .next = w->lap_start,
                       .written = w->lap_start,
                       .e = e};
    const struct io_source source = {
        .next = chunks_next,
        .transferred = !writes ? operation_transferred
                       : reads ? rewrite_transferred
                               : chunks_wrote,
        .failed = writes ? NULL : operation_failed,
        .context = &c,
        .duration_ns = w->lap_ns,
        .is_quick =
            !writes && w->plan->verify != VERIFY_FULL && w->plan->data.chunk_bytes <= QUICK_BYTES,
    };
    int rc = io_queue_run(&w->queue, &source, &w->stats->ops, e);
    if (rc == 0 && writes)
        rc = io_queue_sync(&w->queue, 0, e);
    int closed = io_close(w->data.file, e);
    rc = rc ? rc : closed ? closed : c.rc;
    w->lap_start = c.next;
    if (reads && writes)
        w->contents->files[w->number].rewritten = c.next;
    if (reads && writes && c.next == w->data.bytes)
        contents_end_rewriting(w->contents, w->number);
    if (rc == 0 && !reads && plan_stores(w->plan))
        w->data.valid_bytes = c.next;
    return rc;
}

/* put_block and get_block go through the whole data set in chunks, once from the first to the last,
 * or for a time; rewrite reads, changes and writes back every chunk. */
#define CHUNKS(now, old)                                                                           \
    .title = now, .old_title = old, .item = ITEM_CHUNK, .uses_engine = true,                       \
    .task = {.prepare = chunks_prepare, .work = chunks_work}

const struct workload workload_put_block = {CHUNKS("Writing in chunks", "Writing intelligently"),
                                            .written_percent = 100};
const struct workload workload_get_block = {CHUNKS("Reading in chunks", "Reading intelligently"),
                                            .read_percent = 100, .reads = true, .shifts = true};
const struct workload workload_rewrite = {CHUNKS("Rewriting", "Rewriting"), .read_percent = 100,
                                          .written_percent = 100, .reads = true};
