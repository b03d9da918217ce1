// SPDX-License-Identifier: GPL-2.0-or-later
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "bonnie/run_context.h"
#include "measure/clock.h"
#include "sys/stop.h"
#include "util/coverage.h"
#include "util/descriptor.h"
#include "util/rng.h"
#include "util/shared_memory.h"

/* The workers prepare their files, the seekers seek in all of them, and the workers sync them. Each
 * seeker prepares, waits until the parent opens the gate for all, and seeks. One that dies is a
 * failure, and stops the others. */

/* Number of seeks of which one rewrites its chunk. */
#define REWRITE_EVERY 10
/* Draws for a rewrite, until no other seeker rewrites the chunk; more of them later. */
#define DRAWS_AT_ONCE 8
/* Interval at which the parent looks for seekers that have ended; while they prepare, in ms. */
#define LOOK_NS       5000000
#define READY_LOOK_MS 100

/* What a seeker reports to its parent, in shared memory. */
struct report {
    struct err failure;
    uint64_t end_ns;
    uint64_t cpu_ns; /* CPU time of the process */
    struct cpu_demand demand;
};

struct seekers {
    struct run_context *context;
    unsigned count;
    uint64_t *ticket;                  /* of the caller */
    uint64_t end_ticket;               /* first ticket that is not for these seekers */
    atomic_uint_fast64_t *next_ticket; /* in memory that all seekers share */
    struct report *reports;            /* one for each seeker */
    int ready[2];                      /* pipe: each seeker writes a byte when it is ready */
    int gate[2];                       /* pipe: each seeker then waits for a byte */
    pid_t pids[];                      /* 0: the parent has waited for the seeker */
};

struct seeker {
    struct operations of;
    const struct seekers *all;
    uint64_t ticket;
    bool has_ticket; /* has drawn a ticket that it has not used yet */
    struct rng rng;  /* random numbers of the current ticket */
};

static enum source_answer seeks_next(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct seeker *s = context;
    const struct plan *p = s->of.plan;
    if (!s->has_ticket) {
        s->ticket = atomic_fetch_add_explicit(s->all->next_ticket, 1, memory_order_relaxed);
        s->has_ticket = true;
        rng_init(&s->rng, s->all->context->work->seed, s->ticket);
    }
    if (s->ticket >= s->all->end_ticket)
        return SOURCE_ENDED;
    io->kind = IO_READ;
    io->length = p->data.chunk_bytes;
    op_state(io)->changes = !p->reads_only && s->ticket % REWRITE_EVERY == REWRITE_EVERY - 1;
    bool is_free = false;
    for (int draw = 0; !is_free && draw < DRAWS_AT_ONCE; draw++) {
        uint64_t chunk = rng_below(&s->rng, p->data.chunks);
        uint64_t file = partition_owner(p->data.chunks, p->workers, chunk);
        io->file = (unsigned)file;
        io->offset = chunk * p->data.chunk_bytes - s->of.contents->files[file].start;
        is_free = !op_state(io)->changes ||
                  contents_claim(s->of.contents, io->file, io->offset, io->length);
    }
    if (!is_free)
        return SOURCE_LATER;
    s->has_ticket = false;
    op_state(io)->version =
        op_state(io)->changes ? CONTENTS_CLAIMED
                              : contents_version(s->of.contents, io->file, io->offset, io->length);
    return SOURCE_READY;
}

/* What each seeker does, without malloc and stdio, in which the parent may have been when it
 * forked. Its queue has the data files of all workers. CPU time counts from the gate on. */
static void run_seeker(const struct seekers *s, unsigned number)
{
    struct run_context *r = s->context;
    const struct plan *p = r->plan;
    struct report *report = &s->reports[number];
    struct err *e = &report->failure;
    struct worker_stats *stats = &r->stats.workers[number];
    struct seeker seeker = {.of = {p, &r->contents, &r->corruption[number], 0}, .all = s};
    const struct io_source source = {.next = seeks_next,
                                     .transferred = operation_transferred,
                                     .failed = operation_failed,
                                     .context = &seeker,
                                     .duration_ns = r->work->lap_ns};
    const struct io_queue_setup setup =
        work_queue_setup(p, r->data, p->workers, p->data.chunk_bytes);
    struct io_queue queue;
    struct cpu_demand before = {0};
    uint64_t cpu_before_ns = 0;
    char byte;

    close(s->gate[1]);
    close(r->scratch.owner_fd); /* only the parent may keep the lock */
    stop_init_child();
    int rc = io_queue_open(&queue, &setup, e);
    stats->plain_queues += rc == 0 && !io_queue_has_buffers(&queue);
    if (rc == 0) {
        before = cpu_demand_of_thread(); /* from now on the process sleeps until the gate opens */
        rc = byte_write(s->ready[1], 0);
        if (rc == 0 && byte_read(s->gate[0], &byte) != 1)
            rc = -EINTR;
        cpu_before_ns = cpu_used_ns();
    }
    if (rc == 0)
        rc = io_queue_run(&queue, &source, &stats->ops, e);
    report->end_ns = clock_ns();
    const struct cpu_demand after = cpu_demand_of_thread();
    report->demand = cpu_demand_between(&before, &after);
    report->cpu_ns = cpu_used_ns() - cpu_before_ns;
    coverage_dump();
    _exit(rc == 0 ? 0 : 1);
}

/* Waits for the seekers that have ended. Any end but a normal one is a failure, and stops the
 * others. Returns the number of those that are left. */
