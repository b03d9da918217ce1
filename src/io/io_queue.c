// SPDX-License-Identifier: GPL-2.0-or-later
#include "io/io_queue.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "measure/clock.h"
#include "sys/stop.h"
#include "util/units.h"

#define HUGE_PAGE       ((size_t)2 << 20) /* of x86-64 and of most other systems with 4 KiB pages */
#define HUGE_FROM_BYTES ((size_t)1 << 20)

static void *take_memory(unsigned char **memory, size_t bytes)
{
    void *part = *memory;
    *memory += round_up(bytes, _Alignof(max_align_t));
    return part;
}

int io_queue_open(struct io_queue *q, const struct io_queue_setup *setup, struct err *e)
{
    *q = (struct io_queue){.setup = *setup};
    size_t depth = setup->depth;
    size_t buffer = round_up(setup->buffer_bytes, QUEUE_ALIGNMENT);
    size_t state = setup->engine->state_bytes + depth * setup->engine->transfer_bytes;
    size_t user = round_up(setup->user_bytes, _Alignof(max_align_t));
    struct operation *all;
    size_t lists = depth * (sizeof *all + 2 * sizeof *q->unused + 2 * sizeof *q->done);
    size_t used = depth * (buffer + user) + state + lists + 8 * _Alignof(max_align_t);
    /* address space only, because untouched pages take no memory */
    q->memory_bytes = used + 2 * HUGE_PAGE;
    void *memory =
        mmap(NULL, q->memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return err_system(e, errno, "allocate %zu bytes of buffers", used);
    q->memory = memory;
    q->buffers = memory;
    if (depth * buffer >= HUGE_FROM_BYTES) {
        /* A large buffer in huge pages is one piece of memory for the device, and not one for each
         * 4 KiB; many devices accept only a few pieces at a time. Failure is harmless. */
        q->buffers += round_up((uintptr_t)memory, HUGE_PAGE) - (uintptr_t)memory;
        madvise(q->buffers, round_up(depth * buffer, HUGE_PAGE), MADV_HUGEPAGE);
    }
    memset(q->buffers, 0, used); /* allocates the pages now, and not during the first operations */
    unsigned char *next = q->buffers + depth * buffer;
    q->state = take_memory(&next, state);
    all = take_memory(&next, depth * sizeof *all);
    q->unused = take_memory(&next, depth * sizeof *q->unused);
    q->pending = take_memory(&next, depth * sizeof *q->pending);
    q->done = take_memory(&next, 2 * depth * sizeof *q->done);
    unsigned char *users = take_memory(&next, depth * user);
    for (size_t i = 0; i < depth; i++) {
        all[i].io.buffer = q->buffers + i * buffer;
        all[i].io.user = users + i * user;
        q->unused[q->unused_count++] = &all[i];
    }
    *(struct engine_setup *)q->state = (struct engine_setup){
        .depth = setup->depth,
        .files = q->setup.files,
        .file_count = setup->file_count,
        .buffers = q->buffers,
        .buffers_bytes = depth * buffer,
        .options = setup->options,
    };
    int rc = setup->engine->open ? setup->engine->open(q->state, e) : 0;
    q->is_open = rc == 0;
    if (rc != 0)
        io_queue_close(q);
    return rc;
}

bool io_queue_has_buffers(const struct io_queue *q)
{
    return !q->setup.engine->has_buffers || q->setup.engine->has_buffers(q->state);
}

void io_queue_close(struct io_queue *q)
{
    if (q->is_open && q->setup.engine->close)
        q->setup.engine->close(q->state);
    if (q->memory)
        munmap(q->memory, q->memory_bytes);
    *q = (struct io_queue){0};
}

int io_queue_sync(struct io_queue *q, unsigned file, struct err *e)
{
    const struct io_file *f = &q->setup.files[file];
    if (!q->setup.engine->durable)
        return io_sync_pieces(f, e);
    int rc = q->setup.engine->durable(q->state, file);
    return rc == 0 ? 0 : err_system(e, -rc, "make %s durable", f->name);
}

/* Most bytes that are submitted or completed together. That saves readings of the clock and system
 * calls; but the device needs work while a source fills the next buffer, and while a source checks
 * what was read, the next completions are not seen, and seem to take longer. */
#define BURST_BYTES 262144

/* While the device is the bottleneck, a batch is the depth divided by BATCHES_IN_DEPTH, at least 1.
 * It grows when completions have piled up for PILED_UP_DEPTHS depths of operations. */
#define BATCHES_IN_DEPTH 16
#define PILED_UP_DEPTHS  64

/* Limits of the sleep after which the queue asks again a source that has answered SOURCE_LATER. */
#define SHORTEST_NAP_NS 1000
#define MAX_NAP_NS      1000000

struct pass {
    struct io_queue *q;
    const struct io_source *source;
    struct op_stats *stats;
    struct err *e;
    const _Atomic uint64_t *slow_ns; /* operations that take this long are reported */
    uint64_t now_ns;                 /* last reading of the clock */
    uint64_t end_ns;                 /* when the source's time is over */
    uint64_t nap_ns;                 /* length of the next sleep, while the source waits */
    unsigned batch; /* number of operations that are completed before others are submitted */
    unsigned least_batch;
    unsigned piled_up; /* number of operations since completions were last fewer than a batch */
    bool is_waiting;   /* the source's last answer was SOURCE_LATER */
    bool has_ended;    /* the source has no more operations */
    bool is_recent;    /* a transfer ended at now_ns, and only quick functions ran since then */
};

static const char *file_name(const struct io_queue *q, unsigned file)
{
    return q->setup.file_count > 0 ? q->setup.files[file].name : q->setup.engine->name;
}

static void add_pending(struct io_queue *q, struct operation *o)
{
    q->pending[q->pending_count++] = o;
}

/* Reads the clock, and adds up the time in flight, before the number in flight changes. */
static void update_clock(struct pass *p)
{
    uint64_t now_ns = clock_ns();
    p->stats->in_flight_ns += p->q->in_flight * (now_ns - p->now_ns);
    p->now_ns = now_ns;
}

static void reuse_operation(struct io_queue *q, struct operation *o)
{
    o->start_ns = 0;
    q->unused[q->unused_count++] = o;
}

/* What few operations need: inlined, it would lengthen the path of all others. */
#define OFF_THE_PATH __attribute__((noinline))

/* What slow_ns points to where slow operations are not reported. */
static const _Atomic uint64_t never_slow = UINT64_MAX;

/* Puts a slow operation into the box; takes microseconds, which no operation counts. */
OFF_THE_PATH static void put_slow(const struct pass *p, const struct operation *o)
{
    struct slow_box *box = p->q->setup.slow;
    struct io whole = o->io;
    if (!box || !slow_box_has_room(box))
        return;
    transfer_rewind(&whole);
    struct slow_op op = {
        .start_ns = o->start_ns,
        .end_ns = o->end_ns,
        .offset = whole.offset,
        .thread = (int)syscall(SYS_gettid),
        .writes = whole.kind == IO_WRITE,
    };
    if (p->q->setup.file_count > 0)
        op.placed =
            file_place(p->q->setup.files[whole.file].fd, whole.offset, whole.length, &op.place);
    slow_box_put(box, &op);
}

/* Counts also the time that the source has spent since the transfer came back. */
OFF_THE_PATH static void end_later(struct operation *o)
{
    o->end_ns = clock_ns();
}

/* Asks the source whether the failure of an operation ends the run. */
OFF_THE_PATH static int fail_operation(struct pass *p, struct operation *o)
{
    struct io whole = o->io;
    transfer_rewind(&whole);
    if (!p->source->failed ||
        !p->source->failed(p->source->context, &whole, transfer_error(&o->io)))
        return transfer_describe_failure(&o->io,
                                         p->q->setup.file_count > 0
                                             ? &p->q->setup.files[o->io.file]
                                             : &(struct io_file){.name = file_name(p->q, 0)},
                                         p->e);
    transfer_rewind(&o->io);
    p->is_recent = false;
    p->stats->errors++;
    reuse_operation(p->q, o);
    return 0;
}

/* Handles a transfer that has come back: its operation has ended, or is pending again, for the rest
 * of the transfer or for the next transfer. */
static int complete_transfer(struct pass *p, struct operation *o)
{
    struct io *io = &o->io;
    if (io->result != (ssize_t)io->length || io->moved > 0) {
        enum transfer_outcome outcome = transfer_outcome(io);
        if (outcome == TRANSFER_FAILED)
            return fail_operation(p, o);
        if (outcome == TRANSFER_PART) {
            add_pending(p->q, o);
            return 0;
        }
    }
    enum transfer_answer answer = OPERATION_ENDED;
    if (p->source->transferred)
        answer = p->source->transferred(p->source->context, io);
    if (answer == OPERATION_CONTINUES) {
        add_pending(p->q, o);
        return 0;
    }
    if (answer == OPERATION_ENDED_NOW)
        end_later(o);
    uint64_t took_ns = o->end_ns - o->start_ns;
    op_stats_add(p->stats, took_ns, io->length);
    if (took_ns >= atomic_load_explicit(p->slow_ns, memory_order_relaxed)) {
        put_slow(p, o);
        p->is_recent = false;
    }
    reuse_operation(p->q, o);
    return 0;
}

/* Submits pending operations until the engine is busy, or completes them at once. */
static int submit_pending(struct pass *p)
{
    struct io_queue *q = p->q;
    const struct engine_ops *engine = q->setup.engine;
    unsigned count = q->pending_count;
    unsigned taken = 0, queued = 0;
    int rc = 0;
    if (!p->is_recent)
        update_clock(p);
    p->nap_ns = SHORTEST_NAP_NS;
    q->pending_count = 0; /* operations that become pending below are stored from the start again */
    while (rc == 0 && taken < count) {
        struct operation *o = q->pending[taken];
        if (o->start_ns == 0) /* otherwise this is not the operation's first transfer */
            o->start_ns = p->now_ns;
        enum engine_answer answer = engine->submit(q->state, &o->io);
        if (answer == ENGINE_BUSY)
            break;
        taken++;
        if (answer == ENGINE_QUEUED) {
            queued++;
            continue;
        }
        q->in_flight++;
        update_clock(p);
        q->in_flight--;
        o->end_ns = p->now_ns;
        p->is_recent = p->source->is_quick;
        rc = complete_transfer(p, o);
    }
    q->in_flight += queued;
    for (; taken < count; taken++)
        add_pending(q, q->pending[taken]);
    return rc;
}

/* Reaps completed transfers. Waits for one if there is nothing else to do. Adapts the batch to the
 * load: where the device is the bottleneck, large batches starve it, which idles while operations
 * that were completed together wait for each other. So a batch is a sixteenth of the depth: random
 * reads of 4 KiB from a virtual disk were 10 to 20 % slower when everything complete was taken at
 * once, and 1 % with an eighth. Where the program is the bottleneck, large batches save its time.
 * So the batch doubles when completions have piled up for longer than after a pause, in which there
 * was no work, and halves when they no longer do. */
static int reap_completed(struct pass *p)
{
    struct io_queue *q = p->q;
    bool has_work =
        q->done_end > q->done_first || (q->unused_count > 0 && !p->has_ended && !p->is_waiting);
    if (q->done_first >= q->setup.depth) { /* makes room in `done` for all that may be returned */
        q->done_end -= q->done_first;
        memmove(q->done, q->done + q->done_first, q->done_end * sizeof *q->done);
        q->done_first = 0;
    }
    struct io **done = q->done + q->done_end;
    int count = q->setup.engine->wait(q->state, has_work ? 0 : 1, done, q->setup.depth);
    if (count == -EINTR)
        return 0; /* the caller checks whether the run must stop */
    if (count < 0)
        return err_system(p->e, -count, "%s: wait for transfers on %s", q->setup.engine->name,
                          file_name(q, 0));
    update_clock(p);
    q->in_flight -= (unsigned)count;
    q->done_end += (unsigned)count;
    for (int i = 0; i < count; i++)
        ((struct operation *)(void *)done[i])->end_ns = p->now_ns;
    if (q->done_end - q->done_first < p->batch) {
        p->batch = MAX(p->batch / 2, p->least_batch);
        p->piled_up = 0;
        return 0;
    }
    p->piled_up = has_work ? p->piled_up + p->batch : 0;
    if (p->piled_up >= PILED_UP_DEPTHS * q->setup.depth) {
        p->batch = MIN(2 * p->batch, q->setup.depth);
        p->piled_up = 0;
    }
    return 0;
}

int io_queue_run(struct io_queue *q, const struct io_source *source, struct op_stats *stats,
                 struct err *e)
{
    struct pass p = {
        .q = q,
        .source = source,
        .stats = stats,
        .e = e,
        .slow_ns = q->setup.slow ? &q->setup.slow->over_ns : &never_slow,
        .now_ns = clock_ns(),
        .nap_ns = SHORTEST_NAP_NS,
        .least_batch = MAX(q->setup.depth / BATCHES_IN_DEPTH, 1),
    };
    p.batch = p.least_batch;
    p.end_ns = source->duration_ns > 0 ? p.now_ns + source->duration_ns : UINT64_MAX;
    int rc = 0;
    do {
        /* completes what is back: a batch, or about those with a burst's bytes */
        unsigned next = q->done_first;
        unsigned end = next + MIN(q->done_end - next, p.batch);
        if (end > next)
            end = (unsigned)MIN(end, next + BURST_BYTES / (q->done[next]->length + 1) + 1);
        while (rc == 0 && next < end)
            rc = complete_transfer(&p, (struct operation *)(void *)q->done[next++]);
        q->done_first = next;
        if (q->done_first == q->done_end)
            q->done_first = q->done_end = 0;
        if (rc != 0)
            return rc;
        /* the source's next operations become pending, up to the bytes of a burst */
        p.has_ended = p.has_ended || p.now_ns >= p.end_ns;
        p.is_waiting = false;
        unsigned unused = q->unused_count;
        const size_t room = p.has_ended ? 0 : BURST_BYTES;
        for (size_t bytes = 0; unused > 0 && bytes < room;) {
            struct operation *o = q->unused[unused - 1];
            enum source_answer answer = source->next(source->context, &o->io, p.now_ns);
            if (answer != SOURCE_READY) {
                p.has_ended = answer == SOURCE_ENDED;
                p.is_waiting = answer == SOURCE_LATER;
                break;
            }
            unused--;
            bytes += o->io.length;
            add_pending(q, o);
        }
        q->unused_count = unused;
        rc = q->pending_count > 0 ? submit_pending(&p) : 0;
        if (rc != 0)
            return rc;
        if (q->in_flight > 0) {
            rc = reap_completed(&p);
        } else if (p.is_waiting && q->pending_count == 0 && q->done_end == 0) {
            /* sleeps, longer each time, until the source has an operation, or a signal comes */
            const struct timespec until = clock_timespec(p.now_ns + p.nap_ns);
            p.nap_ns = MIN(2 * p.nap_ns, MAX_NAP_NS);
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
            p.now_ns = clock_ns();
        }
        if (rc == 0)
            rc = stop_check(e);
    } while (rc == 0 &&
             (!p.has_ended || q->in_flight > 0 || q->pending_count > 0 || q->done_end > 0));
    return rc;
}
