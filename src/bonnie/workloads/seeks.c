// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/workloads/seeks.h"

#include <fcntl.h>

#include "bonnie/workloads/workload.h"
#include "util/partition.h"
#include "util/rng.h"

/*
 * seeks: the workers only prepare their files. Forked seekers (phase.c) seek in all of these
 * files. The last step of the task syncs their changes and closes the file.
 */

/*
 * The source draws at most this number of chunks for a rewrite, until it finds one that no other
 * seeker is rewriting. If it finds none, it draws again later.
 */
#define DRAWS_AT_ONCE 8

struct seeker {
    const struct seeks *seeks;
    uint64_t ticket;
    bool has_ticket; /* has drawn a ticket that it has not used yet */
    struct rng rng;  /* random numbers of the current ticket */
};

/*
 * Draws a chunk for the ticket, and puts its place into *io. Returns false when no drawn chunk is
 * free now.
 */
static bool draw_chunk(struct seeker *s, struct io *io)
{
    const struct plan *p = s->seeks->plan;
    struct contents *contents = s->seeks->contents;
    for (int draw = 0; draw < DRAWS_AT_ONCE; draw++) {
        uint64_t chunk = rng_below(&s->rng, p->data.chunks);
        uint64_t file = partition_owner(p->data.chunks, p->workers, chunk);
        io->file = (unsigned)file;
        io->offset = chunk * p->data.chunk_bytes - contents->files[file].start;
        if (!op_state(io)->changes || contents_claim(contents, io->file, io->offset, io->length))
            return true;
    }
    return false;
}

static enum source_answer seeks_next(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct seeker *s = context;
    const struct plan *p = s->seeks->plan;
    if (!s->has_ticket) {
        s->ticket = atomic_fetch_add_explicit(s->seeks->next_ticket, 1, memory_order_relaxed);
        s->has_ticket = true;
        rng_init(&s->rng, s->seeks->seed, s->ticket);
    }
    if (s->ticket >= s->seeks->end_ticket)
        return SOURCE_ENDED;
    io->kind = IO_READ;
    io->length = p->data.chunk_bytes;
    op_state(io)->changes = s->ticket % REWRITE_EVERY == REWRITE_EVERY - 1;
    if (!draw_chunk(s, io))
        return SOURCE_LATER;
    s->has_ticket = false;
    op_state(io)->version = op_state(io)->changes ? CONTENTS_CLAIMED
                                                  : contents_version(s->seeks->contents, io->file,
                                                                     io->offset, io->length);
    return SOURCE_READY;
}

static enum transfer_answer seeks_transferred(void *context, struct io *io)
{
    const struct seeks *s = ((struct seeker *)context)->seeks;
    if (io->kind == IO_WRITE) {
        contents_release(s->contents, io->file, io->offset, io->length);
        return OPERATION_ENDED;
    }
    contents_check(s->contents, io->file, io->offset, io->buffer, io->length, op_state(io)->version,
                   s->corruption);
    if (!op_state(io)->changes)
        return OPERATION_ENDED;
    contents_fill(s->contents, io->file, io->offset, io->buffer, io->length);
    io->kind = IO_WRITE;
    return OPERATION_CONTINUES;
}

int seeks_run(const struct seeks *s, struct io_queue *q, struct op_stats *stats, struct err *e)
{
    struct seeker seeker = {.seeks = s};
    const struct io_source source = {.next = seeks_next,
                                     .transferred = seeks_transferred,
                                     .context = &seeker,
                                     .duration_ns = s->duration_ns};
    return io_queue_run(q, &source, stats, e);
}

static int seeks_prepare(void *context, struct err *e)
{
    return work_open_data(context, O_RDWR, e);
}

static int seeks_finish(void *context, struct err *e)
{
    struct work *w = context;
    int rc = plan_stores(w->plan) ? io_sync_pieces(w->data.file, e) : 0;
    int closed = data_file_close(&w->data, e);
    return rc ? rc : closed;
}

const struct workload workload_seeks = {
    .title = "Seeking",
    .old_title = "start 'em",
    .unit = UNIT_SEEK,
    .read_percent = 100,
    .written_percent = 100 / REWRITE_EVERY,
    .uses_engine = true,
    .reads = true,
    .shifts = true,
    .forked = true,
    .repeats = true,
    .task = {.prepare = seeks_prepare, .work = seeks_finish},
};
