#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "queue.h"

static int check_space(const struct plan *p, struct err *e)
{
    struct scratch_space space;
    int rc = scratch_space(p->directory, &space, e);
    if (rc != 0)
        return rc;
    uint64_t bytes = plan_bytes_needed(p, space.block_bytes);
    uint64_t files = plan_files_needed(p, space.links_are_files);
    if (space.bytes < bytes)
        return err_say(e, "%s: %" PRIu64 " MiB are needed, %" PRIu64 " MiB are free", p->directory,
                       (bytes >> 20) + (bytes % (1 << 20) > 0), space.bytes >> 20);
    if (space.files < files)
        return err_say(e, "%s: %" PRIu64 " files are needed, %" PRIu64 " can be made", p->directory,
                       files, space.files);
    return 0;
}

/* Direct I/O asks for whole device blocks. */
static int check_alignment(const struct plan *p, uint32_t alignment, struct err *e)
{
    if (p->data.chunk_bytes % alignment != 0)
        return err_say(e,
                       "-s (--size): direct I/O on %s asks for chunks of a multiple of %" PRIu32
                       " bytes, %" PRIu64 " is none",
                       p->directory, alignment, p->data.chunk_bytes);
    if (p->tests[TEST_IOPS] && p->iops.block_bytes % alignment != 0)
        return err_say(e,
                       "--iops-block: direct I/O on %s asks for a multiple of %" PRIu32
                       " bytes, %" PRIu64 " is none",
                       p->directory, alignment, p->iops.block_bytes);
    return 0;
}

/* One block, written and read through the engine: what does not work is to be known beforehand. */
struct trial {
    size_t bytes;
    bool is_done;
};

static enum source_answer try_next(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct trial *trial = context;
    if (trial->is_done)
        return SOURCE_ENDED;
    trial->is_done = true;
    io->kind = IO_WRITE;
    io->file = 0;
    io->offset = 0;
    io->length = trial->bytes;
    return SOURCE_READY;
}

static bool try_transferred(void *context, struct io *io)
{
    (void)context;
    bool was_written = io->kind == IO_WRITE;
    io->kind = IO_READ;
    return was_written;
}

/* Adds to a failure which of the settings may be at fault. */
static int explain_engine(const struct plan *p, struct err *e)
{
    struct err reason = *e;
    const struct engine_options *o = &p->engine.options;
    bool polls = strcmp(p->engine.ops->name, "io_uring") == 0 && o->uring.iopoll;
    if (!polls || reason.code == EINTR)
        return -reason.code;
    err_init(e);
    return err_say(e, "--uring=iopoll: it takes -D and a device that can be polled: %s",
                   reason.text);
}

static int try_engine(struct rig *r, int fd, uint32_t alignment, struct err *e)
{
    const struct io_file file = {.fd = fd, .name = r->plan->directory};
    struct trial trial = {.bytes = alignment > QUEUE_ALIGNMENT ? alignment : QUEUE_ALIGNMENT};
    const struct queue_setup setup = work_queue_setup(r->plan, &file, 1, trial.bytes);
    const struct io_source source = {
        .next = try_next, .transferred = try_transferred, .context = &trial};
    struct queue queue;
    int rc = queue_open(&queue, &setup, e);
    if (rc == 0)
        rc = queue_run(&queue, &source, &r->total.samples, e);
    queue_close(&queue);
    return rc == 0 ? 0 : explain_engine(r->plan, e);
}

/* Whether block tests can work here: with O_DIRECT if they are to, and with that engine. */
static int check_data_file(struct rig *r, struct err *e)
{
    const struct plan *p = r->plan;
    if (p->data.bytes == 0 || !plan_stores(p))
        return 0;
    int fd = scratch_make_data_file(&r->scratch, 0, e);
    if (fd < 0)
        return fd;
    uint32_t alignment = scratch_direct_alignment(fd);
    int opened = scratch_reopen(fd, O_RDWR | (p->direct ? O_DIRECT : 0), p->directory, e);
    close(fd);
    if (opened < 0)
        return opened;
    int rc = p->direct ? check_alignment(p, alignment, e) : 0;
    if (rc == 0)
        rc = try_engine(r, opened, alignment, e);
    close(opened);
    return rc;
}

static int check_engine(const struct plan *p, struct err *e)
{
    struct err reason;
    err_init(&reason);
    if (p->data.bytes == 0 || p->engine.ops->available(&reason) == 0)
        return 0;
    return err_say(e, "--engine=%s: %s", p->engine.ops->name, reason.text);
}

/* Data files that a test finds missing are filled in pieces of this. */
#define FILL_BYTES 262144

