#include "queue.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "measure/clock.h"
#include "stop.h"

/*
 * Operations are submitted together, with one look at the clock and, where the engine queues, with
 * one system call; but not more than so many bytes at once: while a source fills the next buffer,
 * the device is to have something to do.
 */
#define BURST_BYTES 262144

#define HUGE_PAGE       ((size_t)2 << 20) /* of x86-64 and of most other systems with pages of 4 KiB */
#define HUGE_FROM_BYTES ((size_t)1 << 20)

/* One operation, as long as it takes: all of its transfers. */
struct operation {
    struct io io;      /* first: an engine's struct io is its operation */
    uint64_t start_ns; /* its first transfer was submitted; 0: not yet */
    size_t moved;      /* of the present transfer */
};

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Takes `bytes` off the front of the memory. */
static void *take(unsigned char **memory, size_t bytes)
{
    void *part = *memory;
    *memory += round_up(bytes, _Alignof(max_align_t));
    return part;
}

/*
 * Large buffers lie in huge pages where the system has any to give: a device is handed one piece of
 * memory then, and not one for each 4 KiB, which many devices take only so many of at a time.
 */
static unsigned char *place_buffers(void *memory, size_t bytes)
{
    unsigned char *buffers = memory;
    if (bytes < HUGE_FROM_BYTES)
        return buffers;
    buffers += round_up((uintptr_t)memory, HUGE_PAGE) - (uintptr_t)memory;
    madvise(buffers, round_up(bytes, HUGE_PAGE), MADV_HUGEPAGE); /* or not: it works all the same */
    return buffers;
}