static unsigned reap_seekers(struct seekers *s, int options, int *rc, struct err *e)
{
    unsigned left = 0;
    for (unsigned i = 0; i < s->count; i++) {
        int status;
        int one = 0;
        if (s->pids[i] == 0)
            continue;
        pid_t pid = waitpid(s->pids[i], &status, options);
        if (pid == 0 || (pid < 0 && errno == EINTR)) {
            left++;
            if (stop_requested())
                kill(s->pids[i], SIGCONT); /* somebody may have stopped it, and it must see that */
            continue;
        }
        s->pids[i] = 0;
        if (pid < 0) {
            one = err_system(e, errno, "wait for seeker %u", i + 1);
        } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            const struct err *failure = &s->reports[i].failure;
            stop_request();
            if (failure->code != 0) {
                one = -failure->code;
                *e = e->code == 0 ? *failure : *e;
            } else if (WIFSIGNALED(status)) {
                one = err_say(e, "seeker %u was killed by signal %d (%s)", i + 1, WTERMSIG(status),
                              strsignal(WTERMSIG(status)));
            } else {
                one = err_say(e, "seeker %u ended with status %d", i + 1, WEXITSTATUS(status));
            }
        }
        *rc = *rc ? *rc : one;
    }
    return left;
}

void seekers_release(struct seekers *s)
{
    if (!s)
        return;
    struct err ignored = {0};
    int rc = 0;
    for (unsigned i = 0; i < s->count; i++)
        if (s->pids[i] > 0)
            kill(s->pids[i], SIGKILL);
    for (int end = 0; end < 2; end++) {
        descriptor_close(&s->gate[end]);
        descriptor_close(&s->ready[end]);
    }
    while (reap_seekers(s, 0, &rc, &ignored) > 0)
        continue;
    shared_memory_unmap(s->reports, s->count * sizeof *s->reports);
    shared_memory_unmap((void *)s->next_ticket, sizeof *s->next_ticket);
    free(s);
}

int seekers_start(struct seekers **out, struct run_context *r, uint64_t *ticket, struct err *e)
{
    const unsigned count = r->plan->data.seekers;
    struct seekers *s = calloc(1, sizeof *s + count * sizeof *s->pids);
    if (!s)
        return err_system(e, ENOMEM, "allocate memory for %u seekers", count);
    *s = (struct seekers){
        .context = r,
        .count = count,
        .ticket = ticket,
        .end_ticket = r->work->lap_ns > 0 ? UINT64_MAX : *ticket + r->plan->data.seeks,
        .ready = {-1, -1},
        .gate = {-1, -1},
    };
    int rc = shared_memory_map((void **)&s->next_ticket, sizeof *s->next_ticket, e);
    if (rc == 0)
        rc = shared_memory_map((void **)&s->reports, count * sizeof *s->reports, e);
    if (rc == 0) {
        *s->next_ticket = *ticket;
        if (pipe(s->ready) != 0 || pipe(s->gate) != 0)
            rc = err_system(e, errno, "make pipes to the seekers");
    }
    for (unsigned i = 0; rc == 0 && i < count; i++) {
        rc = stop_check(e); /* many take minutes */
        pid_t pid = rc == 0 ? fork() : 0;
        if (pid < 0)
            rc = err_system(e, errno, "fork seeker %u of %u", i + 1, count);
        if (pid == 0 && rc == 0)
            run_seeker(s, i);
        s->pids[i] = pid > 0 ? pid : 0;
    }
    descriptor_close(&s->ready[1]);
    descriptor_close(&s->gate[0]);
    /* it is a failure if one dies before all are at the gate */
    for (unsigned at_gate = 0; rc == 0 && at_gate < count;) {
        struct pollfd one = {.fd = s->ready[0], .events = POLLIN};
        char byte;
        if (poll(&one, 1, READY_LOOK_MS) > 0 && read(s->ready[0], &byte, 1) == 1)
            at_gate++;
        else
            reap_seekers(s, WNOHANG, &rc, e);
        poller_call(s->context->poller);
        if (rc == 0)
            rc = stop_check(e);
    }
    if (rc == 0)
        *out = s;
    else
        seekers_release(s);
    return rc;
}

int seekers_work(struct seekers *s, struct task_times *times, struct err *e)
{
    *times = (struct task_times){.start_ns = clock_ns()};
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < s->count; i++)
        rc = byte_write(s->gate[1], 0);
    if (rc != 0)
        err_system(e, -rc, "start the seekers");
    while (rc == 0 && reap_seekers(s, WNOHANG, &rc, e) > 0) {
        poller_call(s->context->poller);
        clock_sleep(LOOK_NS);
    }
    times->end_ns = times->start_ns;
    for (unsigned i = 0; i < s->count; i++) {
        const struct report *report = &s->reports[i];
        times->cpu_ns += report->cpu_ns;
        cpu_demand_keep_larger(&times->busiest, &report->demand);
        times->end_ns = MAX(times->end_ns, report->end_ns);
    }
    uint64_t next = *s->next_ticket;
    *s->ticket = MIN(next, s->end_ticket);
    return rc == 0 && stop_requested() ? -EINTR : rc;
}

static int seeks_finish(void *context, struct err *e)
{
    struct work *w = context;
    int rc = plan_stores(w->plan) && !w->plan->reads_only ? io_sync_pieces(w->data.file, e) : 0;
    int closed = io_close(w->data.file, e);
    return rc ? rc : closed;
}

const struct workload workload_seeks = {
    .title = "Seeking",
    .old_title = "start 'em",
    .item = ITEM_SEEK,
    .read_percent = 100,
    .written_percent = 100 / REWRITE_EVERY,
    .uses_engine = true,
    .reads = true,
    .shifts = true,
    .forked = true,
    .repeats = true,
    .task = {.prepare = work_open_data, .work = seeks_finish},
};
