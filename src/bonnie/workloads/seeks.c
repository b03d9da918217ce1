// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "bonnie/run_context.h"
#include "sys/process_group.h"
#include "util/partition.h"
#include "util/rng.h"
#include "util/shared_memory.h"

/* The workers prepare their files, the seekers seek in all of them, and the workers sync them. */

/* Number of seeks of which one rewrites its chunk. */
#define REWRITE_EVERY 10

/* Draws for a rewrite, until no other seeker rewrites the chunk; more of them later. */
#define DRAWS_AT_ONCE 8

struct seekers {
    struct run_context *context;
    uint64_t *ticket;                  /* of the caller */
    uint64_t end_ticket;               /* first ticket that is not for these seekers */
    atomic_uint_fast64_t *next_ticket; /* in memory that all seekers share */
    struct process_group *group;
};

struct seeker {
    struct operations of;
    const struct seekers *all;
    uint64_t ticket;
    bool has_ticket; /* has drawn a ticket that it has not used yet */
    struct rng rng;  /* random numbers of the current ticket */
};

static enum source_answer seeks_next(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct seeker *s = context;
    const struct plan *p = s->of.plan;
    if (!s->has_ticket) {
        s->ticket = atomic_fetch_add_explicit(s->all->next_ticket, 1, memory_order_relaxed);
        s->has_ticket = true;
        rng_init(&s->rng, s->all->context->work->seed, s->ticket);
    }
    if (s->ticket >= s->all->end_ticket)
        return SOURCE_ENDED;
    io->kind = IO_READ;
    io->length = p->data.chunk_bytes;
    op_state(io)->changes = !p->reads_only && s->ticket % REWRITE_EVERY == REWRITE_EVERY - 1;
    bool is_free = false;
    for (int draw = 0; !is_free && draw < DRAWS_AT_ONCE; draw++) {
        uint64_t chunk = rng_below(&s->rng, p->data.chunks);
        uint64_t file = partition_owner(p->data.chunks, p->workers, chunk);
        io->file = (unsigned)file;
        io->offset = chunk * p->data.chunk_bytes - s->of.contents->files[file].start;
        is_free = !op_state(io)->changes ||
                  contents_claim(s->of.contents, io->file, io->offset, io->length);
    }
    if (!is_free)
        return SOURCE_LATER;
    s->has_ticket = false;
    op_state(io)->version =
        op_state(io)->changes ? CONTENTS_CLAIMED
                              : contents_version(s->of.contents, io->file, io->offset, io->length);
    return SOURCE_READY;
}

/* What each seeker does. Its queue has the data files of all workers. */
static int run_seeker(void *context, unsigned number, struct process_member *self, struct err *e)
{
    const struct seekers *s = context;
    struct run_context *r = s->context;
    const struct plan *p = r->plan;
    struct worker_stats *stats = &r->stats.workers[number];
    struct seeker seeker = {.of = {p, &r->contents, &r->corruption[number], 0}, .all = s};
    const struct io_source source = {.next = seeks_next,
                                     .transferred = operation_transferred,
                                     .failed = operation_failed,
                                     .context = &seeker,
                                     .duration_ns = r->work->lap_ns};
    const struct io_queue_setup setup =
        work_queue_setup(p, r->data, p->workers, p->data.chunk_bytes);
    struct io_queue queue;

    close(r->scratch.owner_fd); /* only the parent may keep the lock */
    int rc = io_queue_open(&queue, &setup, e);
    stats->plain_queues += rc == 0 && !io_queue_has_buffers(&queue);
    if (rc == 0)
        rc = process_member_ready(self);
    return rc == 0 ? io_queue_run(&queue, &source, &stats->ops, e) : rc;
}

void seekers_release(struct seekers *s)
{
    if (!s)
        return;
    process_group_release(s->group);
    shared_memory_unmap((void *)s->next_ticket, sizeof *s->next_ticket);
    free(s);
}

int seekers_start(struct seekers **out, struct run_context *r, uint64_t *ticket, struct err *e)
{
    const struct plan *p = r->plan;
    struct seekers *s = calloc(1, sizeof *s);
    if (!s)
        return err_system(e, ENOMEM, "allocate memory for %u seekers", p->data.seekers);
    s->context = r;
    s->ticket = ticket;
    s->end_ticket = r->work->lap_ns > 0 ? UINT64_MAX : *ticket + p->data.seeks;
    const struct process_group_setup group = {.name = "seeker",
                                              .count = p->data.seekers,
                                              .body = run_seeker,
                                              .context = s,
                                              .poller = r->poller};
    int rc = shared_memory_map((void **)&s->next_ticket, sizeof *s->next_ticket, e);
    if (rc == 0) {
        *s->next_ticket = *ticket;
        rc = process_group_start(&s->group, &group, e);
    }
    if (rc == 0)
        *out = s;
    else
        seekers_release(s);
    return rc;
}

int seekers_work(struct seekers *s, struct task_times *times, struct err *e)
{
    int rc = process_group_work(s->group, times, e);
    uint64_t next = *s->next_ticket;
    *s->ticket = next < s->end_ticket ? next : s->end_ticket;
    return rc;
}

static int seeks_finish(void *context, struct err *e)
{
    struct work *w = context;
    int rc = plan_stores(w->plan) && !w->plan->reads_only ? io_sync_pieces(w->data.file, e) : 0;
    int closed = io_close(w->data.file, e);
    return rc ? rc : closed;
}

const struct workload workload_seeks = {
    .title = "Seeking",
    .old_title = "start 'em",
    .item = ITEM_SEEK,
    .read_percent = 100,
    .written_percent = 100 / REWRITE_EVERY,
    .uses_engine = true,
    .reads = true,
    .shifts = true,
    .forked = true,
    .repeats = true,
    .task = {.prepare = work_open_data, .work = seeks_finish},
};
