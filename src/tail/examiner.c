// SPDX-License-Identifier: GPL-2.0-or-later
#include "tail/examiner.h"

#include <poll.h>

#include "measure/clock.h"
#include "measure/cpu.h"
#include "tail/history.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/shared_memory.h"

uint64_t run_delay_least(const struct run_delay *d, uint64_t start_ns, uint64_t end_ns)
{
    const struct run_delay_sample *first = NULL;
    const struct run_delay_sample *last = NULL;
    uint64_t oldest = d->count > RUN_DELAY_SAMPLES ? d->count - RUN_DELAY_SAMPLES : 0;
    for (uint64_t n = oldest; n < d->count && !last; n++) {
        const struct run_delay_sample *s = &d->samples[n % RUN_DELAY_SAMPLES];
        if (!first && s->before_ns >= start_ns && s->after_ns <= end_ns)
            first = s;
        else if (first && s->before_ns >= end_ns)
            last = s;
    }
    if (!last)
        return 0;
    uint64_t added = last->waited_ns - first->waited_ns;
    uint64_t after = last->after_ns - end_ns; /* what was added may be of this time, too */
    return added > after ? added - after : 0;
}

#define POLL_MS            5     /* interval at which the boxes are polled */
#define POLLS_PER_READING  10    /* of the trace, which a slow operation causes as well */
#define POLLS_PER_DECISION 20    /* about what is slow; the first one is at the first poll */
#define END_MS             60000 /* that the process has for its last poll before it is killed */

/* What the examiner's process has to tell the program when it ends, in shared memory. */
struct board {
    struct tail_slowest slowest[EXAMINER_KINDS];
    uint64_t lost_events;
    uint64_t start_ns; /* when the earliest reported operation began; 0: none was reported */
    bool is_complete;
};

struct examiner {
    struct examiner_setup setup;
    unsigned count; /* number of boxes */
    /* The place of the filesystem's device in the terms of requests, for which a partition is a
     * part of its disk. Not known for several devices, or where volumes are above the disks. */
    bool knows_place;
    uint32_t device; /* as in struct tail_event */
    uint64_t start;  /* first sector of the filesystem's device on `device` */
    bool is_traced, is_stopped;
    struct board *board;
    struct helper process;
    /* used only by the examiner's process */
    struct tail_history history;
    struct run_delay *delays; /* for each box; NULL: there is a trace */
    struct histogram latencies;
    uint64_t put[]; /* for each box, the number of operations ever put into it */
};

int examiner_make_boxes(struct slow_box **boxes, unsigned count, struct err *e)
{
    int rc = shared_memory_map((void **)boxes, count * sizeof **boxes, e);
    for (unsigned i = 0; rc == 0 && i < count; i++)
        atomic_init(&(*boxes)[i].over_ns, UINT64_MAX);
    return rc;
}

void examiner_free_boxes(struct slow_box *boxes, unsigned count)
{
    shared_memory_unmap(boxes, count * sizeof *boxes);
}

static void set_slow(struct slow_box boxes[], unsigned count, uint64_t over_ns)
{
    for (unsigned i = 0; i < count; i++)
        atomic_store_explicit(&boxes[i].over_ns, over_ns, memory_order_relaxed);
}

