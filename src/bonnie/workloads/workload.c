// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/workloads/workload.h"

#include <fcntl.h>

#include "storage/page_cache.h"

static const struct workload *const workloads[TEST_COUNT] = {
    [TEST_PUTC] = &workload_putc,
    [TEST_PUT_BLOCK] = &workload_put_block,
    [TEST_REWRITE] = &workload_rewrite,
    [TEST_GETC] = &workload_getc,
    [TEST_GET_BLOCK] = &workload_get_block,
    [TEST_SEEKS] = &workload_seeks,
    [TEST_IOPS] = &workload_iops,
    [TEST_SEQ_CREATE] = &workload_seq_create,
    [TEST_SEQ_STAT] = &workload_seq_stat,
    [TEST_SEQ_DEL] = &workload_seq_del,
    [TEST_RAN_CREATE] = &workload_ran_create,
    [TEST_RAN_STAT] = &workload_ran_stat,
    [TEST_RAN_DEL] = &workload_ran_del,
};

const struct workload *workload_of(enum test_id test)
{
    return workloads[test];
}

bool workload_has_data(const struct workload *w)
{
    return w->item < ITEM_FILE;
}

uint64_t workload_operation_bytes(const struct workload *w, const struct plan *p)
{
    switch (w->item) {
    case ITEM_PERCHAR_CHUNK:
        return PERCHAR_CHUNK_BYTES;
    case ITEM_CHUNK:
    case ITEM_SEEK:
        return p->data.chunk_bytes;
    case ITEM_BLOCK:
        return p->iops.block_bytes;
    case ITEM_FILE:
        return p->files.max_bytes > 0 ? p->files.chunk_bytes : 0;
    case ITEM_NAME:
        break;
    }
    return 0;
}

uint64_t workload_duration_ns(const struct workload *w, const struct plan *p)
{
    switch (w->item) {
    case ITEM_BLOCK:
        return p->iops.duration_ns;
    case ITEM_CHUNK:
        return p->time_ns;
    default:
        return w->repeats ? p->min_time_ns : 0;
    }
}

bool workload_is_cut(const struct workload *w)
{
    return w->item == ITEM_BLOCK || w->item == ITEM_CHUNK;
}

/* Divides first, because bytes * percent may overflow. */
static uint64_t percent_of(uint64_t bytes, unsigned percent)
{
    return bytes / 100 * percent + bytes % 100 * percent / 100;
}

struct bytes_asked workload_asked(const struct workload *w, const struct plan *p, uint64_t bytes)
{
    if (w->item == ITEM_BLOCK) {
        uint64_t written = percent_of(bytes, p->iops.write_percent);
        return (struct bytes_asked){.read = bytes - written, .written = written};
    }
    return (struct bytes_asked){.read = percent_of(bytes, w->read_percent),
                                .written = percent_of(bytes, w->written_percent)};
}

int work_have_data(struct work *w, uint64_t bytes, struct err *e)
{
    struct data_file *d = &w->data;
    struct residency left; /* ignored: the residency that counts is that when the clock starts */
    int rc = data_file_fill(d, w->scratch, bytes, w->buffer, w->buffer_bytes, e);
    return rc == 0 && w->plan->settings->cache == CACHE_EVICT
               ? page_cache_evict(d->fd, d->name, &left, e)
               : rc;
}

int work_open_data(void *context, struct err *e)
{
    struct work *w = context;
    int access = !w->workload->reads                                                     ? O_WRONLY
                 : w->workload->read_percent == 100 && w->workload->written_percent == 0 ? O_RDONLY
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

int work_open_any_queue(struct io_queue *q, const struct io_queue_setup *setup,
                        struct worker_stats *stats, struct err *e)
{
    int rc = io_queue_open(q, setup, e);
    if (rc == 0 && !io_queue_has_buffers(q))
        stats->plain_queues++;
    return rc;
}

int work_open_queue(struct work *w, struct err *e)
{
    struct io_queue_setup setup =
        work_queue_setup(w->plan, w->data.file, 1, w->plan->data.chunk_bytes);
    setup.slow = w->slow;
    return work_open_any_queue(&w->queue, &setup, w->stats, e);
}

int work_run_queue(struct work *w, const struct io_source *source, enum work_direction direction,
                   struct err *e)
{
    int rc = io_queue_run(&w->queue, source, &w->stats->ops, e);
    if (rc == 0 && direction == WORK_WRITES)
        rc = io_queue_sync(&w->queue, 0, e);
    int closed = io_close(w->data.file, e);
    return rc ? rc : closed;
}

void work_release(struct work *w)
{
    struct err ignored = {0};
    io_queue_close(&w->queue);
    io_close(w->data.file, &ignored);
}