static size_t buffer_size(const struct plan *p)
{
    uint64_t data = p->data.bytes > 0 ? FILL_BYTES : 0;
    uint64_t file =
        p->files.max_bytes < p->files.chunk_bytes ? p->files.max_bytes : p->files.chunk_bytes;
    uint64_t larger = data > file ? data : file;
    return larger < QUEUE_ALIGNMENT ? QUEUE_ALIGNMENT : (size_t)larger;
}

/* What the data files hold, as far as it is the same for all workers. */
static int make_contents(struct rig *r, struct err *e)
{
    const struct plan *p = r->plan;
    pattern_init(&r->pattern, p->contents, p->compress_percent,
                 pattern_unit_for(p->data.change_bytes), p->seed);
    r->contents = (struct contents){
        .pattern = &r->pattern,
        .verify = p->verify,
        .block_bytes = p->data.change_bytes,
        .files = calloc(p->workers, sizeof *r->contents.files),
    };
    if (!r->contents.files)
        return err_system(e, ENOMEM, "memory for %u workers", p->workers);
    if (p->data.bytes == 0 || !plan_changes_blocks(p))
        return 0;
    return generations_open(&r->contents.changes,
                            p->data.chunks * (p->data.chunk_bytes / p->data.change_bytes), e);
}

static int make_worker(struct rig *r, unsigned number, size_t buffer_bytes, struct err *e)
{
    const struct plan *p = r->plan;
    struct work *w = &r->work[number];
    void *buffer = NULL;
    if (posix_memalign(&buffer, QUEUE_ALIGNMENT, buffer_bytes) != 0)
        return err_system(e, ENOMEM, "buffer of %zu bytes", buffer_bytes);
    memset(buffer, 0, buffer_bytes); /* have the memory there before the clock runs */
    *w = (struct work){.plan = p,
                       .scratch = &r->scratch,
                       .contents = &r->contents,
                       .number = number,
                       .buffer = buffer,
                       .buffer_bytes = buffer_bytes,
                       .tally = &r->board.tallies[number],
                       .all_data = r->data};
    datafile_init(&w->data, p, number, &r->data[number], &r->contents);
    fileset_init(&w->files, p, &r->scratch, &r->pattern, number, w->buffer);
    return 0;
}

static int make_workers(struct rig *r, struct err *e)
{
    unsigned count = r->plan->workers;
    size_t bytes = buffer_size(r->plan);
    r->work = calloc(count, sizeof *r->work);
    r->data = calloc(count, sizeof *r->data);
    if (!r->work || !r->data)
        return err_system(e, ENOMEM, "memory for %u workers", count);
    unsigned places = count > r->plan->data.seekers ? count : r->plan->data.seekers;
    int rc = board_open(&r->board, places, e);
    for (unsigned i = 0; rc == 0 && i < count; i++)
        rc = make_worker(r, i, bytes, e);
    return rc;
}

static int start_pool(struct rig *r, struct err *e)
{
    unsigned count = r->plan->workers;
    void **contexts = calloc(count, sizeof *contexts);
    if (!contexts)
        return err_system(e, ENOMEM, "memory for %u workers", count);
    for (unsigned i = 0; i < count; i++)
        contexts[i] = &r->work[i];
    int rc = pool_start(&r->pool, count, contexts, e);
    free(contexts);
    return rc;
}

int rig_open(struct rig *r, const struct plan *p, struct dropper *dropper,
             struct coordinator *coordinator, struct err *e)
{
    *r = (struct rig){
        .plan = p,
        .dropper = dropper,
        .coordinator = coordinator,
    };
    progress_init(&r->progress, p->quiet);
    int rc = check_engine(p, e);
    if (rc == 0)
        rc = check_space(p, e);
    if (rc == 0)
        rc = scratch_open(&r->scratch, p->directory, e);
    if (rc != 0)
        return rc;
    place_find(&r->place, r->scratch.fd);
    device_find(&r->devices, &r->place);
    rc = check_data_file(r, e);
    if (rc == 0)
        rc = make_contents(r, e);
    if (rc == 0)
        rc = make_workers(r, e);
    if (rc == 0)
        rc = start_pool(r, e);
    if (rc != 0)
        rig_close(r, e);
    return rc;
}

int rig_close(struct rig *r, struct err *e)
{
    int rc = 0;
    pool_end(&r->pool);
    for (unsigned i = 0; r->work && i < r->plan->workers; i++) {
        struct work *w = &r->work[i];
        if (!w->buffer)
            continue; /* making the workers ended here */
        datafile_release(&w->data);
        int one = fileset_release(&w->files, e);
        rc = rc ? rc : one;
        free(w->buffer);
    }
    free(r->work);
    free(r->data);
    free(r->contents.files);
    generations_close(&r->contents.changes);
    board_close(&r->board);
    r->work = NULL;
    int closed = scratch_close(&r->scratch, e);
    return rc ? rc : closed;
}
