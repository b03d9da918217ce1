#include <fcntl.h>

#include "bonnie/workloads/chunks.h"

/*
 * rewrite: every chunk is read, changed and written back to its place. With a queue, many chunks
 * are on their way at once, each at a step of its own.
 */

static enum transfer_answer transferred(void *context, struct io *io)
{
    struct chunks *c = context;
    if (io->kind == IO_WRITE)
        return chunks_wrote(c, io);
    chunks_check(c, io);
    contents_fill_next(c->work->contents, c->work->number, io->offset, io->buffer, io->length);
    io->kind = IO_WRITE;
    return OPERATION_CONTINUES;
}

static int prepare(void *context, struct err *e)
{
    return chunks_open(context, O_RDWR, e);
}

static int work(void *context, struct err *e)
{
    struct work *w = context;
    const struct io_source steps = {.next = chunks_next_read, .transferred = transferred};
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
    .task = {.prepare = prepare, .work = work},
};
