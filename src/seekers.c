#include "seekers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io.h"
#include "measure/clock.h"
#include "measure/cpu.h"
#include "stop.h"
#include "util/coverage.h"
#include "workloads/seeks.h"

/* How often the parent looks whether a seeker has ended. */
#define LOOK_NS 5000000

/* How often it looks so, in ms, while they come to their start. */
#define READY_LOOK_MS 100

/* What one seeker tells its parent beside what it counts. */
struct report {
    struct err failure;
    uint64_t end_ns;
    uint64_t cpu_ns;
};

/* In the shared mapping. */
struct shared {
    _Alignas(64) atomic_uint_fast64_t next_ticket;
    _Alignas(64) struct report reports[];
};

struct seekers {
    const struct plan *plan;
    const struct work *work;
    struct board *board;
    uint64_t end_ticket; /* the first one that is not theirs */
    struct shared *shared;
    size_t shared_bytes;
    pid_t *pids; /* 0: has been waited for */
    unsigned count;
    int ready; /* each seeker writes a byte when it has come to its start */
    int gate;  /* and waits for a byte from here */
};

/* Opens the seeker's queue, on the data files of all workers. */
static int open_queue(const struct seekers *s, struct queue *q, struct err *e)
{
    const struct plan *p = s->plan;
    struct queue_setup setup =
        work_queue_setup(p, s->work->all_data, p->workers, p->data.chunk_bytes);
    return queue_open(q, &setup, e);
}

/* The life of one seeker. After the fork: no malloc, no stdio, no return. */
__attribute__((noreturn)) static void seeker_main(const struct seekers *s, unsigned number,
                                                  int ready, int start)
{
    struct report *report = &s->shared->reports[number];
    struct tally *tally = &s->board->tallies[number];
    const struct seeks seeks = {
        .plan = s->plan,
        .contents = s->work->contents,
        .next_ticket = &s->shared->next_ticket,
        .end_ticket = s->end_ticket,
        .findings = &tally->findings,
    };
    struct queue queue;
    char byte = 0;

    stop_init_child();
    close(s->work->scratch->owner_fd); /* its lock is to end with the parent */
    if (open_queue(s, &queue, &report->failure) != 0 || io_write_byte(ready, byte) != 0 ||
        io_read_byte(start, &byte) != 1)
        _exit(1);

    uint64_t cpu_before = cpu_used_ns();
    int rc = seeks_run(&seeks, &queue, &tally->samples, &report->failure);
    report->end_ns = clock_ns();
    report->cpu_ns = cpu_used_ns() - cpu_before;
    coverage_dump();
    _exit(rc == 0 ? 0 : 1);
}

/* NULL when there is no memory. */
static struct seekers *allocate(const struct plan *p, const struct work *work)
{
    unsigned count = p->data.seekers;
    struct seekers *s = calloc(1, sizeof *s);
    pid_t *pids = calloc(count, sizeof *pids);
    size_t bytes = sizeof(struct shared) + count * sizeof(struct report);
    void *shared =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (!s || !pids || shared == MAP_FAILED) {
        if (shared != MAP_FAILED)
            munmap(shared, bytes);
        free(pids);
        free(s);
        return NULL;
    }
    *s = (struct seekers){.plan = p,
                          .work = work,
                          .shared = shared,
                          .shared_bytes = bytes,
                          .pids = pids,
                          .count = count,
                          .ready = -1,
                          .gate = -1};
    return s;
}

static int fork_all(struct seekers *s, int ready, int start, struct err *e)
{
    for (unsigned i = 0; i < s->count; i++) {
        pid_t pid = fork();
        if (pid < 0)
            return err_system(e, errno, "fork seeker %u of %u", i + 1, s->count);
        if (pid == 0) {
            close(s->gate);
            seeker_main(s, i, ready, start);
        }
        s->pids[i] = pid;
    }
    return 0;
}

