#include <fcntl.h>
#include <math.h>

#include "util/permute.h"
#include "util/rng.h"
#include "workloads/workload.h"

/*
 * iops: reads and writes of one block at random places of the whole data set, for a fixed time.
 * Every worker goes to the files of all. A block that is being written is not written twice at
 * once.
 */

/* So many places are tried for a write before an operation in flight is waited for. */
#define DRAWS_AT_ONCE 8

/* The streams of random numbers that are not a worker's. */
#define SCATTER_KEY UINT64_C(0x696f7073)

/*
 * The blocks of all files, counted through. The first files may be a chunk longer than the others
 * (share_of).
 */
struct blocks {
    uint64_t longer; /* so many files have `in_longer` blocks, the others `in_others` */
    uint64_t in_longer;
    uint64_t in_others;
    uint64_t count;
};

/* One worker's part. */
struct iops {
    struct work *work;
    struct blocks blocks;
    struct rng rng;
    struct permutation scatter; /* which block has which rank in a Zipf distribution */
    bool is_write_due;          /* one was drawn that could not be placed yet */
    uint64_t deadline_ns;       /* 0: the clock has not been looked at yet */
};

static void count_blocks(struct blocks *b, const struct plan *p)
{
    uint64_t chunk = p->data.chunk_bytes;
    uint64_t each = p->data.chunks / p->workers;
    b->longer = p->data.chunks % p->workers;
    b->in_longer = (each + 1) * chunk / p->iops.block_bytes;
    b->in_others = each * chunk / p->iops.block_bytes;
    b->count = b->longer * b->in_longer + (p->workers - b->longer) * b->in_others;
}

/*
 * A rank from 0 on with the density of a power law, THETA its exponent, by inverting its cumulative
 * distribution over 1 .. count+1.
 */
static uint64_t zipf_rank(double uniform, double theta, uint64_t count)
{
    double end = (double)count + 1;
    double at = theta == 1 ? pow(end, uniform)
                           : pow(1 - uniform * (1 - pow(end, 1 - theta)), 1 / (1 - theta));
    uint64_t rank = (uint64_t)at - 1;
    return rank < count ? rank : count - 1;
}

static uint64_t draw_block(struct iops *i)
{
    double theta = i->work->plan->iops.theta;
    if (theta == 0)
        return rng_below(&i->rng, i->blocks.count);
    double uniform = (double)(rng_next(&i->rng) >> 11) * 0x1p-53;
    return permutation_at(&i->scatter, zipf_rank(uniform, theta, i->blocks.count));
}

static void place_block(const struct iops *i, uint64_t block, struct io *io)
{
    const struct blocks *b = &i->blocks;
    uint64_t in_longer = b->longer * b->in_longer;
    uint64_t bytes = i->work->plan->iops.block_bytes;
    if (block < in_longer) {
        io->file = (unsigned)(block / b->in_longer);
        io->offset = block % b->in_longer * bytes;
        return;
    }
    block -= in_longer;
    io->file = (unsigned)(b->longer + block / b->in_others);
    io->offset = block % b->in_others * bytes;
}

static bool draw_write(struct iops *i, struct io *io)
{
    struct contents *contents = i->work->contents;
    for (int draw = 0; draw < DRAWS_AT_ONCE; draw++) {
        place_block(i, draw_block(i), io);
        if (!contents_claim(contents, io->file, io->offset, io->length))
            continue;
        contents_fill(contents, io->file, io->offset, io->buffer, io->length);
        return true;
    }
    return false;
}

static enum source_answer next(void *context, struct io *io, uint64_t now_ns)
{
    struct iops *i = context;
    const struct iops_plan *p = &i->work->plan->iops;
    if (i->deadline_ns == 0)
        i->deadline_ns = now_ns + p->duration_ns;
    if (now_ns >= i->deadline_ns)
        return SOURCE_ENDED;
    io->length = p->block_bytes;
    io->changes =
        i->is_write_due || (p->write_percent > 0 && rng_below(&i->rng, 100) < p->write_percent);
    io->kind = io->changes ? IO_WRITE : IO_READ;
    if (io->changes) {
        i->is_write_due = !draw_write(i, io);
        return i->is_write_due ? SOURCE_LATER : SOURCE_READY;
    }
    place_block(i, draw_block(i), io);
    io->mark = contents_mark(i->work->contents, io->file, io->offset, io->length);
    return SOURCE_READY;
}

static bool transferred(void *context, struct io *io)
{
    struct work *w = ((struct iops *)context)->work;
    if (io->changes)
        contents_release(w->contents, io->file, io->offset, io->length);
    else
        contents_check(w->contents, io->file, io->offset, io->buffer, io->length, io->mark,
                       &w->tally->findings);
    return false;
}

static int prepare(void *context, struct err *e)
{
    return work_open_data(context, O_RDWR, e);
}

static int connect_files(void *context, struct err *e)
{
    struct work *w = context;
    const struct plan *p = w->plan;
    struct queue_setup setup = work_queue_setup(p, w->all_data, p->workers, p->iops.block_bytes);
    return queue_open(&w->queue, &setup, e);
}

/* Every worker syncs all files: what was written before its end is durable then. */
static int sync_all(struct work *w, struct err *e)
{
    int rc = 0;
    for (unsigned file = 0; rc == 0 && file < w->plan->workers; file++)
        rc = queue_sync(&w->queue, file, e);
    return rc;
}

static int work(void *context, struct err *e)
{
    struct work *w = context;
    const struct plan *p = w->plan;
    struct iops iops = {.work = w};
    const struct io_source source = {.next = next, .transferred = transferred, .context = &iops};
    count_blocks(&iops.blocks, p);
    rng_init(&iops.rng, p->seed, ~(uint64_t)w->number); /* tickets of the seeks count from 0 */
    permutation_init(&iops.scatter, iops.blocks.count, p->seed ^ SCATTER_KEY);
    int rc = queue_run(&w->queue, &source, &w->tally->samples, e);
    return rc == 0 && p->iops.write_percent > 0 ? sync_all(w, e) : rc;
}

const struct workload workload_iops = {
    .title = "Reading and writing at random places",
    .unit = UNIT_BLOCK,
    .uses_engine = true,
    .reads = true,
    .job = {.prepare = prepare, .connect = connect_files, .work = work},
};