static int map_memory(struct queue *q, struct err *e)
{
    size_t depth = q->setup.depth;
    size_t buffer = round_up(q->setup.buffer_bytes, QUEUE_ALIGNMENT);
    size_t state = q->setup.engine->state_bytes(q->setup.depth);
    size_t lists = depth * (sizeof *q->operations + 2 * sizeof *q->unused + sizeof *q->done);
    size_t used = depth * buffer + state + lists + 8 * _Alignof(max_align_t);
    q->memory_bytes = used + 2 * HUGE_PAGE; /* address space: what is not touched takes no memory */
    void *memory =
        mmap(NULL, q->memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return err_system(e, errno, "%zu bytes of buffers", used);
    q->memory = memory;
    q->buffers = place_buffers(memory, depth * buffer);
    memset(q->buffers, 0, used); /* have it there now, and not in the first operations */
    unsigned char *next = q->buffers + depth * buffer;
    q->state = take(&next, state);
    q->operations = take(&next, depth * sizeof *q->operations);
    q->unused = take(&next, depth * sizeof *q->unused);
    q->staged = take(&next, depth * sizeof *q->staged);
    q->done = take(&next, depth * sizeof *q->done);
    for (size_t i = 0; i < depth; i++) {
        q->operations[i].io.buffer = q->buffers + i * buffer;
        q->unused[q->unused_count++] = &q->operations[i];
    }
    return 0;
}

int queue_open(struct queue *q, const struct queue_setup *setup, struct err *e)
{
    *q = (struct queue){.setup = *setup};
    int rc = map_memory(q, e);
    if (rc != 0)
        return rc;
    const struct engine_setup engine = {
        .depth = setup->depth,
        .files = q->setup.files,
        .file_count = setup->file_count,
        .buffers = q->buffers,
        .buffers_bytes = setup->depth * round_up(setup->buffer_bytes, QUEUE_ALIGNMENT),
        .options = setup->options,
    };
    rc = setup->engine->open(q->state, &engine, e);
    q->is_open = rc == 0;
    if (rc != 0)
        queue_close(q);
    return rc;
}

void queue_close(struct queue *q)
{
    if (q->is_open)
        q->setup.engine->close(q->state);
    if (q->memory)
        munmap(q->memory, q->memory_bytes);
    *q = (struct queue){0};
}

int queue_sync(struct queue *q, unsigned file, struct err *e)
{
    const struct io_file *f = &q->setup.files[file];
    if (!q->setup.engine->durable)
        return io_sync_pieces(f, e);
    int rc = q->setup.engine->durable(q->state, file);
    return rc == 0 ? 0 : err_system(e, -rc, "make %s durable", f->name);
}

/* One pass over all operations of a source. */
struct pass {
    struct queue *q;
    const struct io_source *source;
    struct samples *samples;
    uint64_t now_ns; /* the last look at the clock */
    bool has_ended;  /* the source */
};

static int fail(const struct queue *q, const struct io *io, int code, const char *more,
                struct err *e)
{
    static const char *const verbs[] = {[IO_READ] = "read", [IO_WRITE] = "write"};
    return err_system(e, code, "%s %s at %" PRIu64 "%s", verbs[io->kind],
                      q->setup.files[io->file].name, io->offset, more);
}

/* Moves io's window over what is left of it, or back over the whole when all is done. */
static void advance(struct operation *o, size_t bytes)
{
    o->io.buffer += bytes;
    o->io.offset += bytes;
    o->io.length -= bytes;
    o->moved += bytes;
}

static void rewind_transfer(struct operation *o)
{
    o->io.buffer -= o->moved;
    o->io.offset -= o->moved;
    o->io.length += o->moved;
    o->moved = 0;
}

static void stage(struct queue *q, struct operation *o)
{
    q->staged[q->staged_count++] = o;
}

static void end_operation(struct pass *p, struct operation *o)
{
    samples_add(p->samples, p->now_ns - o->start_ns + o->io.waited_ns, o->io.length);
    o->io.waited_ns = 0;
    o->start_ns = 0;
    p->q->unused[p->q->unused_count++] = o;
}

/*
 * A transfer has come back: the operation has ended, or is staged again for what is left of it or
 * for its next transfer.
 */
static int settle(struct pass *p, struct operation *o, struct err *e)
{
    ssize_t result = o->io.result;
    if (result == (ssize_t)o->io.length) {
        if (o->moved > 0)
            rewind_transfer(o);
        if (p->source->transferred(p->source->context, &o->io))
            stage(p->q, o);
        else
            end_operation(p, o);
        return 0;
    }
    if (result < 0 && result != -EINTR)
        return fail(p->q, &o->io, (int)-result, "", e);
    if (result == 0) /* would go on for ever */
        return fail(p->q, &o->io, EIO, ": nothing moved", e);
    if (result > 0)
        advance(o, (size_t)result);
    stage(p->q, o);
    return 0;
}

/* Stages the next operations of the source, as many as make up a burst. */
static void fill(struct pass *p)
{
    struct queue *q = p->q;
    size_t bytes = 0;
    while (q->unused_count > 0 && !p->has_ended && bytes < BURST_BYTES) {
        struct operation *o = q->unused[q->unused_count - 1];
        enum source_answer answer = p->source->next(p->source->context, &o->io, p->now_ns);
        p->has_ended = answer == SOURCE_ENDED;
        if (answer != SOURCE_READY)
            return;
        q->unused_count--;
        bytes += o->io.length;
        stage(q, o);
    }
}

/* A synchronous engine has one operation: it is taken through all its transfers here. */
static int complete_at_once(struct pass *p, struct operation *o, struct err *e)
{
    p->now_ns = clock_ns();
    return settle(p, o, e);
}

/* Submits what is staged, as far as the engine takes it. */
static int submit_staged(struct pass *p, struct err *e)
{
    struct queue *q = p->q;
    const struct engine_ops *engine = q->setup.engine;
    unsigned count = q->staged_count;
    unsigned taken = 0;
    int rc = 0;
    p->now_ns = clock_ns();
    q->staged_count = 0; /* what settles below is staged from the start again */
    while (rc == 0 && taken < count) {
        struct operation *o = q->staged[taken];
        if (o->start_ns == 0)
            o->start_ns = p->now_ns;
        enum engine_answer answer = engine->submit(q->state, &o->io);
        if (answer == ENGINE_BUSY)
            break;
        taken++;
        if (answer == ENGINE_QUEUED)
            q->in_flight++;
        else
            rc = complete_at_once(p, o, e);
    }
    for (; taken < count; taken++)
        stage(q, q->staged[taken]);
    return rc;
}

/* Reaps what is complete; waits for one when there is nothing else to do. */
static int reap(struct pass *p, unsigned least, struct err *e)
{
    struct queue *q = p->q;
    int count = q->setup.engine->wait(q->state, least, q->done, q->setup.depth);
    if (count == -EINTR)
        return 0; /* if it is to stop, the caller sees that */
    if (count < 0)
        return err_system(e, -count, "%s: wait for transfers on %s", q->setup.engine->name,
                          q->setup.files[0].name);
    p->now_ns = clock_ns();
    q->in_flight -= (unsigned)count;
    int rc = 0;
    for (int i = 0; rc == 0 && i < count; i++)
        rc = settle(p, (struct operation *)(void *)q->done[i], e);
    return rc;
}

/* One turn: fills, submits, reaps. */
static int turn(struct pass *p, struct err *e)
{
    struct queue *q = p->q;
    unsigned before = q->staged_count;
    fill(p);
    bool idle = q->staged_count == before;
    int rc = q->staged_count > 0 ? submit_staged(p, e) : 0;
    if (rc == 0 && q->in_flight > 0) {
        bool more = q->unused_count > 0 && !p->has_ended && !idle;
        rc = reap(p, more ? 0 : 1, e);
    } else if (idle && before == 0 && !p->has_ended) {
        sched_yield(); /* what the source waits for is not here */
        p->now_ns = clock_ns();
    }
    return rc;
}

int queue_run(struct queue *q, const struct io_source *source, struct samples *samples,
              struct err *e)
{
    struct pass p = {.q = q, .source = source, .samples = samples, .now_ns = clock_ns()};
    int rc = 0;
    do {
        rc = turn(&p, e);
        if (rc == 0)
            rc = stop_check(e);
    } while (rc == 0 && (!p.has_ended || q->in_flight > 0 || q->staged_count > 0));
    return rc;
}