static void close_if_open(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* A seeker that did not end well is a failure, which stops the others. */
static int judge(const struct seekers *s, unsigned number, int status, struct err *e)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    stop_request();
    const struct report *report = &s->shared->reports[number];
    if (report->failure.code != 0) {
        if (e->code == 0)
            *e = report->failure;
        return -report->failure.code;
    }
    if (WIFSIGNALED(status))
        return err_say(e, "seeker %u was killed by signal %d (%s)", number + 1, WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    return err_say(e, "seeker %u ended with status %d", number + 1, WEXITSTATUS(status));
}

/* Waits for those seekers that have ended; returns how many are left. */
static unsigned reap(struct seekers *s, int options, int *rc, struct err *e)
{
    unsigned left = 0;
    for (unsigned i = 0; i < s->count; i++) {
        int status;
        if (s->pids[i] == 0)
            continue;
        pid_t pid = waitpid(s->pids[i], &status, options);
        if (pid == 0 || (pid < 0 && errno == EINTR)) {
            left++;
            continue;
        }
        s->pids[i] = 0;
        int one =
            pid < 0 ? err_system(e, errno, "wait for seeker %u", i + 1) : judge(s, i, status, e);
        *rc = *rc ? *rc : one;
    }
    return left;
}

/* Waits until all have come to their start; one that dies before is a failure. */
static int await_ready(struct seekers *s, struct err *e)
{
    int rc = 0;
    for (unsigned count = 0; rc == 0 && count < s->count;) {
        struct pollfd ready = {.fd = s->ready, .events = POLLIN};
        char byte;
        if (poll(&ready, 1, READY_LOOK_MS) > 0 && read(s->ready, &byte, 1) == 1)
            count++;
        else
            reap(s, WNOHANG, &rc, e);
        if (rc == 0)
            rc = stop_check(e);
    }
    return rc;
}

static int open_gate(const struct seekers *s, struct err *e)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < s->count; i++)
        rc = io_write_byte(s->gate, 0);
    return rc == 0 ? 0 : err_system(e, -rc, "start the seekers");
}

int seekers_start(struct seekers **out, const struct plan *p, const struct work *work,
                  struct board *board, uint64_t first_ticket, struct err *e)
{
    struct seekers *s = allocate(p, work);
    if (!s)
        return err_system(e, ENOMEM, "memory for %u seekers", p->data.seekers);
    s->board = board;
    s->end_ticket = first_ticket + p->data.seeks;
    s->shared->next_ticket = first_ticket;
    int ready[2] = {-1, -1};
    int start[2] = {-1, -1};
    int rc = 0;
    if (pipe(ready) != 0 || pipe(start) != 0)
        rc = err_system(e, errno, "pipes to the seekers");
    s->ready = ready[0];
    s->gate = start[1];
    if (rc == 0)
        rc = fork_all(s, ready[1], start[0], e);
    close_if_open(&ready[1]);
    close_if_open(&start[0]);
    if (rc == 0)
        rc = await_ready(s, e);
    if (rc == 0)
        *out = s;
    else
        seekers_release(s);
    return rc;
}

int seekers_work(struct seekers *s, struct job_times *times, struct err *e)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    times->start_ns = clock_ns();
    int rc = open_gate(s, e);
    while (rc == 0 && reap(s, WNOHANG, &rc, e) > 0)
        nanosleep(&pause, NULL);
    times->end_ns = times->start_ns;
    times->cpu_ns = 0;
    times->busiest_cpu_ns = 0;
    for (unsigned i = 0; i < s->count; i++) {
        const struct report *report = &s->shared->reports[i];
        times->cpu_ns += report->cpu_ns;
        if (report->cpu_ns > times->busiest_cpu_ns)
            times->busiest_cpu_ns = report->cpu_ns;
        if (report->end_ns > times->end_ns)
            times->end_ns = report->end_ns;
    }
    return rc == 0 && stop_requested() ? -EINTR : rc;
}

void seekers_release(struct seekers *s)
{
    if (!s)
        return;
    struct err ignored;
    int rc = 0;
    err_init(&ignored);
    for (unsigned i = 0; i < s->count; i++)
        if (s->pids[i] > 0)
            kill(s->pids[i], SIGKILL);
    close_if_open(&s->gate);
    close_if_open(&s->ready);
    while (reap(s, 0, &rc, &ignored) > 0)
        continue;
    munmap(s->shared, s->shared_bytes);
    free(s->pids);
    free(s);
}
