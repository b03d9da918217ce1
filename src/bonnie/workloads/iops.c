// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "bonnie/workloads/workload.h"
#include "util/rng.h"

/* iops: reads and writes single blocks at random places in the files of all workers, for a fixed
 * time. No two operations write the same block at the same time. */

/* Draws for a write, until no other operation writes the block; more when one has ended. */
#define DRAWS_AT_ONCE 8
/* Key of the permutation that scatters ranks of a Zipf distribution over the blocks. */
#define SCATTER_KEY UINT64_C(0x696f7073)

/* The blocks of all files, in order. The first files may be a chunk longer (partition_of). */
struct blocks {
    uint64_t longer; /* number of files with `in_longer` blocks; the others have `in_others` */
    uint64_t in_longer;
    uint64_t in_others;
    uint64_t count;
};

/* The state of one worker in this test. */
struct iops {
    struct operations of;
    struct work *work;
    struct blocks blocks;
    struct rng rng;
    struct permutation scatter; /* maps ranks in a Zipf distribution to blocks */
    uint64_t left;              /* number of operations that may still begin */
    bool is_write_due;          /* a write is due, but no free block has been drawn for it yet */
};

/* Draws a block, and puts its place into *io. */
static void draw_block(struct iops *i, struct io *io)
{
    const struct blocks *b = &i->blocks;
    const uint64_t bytes = i->work->plan->iops.block_bytes;
    const double theta = i->work->plan->iops.theta;
    uint64_t block;
    if (theta == 0) {
        block = rng_below(&i->rng, b->count);
    } else {
        /* a rank from a power law: the distribution over 1 .. count+1 inverted */
        double uniform = (double)(rng_next(&i->rng) >> 11) * 0x1p-53;
        double end = (double)b->count + 1;
        double at = theta == 1 ? pow(end, uniform)
                               : pow(1 - uniform * (1 - pow(end, 1 - theta)), 1 / (1 - theta));
        uint64_t rank = (uint64_t)at - 1; /* counts from 0 */
        block = permutation_at(&i->scatter, MIN(rank, b->count - 1));
    }
    uint64_t in_longer = b->longer * b->in_longer;
    if (block < in_longer) {
        io->file = (unsigned)(block / b->in_longer);
        io->offset = block % b->in_longer * bytes;
    } else {
        block -= in_longer;
        io->file = (unsigned)(b->longer + block / b->in_others);
        io->offset = block % b->in_others * bytes;
    }
}

static enum source_answer iops_next(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct iops *i = context;
    const struct iops_plan *p = &i->work->plan->iops;
    struct contents *contents = i->work->contents;
    if (i->left == 0)
        return SOURCE_ENDED;
    io->length = p->block_bytes;
    bool writes =
        i->is_write_due || (p->write_percent > 0 && rng_below(&i->rng, 100) < p->write_percent);
    io->kind = writes ? IO_WRITE : IO_READ;
    if (writes) {
        i->is_write_due = true;
        for (int draw = 0; i->is_write_due && draw < DRAWS_AT_ONCE; draw++) {
            draw_block(i, io);
            i->is_write_due = !contents_claim(contents, io->file, io->offset, io->length);
        }
        if (i->is_write_due)
            return SOURCE_LATER;
        contents_fill(contents, io->file, io->offset, io->buffer, io->length, 0);
    } else {
        draw_block(i, io);
        op_state(io)->version = contents_version(contents, io->file, io->offset, io->length);
    }
    i->left--;
    return SOURCE_READY;
}

static int connect_files(void *context, struct err *e)
{
    struct work *w = context;
    const struct plan *p = w->plan;
    return work_open_queue(w, w->all_data, p->workers, p->iops.block_bytes, e);
}

static int iops_work(void *context, struct err *e)
{
    struct work *w = context;
    const struct plan *p = w->plan;
    uint64_t most = p->iops.most_ops;
    struct iops iops = {
        .of = {p, w->contents, w->corruption, 0}, .work = w, .left = most > 0 ? most : UINT64_MAX};
    const struct io_source source = {.next = iops_next,
                                     .transferred = operation_transferred,
                                     .failed = operation_failed,
                                     .context = &iops,
                                     .duration_ns = w->lap_ns};
    struct blocks *b = &iops.blocks;
    uint64_t each = p->data.chunks / p->workers;
    b->longer = p->data.chunks % p->workers;
    b->in_longer = (each + 1) * p->data.chunk_bytes / p->iops.block_bytes;
    b->in_others = each * p->data.chunk_bytes / p->iops.block_bytes;
    b->count = b->longer * b->in_longer + (p->workers - b->longer) * b->in_others;
    /* streams count down from the largest number, because the tickets of the seeks count up */
    rng_init(&iops.rng, w->seed, ~((uint64_t)w->lap * p->workers + w->number));
    permutation_init(&iops.scatter, iops.blocks.count, w->seed ^ SCATTER_KEY);
    return io_queue_run(&w->queue, &source, &w->stats->ops, e);
}

/* Syncs the worker's own file, when all writes of all workers have ended. */
static int iops_finish(void *context, struct err *e)
{
    struct work *w = context;
    return w->plan->iops.write_percent > 0 ? io_queue_sync(&w->queue, w->number, e) : 0;
}

const struct workload workload_iops = {
    .title = "Reading and writing at random places",
    .item = ITEM_BLOCK,
    .uses_engine = true,
    .reads = true,
    .shifts = true,
    .task = {.prepare = work_open_data,
             .connect = connect_files,
             .work = iops_work,
             .finish = iops_finish},
};
