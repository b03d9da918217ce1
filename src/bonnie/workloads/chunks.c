#include "bonnie/workloads/chunks.h"

#include "io/file.h"

int chunks_open(struct work *w, int access, struct err *e)
{
    int rc = work_open_data(w, access, e);
    return rc == 0 ? work_open_queue(w, e) : rc;
}

bool chunks_next(struct chunks *c, struct io *io, enum io_kind kind)
{
    size_t chunk = c->work->plan->data.chunk_bytes;
    if (c->rc != 0 || c->next >= c->work->data.bytes)
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
    op_state(io)->version = contents_version(w->contents, w->number, io->offset, io->length);
    return SOURCE_READY;
}

void chunks_check(const struct chunks *c, const struct io *io)
{
    struct work *w = c->work;
    contents_check(w->contents, w->number, io->offset, io->buffer, io->length,
                   op_state(io)->version, w->corruption);
}

enum transfer_answer chunks_wrote(struct chunks *c, const struct io *io)
{
    const struct plan *p = c->work->plan;
    uint64_t begun = c->written / IO_PIECE * IO_PIECE;
    c->written += io->length;
    uint64_t ended = c->written / IO_PIECE * IO_PIECE;
    if (ended == begun || p->direct || p->sync || !plan_stores(p))
        return OPERATION_ENDED;
    /* with a queue, a chunk of the piece may still be in flight; the final sync writes it back */
    int rc = io_write_behind(c->work->data.file, begun, ended - begun, c->e);
    if (c->rc == 0)
        c->rc = rc;
    return OPERATION_ENDED_NOW;
}

int chunks_run(struct work *w, const struct io_source *steps, enum work_direction direction,
               struct err *e)
{
    struct chunks c = {.work = w, .next = w->lap_start, .written = w->lap_start, .e = e};
    const struct io_source source = {.next = steps->next,
                                     .transferred = steps->transferred,
                                     .context = &c,
                                     .duration_ns = w->lap_ns};
    int rc = work_run_queue(w, &source, direction, e);
    w->lap_start = c.next;
    return rc == 0 ? c.rc : rc;
}