static void examine(struct examiner *x, unsigned worker, struct tail_slowest *slowest,
                    const struct slow_op *told)
{
    const uint64_t *limits = x->setup.limit->per_second;
    struct tail_record r = {.start_ns = told->start_ns,
                            .latency_ns = told->end_ns - told->start_ns,
                            .offset = told->offset,
                            .cause = CAUSE_UNKNOWN,
                            .writes = told->writes};
    uint64_t *first_ns = &x->board->start_ns;
    *first_ns = *first_ns == 0 || told->start_ns < *first_ns ? told->start_ns : *first_ns;
    if (r.latency_ns <= tail_slowest_least(slowest))
        return;
    if (x->is_traced) {
        struct tail_op op = {
            .start_ns = told->start_ns,
            .end_ns = told->end_ns,
            .before_ns = x->setup.is_buffered ? TAIL_BUFFERED_NS : 0,
            .thread = told->thread,
            .is_queued = x->setup.is_queued,
            .sees_all = x->setup.trace->sees_all,
            .is_limited = told->writes
                              ? limits[IO_LIMIT_WRITTEN_BYTES] > 0 || limits[IO_LIMIT_WRITE_OPS] > 0
                              : limits[IO_LIMIT_READ_BYTES] > 0 || limits[IO_LIMIT_READ_OPS] > 0};
        if (x->knows_place && told->placed > 0) {
            op.device = x->device;
            op.sector = x->start + told->place / 512;
            op.sectors = (told->placed + 511) / 512;
        }
        tail_history_explain(&x->history, &op, &r);
    } else if (!x->setup.is_queued) {
        /* Without events, all that can be found out is that the thread waited for a CPU most of the
         * time; of a queued operation not even that, as its thread does other things meanwhile. */
        ASSUME(x->delays);
        struct run_delay *d = &x->delays[worker];
        if (run_delay_least(d, told->start_ns, told->end_ns) > r.latency_ns / 2)
            r.cause = CAUSE_CPU;
        if (d->thread != told->thread) { /* from now on this thread is sampled */
            char path[64];
            descriptor_close(&d->fd);
            d->thread = told->thread;
            d->count = 0;
            snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)getppid(), d->thread);
            d->fd = kernel_file_open(path, O_RDONLY);
        }
    }
    tail_slowest_add(slowest, &r);
}

/* Reads the trace if a box has operations or if `reads`, and examines these operations. They were
 * in the boxes before the trace was read, so the trace has their events. */
static void examine_boxes(struct examiner *x, bool reads)
{
    struct slow_op op;
    bool slow = false;
    for (unsigned i = 0; i < x->count; i++) {
        const struct slow_box *b = &x->setup.boxes[i];
        x->put[i] = atomic_load_explicit(&b->put, memory_order_acquire);
        slow |= x->put[i] != atomic_load_explicit(&b->taken, memory_order_relaxed);
    }
    if (x->is_traced && (slow || reads)) {
        tail_history_read(&x->history, NULL, NULL);
        x->board->lost_events = x->history.lost_events;
    }
    for (unsigned i = 0; x->delays && i < x->count; i++) {
        struct run_delay *d = &x->delays[i];
        struct run_delay_sample s = {.before_ns = clock_ns()};
        bool is_known =
            d->fd >= 0 && lseek(d->fd, 0, SEEK_SET) == 0 && cpu_read_schedstat(d->fd, &s.waited_ns);
        s.after_ns = clock_ns();
        if (is_known)
            d->samples[d->count++ % RUN_DELAY_SAMPLES] = s;
    }
    unsigned box = 0;
    for (unsigned kind = 0; slow && kind < x->setup.kind_count; kind++)
        for (unsigned i = 0; i < x->setup.kinds[kind].workers; i++, box++)
            while (atomic_load_explicit(&x->setup.boxes[box].taken, memory_order_relaxed) <
                       x->put[box] &&
                   slow_box_take(&x->setup.boxes[box], &op))
                examine(x, box, &x->board->slowest[kind], &op);
}

/* The main loop of the examiner's process. It may use neither malloc nor stdio. */
static void watch(void *context, int socket)
{
    struct examiner *x = context;
    struct pollfd from = {.fd = socket, .events = POLLIN};
    for (unsigned n = 1; poll(&from, 1, POLL_MS) <= 0; n++) {
        examine_boxes(x, n % POLLS_PER_READING == 0);
        struct slow_box *boxes = x->setup.boxes;
        bool decides = n % POLLS_PER_DECISION == 0 || n == 1;
        for (unsigned i = 0; decides && i < x->setup.kind_count; i++) {
            const struct examiner_kind *kind = &x->setup.kinds[i];
            kind->latencies(kind->counts, &x->latencies);
            uint64_t slow = tail_slow_from(&x->latencies);
            uint64_t least = tail_slowest_least(&x->board->slowest[i]);
            set_slow(boxes, kind->workers, MAX(slow, least));
            boxes += kind->workers;
        }
    }
    examine_boxes(x, true);
    x->board->is_complete = true;
}

