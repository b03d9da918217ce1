#include <fcntl.h>

#include "workloads/chunks.h"

/*
 * rewrite: every chunk is read, changed and written back to its place. With a queue, many chunks
 * are on their way at once, each at a step of its own.
 */

static bool transferred(void *context, struct io *io)
{
    struct chunks *c = context;
    if (io->kind == IO_WRITE) {
        chunks_wrote(c, io);
        return false;
    }
    chunks_check(c, io);
    contents_fill_next(c->work->contents, c->work->number, io->offset, io->buffer, io->length);
    io->kind = IO_WRITE;
    return true;
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
    w->contents->files[w->number].generation++;
    return rc;
}

const struct workload workload_rewrite = {
    .title = "Rewriting",
    .unit = UNIT_CHUNK,
    .read_percent = 100,
    .written_percent = 100,
    .uses_engine = true,
    .reads = true,
    .job = {.prepare = prepare, .work = work},
};
