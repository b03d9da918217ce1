#include <fcntl.h>

#include "bonnie/workloads/chunks.h"

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
    contents_fill(w->contents, w->number, io->offset, io->buffer, io->length);
    return SOURCE_READY;
}

static enum transfer_answer put_transferred(void *context, struct io *io)
{
    return chunks_wrote(context, io);
}

static int put_prepare(void *context, struct err *e)
{
    struct work *w = context;
    int rc = work_open_data(w, O_WRONLY, e);
    if (rc == 0 && plan_stores(w->plan) && w->plan->engine.depth > 1)
        rc = data_file_set_size(&w->data, e);
    return rc == 0 ? work_open_queue(w, e) : rc;
}

static int put_work(void *context, struct err *e)
{
    struct work *w = context;
    const struct io_source steps = {.next = put_next, .transferred = put_transferred};
    int rc = chunks_run(w, &steps, WORK_WRITES, e);
    if (rc == 0 && plan_stores(w->plan))
        w->data.valid_bytes = w->lap_start;
    return rc;
}

static enum transfer_answer get_transferred(void *context, struct io *io)
{
    chunks_check(context, io);
    return OPERATION_ENDED;
}

static int get_prepare(void *context, struct err *e)
{
    return chunks_open(context, O_RDONLY, e);
}

static int get_work(void *context, struct err *e)
{
    const struct io_source steps = {.next = chunks_next_read, .transferred = get_transferred};
    return chunks_run(context, &steps, WORK_READS, e);
}

const struct workload workload_put_block = {
    .title = "Writing in chunks",
    .unit = UNIT_CHUNK,
    .written_percent = 100,
    .uses_engine = true,
    .task = {.prepare = put_prepare, .work = put_work},
};

const struct workload workload_get_block = {
    .title = "Reading in chunks",
    .unit = UNIT_CHUNK,
    .read_percent = 100,
    .uses_engine = true,
    .reads = true,
    .shifts = true,
    .task = {.prepare = get_prepare, .work = get_work},
};
