#include <fcntl.h>

#include "workloads/workload.h"

/*
 * rewrite: every chunk is read, changed and written back to its place. With a queue, many chunks
 * are on their way at once, each at a step of its own.
 */

struct pass {
    struct work *work;
    uint64_t next; /* offset of the next chunk */
};

static enum source_answer next(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct pass *p = context;
    const struct work *w = p->work;
    if (p->next >= w->data.bytes)
        return SOURCE_ENDED;
    io->kind = IO_READ;
    io->file = 0;
    io->offset = p->next;
    io->length = w->plan->data.chunk_bytes;
    io->mark = contents_mark(w->contents, w->number, io->offset, io->length);
    p->next += io->length;
    return SOURCE_READY;
}

static bool transferred(void *context, struct io *io)
{
    struct work *w = ((struct pass *)context)->work;
    if (io->kind == IO_WRITE)
        return false;
    contents_check(w->contents, w->number, io->offset, io->buffer, io->length, io->mark,
                   &w->tally->findings);
    contents_fill_next(w->contents, w->number, io->offset, io->buffer, io->length);
    io->kind = IO_WRITE;
    return true;
}

static int prepare(void *context, struct err *e)
{
    struct work *w = context;
    int rc = work_open_data(w, O_RDWR, e);
    return rc == 0 ? work_open_queue(w, e) : rc;
}

static int work(void *context, struct err *e)
{
    struct work *w = context;
    struct pass pass = {.work = w};
    const struct io_source source = {.next = next, .transferred = transferred, .context = &pass};
    int rc = work_run_queue(w, &source, WORK_WRITES, e);
    w->contents->files[w->number].generation++;
    return rc;
}

const struct workload workload_rewrite = {
    .title = "Rewriting",
    .uses_engine = true,
    .reads = true,
    .job = {.prepare = prepare, .work = work},
};
