#include <fcntl.h>

#include "bonnie/workloads/chunks.h"

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
    contents_fill_next(c->work->contents, c->work->number, io->offset, io->buffer, io->length);
    io->kind = IO_WRITE;
    return OPERATION_CONTINUES;
}

static int rewrite_prepare(void *context, struct err *e)
{
    return chunks_open(context, O_RDWR, e);
}

static int rewrite_work(void *context, struct err *e)
{
    struct work *w = context;
    const struct io_source steps = {.next = chunks_next_read, .transferred = rewrite_transferred};
    int rc = chunks_run(w, &steps, WORK_WRITES, e);
    w->contents->files[w->number].rewritten = w->lap_start;
    if (w->lap_start == w->data.bytes)
        contents_end_rewriting(w->contents, w->number);
    return rc;
}

const struct workload workload_rewrite = {
    .title = "Rewriting",
    .unit = UNIT_CHUNK,
    .read_percent = 100,
    .written_percent = 100,
    .uses_engine = true,
    .reads = true,
    .task = {.prepare = rewrite_prepare, .work = rewrite_work},
};
