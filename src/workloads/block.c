#include <fcntl.h>

#include "workloads/workload.h"

/* put_block and get_block: the whole data set in chunks, from the first to the last. */

/* The way through one file. */
struct pass {
    struct work *work;
    uint64_t next; /* offset of the next chunk */
};

/* The next chunk, or false at the end of the file. */
static bool next_chunk(struct pass *p, struct io *io, enum io_kind kind)
{
    size_t chunk = p->work->plan->data.chunk_bytes;
    if (p->next >= p->work->data.bytes)
        return false;
    io->kind = kind;
    io->file = 0;
    io->offset = p->next;
    io->length = chunk;
    p->next += chunk;
    return true;
}

static enum source_answer put_next(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct pass *p = context;
    const struct work *w = p->work;
    if (!next_chunk(p, io, IO_WRITE))
        return SOURCE_ENDED;
    contents_fill(w->contents, w->number, io->offset, io->buffer, io->length);
    return SOURCE_READY;
}

static bool put_transferred(void *context, struct io *io)
{
    (void)context, (void)io;
    return false;
}

static int put_prepare(void *context, struct err *e)
{
    struct work *w = context;
    int rc = work_open_data(w, O_WRONLY, e);
    if (rc == 0 && plan_stores(w->plan) && w->plan->engine.depth > 1)
        rc = datafile_set_size(&w->data, e);
    return rc == 0 ? work_open_queue(w, e) : rc;
}

static int put_work(void *context, struct err *e)
{
    struct work *w = context;
    struct pass pass = {.work = w};
    const struct io_source source = {
        .next = put_next, .transferred = put_transferred, .context = &pass};
    int rc = work_run_queue(w, &source, WORK_WRITES, e);
    if (rc == 0 && plan_stores(w->plan))
        w->data.valid_bytes = w->data.bytes;
    return rc;
}

static enum source_answer get_next(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct pass *p = context;
    const struct work *w = p->work;
    if (!next_chunk(p, io, IO_READ))
        return SOURCE_ENDED;
    io->mark = contents_mark(w->contents, w->number, io->offset, io->length);
    return SOURCE_READY;
}

static bool get_transferred(void *context, struct io *io)
{
    struct work *w = ((struct pass *)context)->work;
    contents_check(w->contents, w->number, io->offset, io->buffer, io->length, io->mark,
                   &w->tally->findings);
    return false;
}

static int get_prepare(void *context, struct err *e)
{
    struct work *w = context;
    int rc = work_open_data(w, O_RDONLY, e);
    return rc == 0 ? work_open_queue(w, e) : rc;
}

static int get_work(void *context, struct err *e)
{
    struct work *w = context;
    struct pass pass = {.work = w};
    const struct io_source source = {
        .next = get_next, .transferred = get_transferred, .context = &pass};
    return work_run_queue(w, &source, WORK_READS, e);
}

const struct workload workload_put_block = {
    .title = "Writing in chunks",
    .uses_engine = true,
    .job = {.prepare = put_prepare, .work = put_work},
};

const struct workload workload_get_block = {
    .title = "Reading in chunks",
    .uses_engine = true,
    .reads = true,
    .job = {.prepare = get_prepare, .work = get_work},
};