static int begin_trace(struct examiner *x, struct err *e)
{
    struct tail_trace *t = x->setup.trace;
    const struct device_set *devices = x->setup.devices;
    const struct device *d = &devices->devices[0];
    struct tail_watch w = {.first_thread = (int)getpid(),
                           .last_thread = (int)getpid(),
                           .devices = devices,
                           .filesystem = x->setup.filesystem ? x->setup.filesystem : ""};
    DIR *all = kernel_file_list("/proc/self/task");
    for (const struct dirent *entry; all && (entry = readdir(all));) {
        int thread = atoi(entry->d_name);
        if (thread <= 0)
            continue;
        w.first_thread = thread < w.first_thread ? thread : w.first_thread;
        w.last_thread = thread > w.last_thread ? thread : w.last_thread;
    }
    if (all)
        closedir(all);
    if (devices->count > 0 && devices->filesystem == 1 && !d->stacked) {
        char text[64];
        const struct device *disk = d + d->is_part; /* which stands behind it */
        x->knows_place =
            d->is_drive || (d->is_part && device_fact(devices, d, "start", text, sizeof text) &&
                            sscanf(text, "%" SCNu64, &x->start) == 1);
        x->device = tail_device(disk->major, disk->minor);
    }
    int rc = tail_history_open(&x->history, &(const struct tail_trace *){t}, 1);
    struct tail_page page;
    for (unsigned cpu = 0; rc == 0 && cpu < t->cpus; cpu++)
        while (tail_trace_read(t, cpu, &page)) /* discard what an earlier test left */
            continue;
    if (rc == 0)
        rc = tail_trace_begin(t, &w);
    x->is_traced = rc == 0;
    return rc == 0 ? 0 : err_system(e, -rc, "begin to trace");
}

int examiner_start(struct examiner **out, const struct examiner_setup *setup, struct err *e)
{
    unsigned count = 0;
    for (unsigned i = 0; i < setup->kind_count; i++)
        count += setup->kinds[i].workers;
    struct examiner *x = calloc(1, sizeof *x + count * sizeof *x->put);
    *out = x;
    if (!x)
        return err_system(e, ENOMEM, "allocate memory for the examiner");
    x->setup = *setup;
    x->count = count;
    for (unsigned i = 0; i < x->count; i++)
        slow_box_empty(&setup->boxes[i]);
    int rc = shared_memory_map((void **)&x->board, sizeof *x->board, e);
    if (rc == 0 && setup->trace->is_open)
        rc = begin_trace(x, e);
    if (rc == 0 && !x->is_traced) {
        x->delays = calloc(x->count, sizeof *x->delays);
        if (!x->delays)
            return err_system(e, ENOMEM, "allocate memory for the workers' waits");
        for (unsigned i = 0; i < x->count; i++)
            x->delays[i].fd = -1;
    }
    if (rc != 0)
        return rc;
    set_slow(x->setup.boxes, x->count, 0);
    return helper_start(&x->process, "examine", watch, x, e);
}

void examiner_stop(struct examiner *x)
{
    if (!x || x->is_stopped)
        return;
    x->is_stopped = true;
    set_slow(x->setup.boxes, x->count, UINT64_MAX);
    helper_end(&x->process, END_MS);
    if (x->is_traced)
        tail_trace_end(x->setup.trace);
}

int examiner_sum_up(const struct examiner *x, unsigned kind, const struct histogram *latencies,
                    struct tail_summary *s, struct err *e)
{
    *s = (struct tail_summary){.is_wanted = true,
                               .is_traced = x->is_traced,
                               .note = x->setup.trace->note.text,
                               .lost_events = x->board->lost_events};
    if (!x->board->is_complete)
        return err_say(e, "the process that examines slow operations has died");
    int rc = tail_summary_make(s, &x->board->slowest[kind], latencies, x->board->start_ns);
    return rc == 0 ? 0 : err_system(e, -rc, "allocate memory for slow operations");
}

void examiner_free(struct examiner *x)
{
    if (!x)
        return;
    examiner_stop(x);
    shared_memory_unmap(x->board, sizeof *x->board);
    tail_history_close(&x->history);
    free(x->delays);
    free(x);
}
