#include "workloads/chunks.h"

#include "io.h"

int chunks_open(struct work *w, int access, struct err *e)
{
    int rc = work_open_data(w, access, e);
    return rc == 0 ? work_open_queue(w, e) : rc;
}

bool chunks_next(struct chunks *c, struct io *io, enum io_kind kind)
{
    size_t chunk = c->work->plan->data.chunk_bytes;
    if (c->next >= c->work->data.bytes)
        return false;
    io->kind = kind;
    io->file = 0;
    io->offset = c->next;
    io->length = chunk;
    c->next += chunk;
    return true;
}

enum source_answer chunks_next_read(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct chunks *c = context;
    const struct work *w = c->work;
    if (!chunks_next(c, io, IO_READ))
        return SOURCE_ENDED;
    io->mark = contents_mark(w->contents, w->number, io->offset, io->length);
    return SOURCE_READY;
}

void chunks_check(const struct chunks *c, const struct io *io)
{
    struct work *w = c->work;
    contents_check(w->contents, w->number, io->offset, io->buffer, io->length, io->mark,
                   &w->tally->findings);
}

void chunks_wrote(struct chunks *c, const struct io *io)
{
    const struct plan *p = c->work->plan;
    uint64_t begun = c->written / IO_PIECE * IO_PIECE;
    c->written += io->length;
    if (c->written / IO_PIECE * IO_PIECE == begun || p->direct || p->sync || !plan_stores(p))
        return;
    /* With a queue a chunk of the piece may still be on its way: the last step of the test takes
     * it, and tells what fails. */
    struct err ignored;
    err_init(&ignored);
    io_write_back(c->work->data.file, begun, c->written - begun, &ignored);
}
