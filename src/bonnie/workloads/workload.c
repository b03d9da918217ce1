// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/workloads/workload.h"

#include "storage/page_cache.h"

const struct workload *const workloads[TEST_COUNT] = {
    [TEST_PUTC] = &workload_putc,
    [TEST_PUT_BLOCK] = &workload_put_block,
    [TEST_REWRITE] = &workload_rewrite,
    [TEST_GETC] = &workload_getc,
    [TEST_GET_BLOCK] = &workload_get_block,
    [TEST_SEEKS] = &workload_seeks,
    [TEST_IOPS] = &workload_iops,
    [TEST_SEQ_CREATE] = &metadata_workloads[TEST_SEQ_CREATE - TEST_FIRST_METADATA],
    [TEST_SEQ_STAT] = &metadata_workloads[TEST_SEQ_STAT - TEST_FIRST_METADATA],
    [TEST_SEQ_DEL] = &metadata_workloads[TEST_SEQ_DEL - TEST_FIRST_METADATA],
    [TEST_RAN_CREATE] = &metadata_workloads[TEST_RAN_CREATE - TEST_FIRST_METADATA],
    [TEST_RAN_STAT] = &metadata_workloads[TEST_RAN_STAT - TEST_FIRST_METADATA],
    [TEST_RAN_DEL] = &metadata_workloads[TEST_RAN_DEL - TEST_FIRST_METADATA],
};

int work_have_data(struct work *w, uint64_t bytes, struct err *e)
{
    struct data_file *d = &w->data;
    struct residency left; /* ignored: the residency that counts is that when the clock starts */
    int rc = data_file_fill(d, w->scratch, bytes, w->buffer, w->buffer_bytes, e);
    return rc == 0 && w->plan->cache == CACHE_EVICT && !w->plan->is_device
               ? page_cache_evict(d->fd, d->name, &left, e)
               : rc;
}

int work_open_data(void *context, struct err *e)
{
    struct work *w = context;
    int access = !w->workload->reads ? O_WRONLY
                 : w->plan->reads_only ||
                         (w->workload->read_percent == 100 && w->workload->written_percent == 0)
                     ? O_RDONLY
                     : O_RDWR;
    int rc = 0;
    if (!plan_stores(w->plan))
        return 0;
    if (access != O_WRONLY)
        rc = work_have_data(w, w->data.bytes, e);
    else if (w->lap_start == 0)
        rc = data_file_empty(&w->data, w->scratch, e);
    return rc == 0 ? data_file_open(&w->data, access, USE_BLOCKS, e) : rc;
}

enum transfer_answer operation_transferred(void *operations, struct io *io)
{
    const struct operations *o = operations;
    if (io->kind == IO_WRITE) {
        contents_release(o->contents, io->file, io->offset, io->length);
        return OPERATION_ENDED;
    }
    operation_check(o, io);
    if (!op_state(io)->changes)
        return OPERATION_ENDED;
    contents_fill(o->contents, io->file, io->offset, io->buffer, io->length, 0);
    io->kind = IO_WRITE;
    return OPERATION_CONTINUES;
}

bool operation_failed(void *operations, const struct io *io, int code)
{
    const struct operations *o = operations;
    bool is_medium = code == EIO || code == ENODATA || code == EILSEQ;
    if (!o->plan->is_device || io->kind != IO_READ || op_state(io)->changes || !is_medium)
        return false;
    const struct corrupted_place place = {.file = o->contents->first_number + o->file + io->file,
                                          .offset = io->offset,
                                          .kind = CORRUPTION_UNREADABLE,
                                          .code = code};
    corruption_note(o->corruption, &place);
    return true;
}

struct io_queue_setup work_queue_setup(const struct plan *p, const struct io_file *files,
                                       unsigned file_count, size_t operation_bytes)
{
    return (struct io_queue_setup){
        .engine = p->engine.ops,
        .options = &p->engine.options,
        .depth = p->engine.depth,
        .buffer_bytes = operation_bytes,
        .user_bytes = sizeof(struct op_state),
        .files = files,
        .file_count = file_count,
    };
}

int work_open_queue(struct work *w, const struct io_file *files, unsigned file_count,
                    size_t operation_bytes, struct err *e)
{
    struct io_queue_setup setup = work_queue_setup(w->plan, files, file_count, operation_bytes);
    setup.slow = w->slow;
    int rc = io_queue_open(&w->queue, &setup, e);
    w->stats->plain_queues += rc == 0 && !io_queue_has_buffers(&w->queue);
    return rc;
}
