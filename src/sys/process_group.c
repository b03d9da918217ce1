// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/process_group.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/clock.h"
#include "measure/cpu.h"
#include "sys/helper.h"
#include "sys/stop.h"
#include "util/coverage.h"
#include "util/descriptor.h"
#include "util/shared_memory.h"

/* Interval at which the parent looks for processes that have ended. */
#define LOOK_NS 5000000

/* The same while the processes prepare, in ms. */
#define READY_LOOK_MS 100

/* What a process reports to its parent, in shared memory. */
struct report {
    struct err failure;
    uint64_t end_ns;
    uint64_t cpu_ns; /* CPU time of the process and all its threads */
    struct cpu_demand demand;
};

struct process_group {
    struct process_group_setup setup;
    struct report *reports; /* one for each process */
    int ready;              /* each process writes a byte here when it is ready */
    int gate;               /* each process then waits for a byte from here */
    pid_t pids[];           /* 0: the parent has waited for the process */
};

struct process_member {
    int ready; /* the process's own ends of the pipes */
    int gate;
    uint64_t cpu_before_ns;
    struct cpu_demand demand_before;
};

int process_member_ready(struct process_member *self)
{
    char byte = 0;
    /* from now on the process sleeps until the gate opens */
    self->demand_before = cpu_demand_of_thread();
    int rc = byte_write(self->ready, byte);
    if (rc == 0 && byte_read(self->gate, &byte) != 1)
        rc = -EINTR;
    self->cpu_before_ns = cpu_used_ns();
    return rc;
}

/* Waits for the processes that have ended. Any end but a normal one is a failure, and stops the
 * others. Returns the number of those that are left. */
static unsigned reap_processes(struct process_group *g, int options, int *rc, struct err *e)
{
    unsigned left = 0;
    for (unsigned i = 0; i < g->setup.count; i++) {
        const char *name = g->setup.name;
        const struct err *failure = &g->reports[i].failure;
        int status;
        int one = 0;
        if (g->pids[i] == 0)
            continue;
        pid_t pid = waitpid(g->pids[i], &status, options);
        if (pid == 0 || (pid < 0 && errno == EINTR)) {
            left++;
            if (stop_requested())
                kill(g->pids[i], SIGCONT); /* somebody may have stopped it, and it must see that */
            continue;
        }
        g->pids[i] = 0;
        if (pid < 0) {
            one = err_system(e, errno, "wait for %s %u", name, i + 1);
        } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            stop_request();
            if (failure->code != 0) {
                one = -failure->code;
                *e = e->code == 0 ? *failure : *e;
            } else if (WIFSIGNALED(status)) {
                one = err_say(e, "%s %u was killed by signal %d (%s)", name, i + 1,
                              WTERMSIG(status), strsignal(WTERMSIG(status)));
            } else {
                one = err_say(e, "%s %u ended with status %d", name, i + 1, WEXITSTATUS(status));
            }
        }
        *rc = *rc ? *rc : one;
    }
    return left;
}

static void call_poller(const struct process_group *g)
{
    if (g->setup.poller)
        g->setup.poller->poll(g->setup.poller->context);
}

int process_group_start(struct process_group **out, const struct process_group_setup *setup,
                        struct err *e)
{
    struct process_group *g = calloc(1, sizeof *g + setup->count * sizeof *g->pids);
    if (g)
        *g = (struct process_group){.setup = *setup, .ready = -1, .gate = -1};
    if (!g || shared_memory_map((void **)&g->reports, setup->count * sizeof *g->reports, e) != 0) {
        err_system(e, ENOMEM, "allocate memory for %u %ss", setup->count, setup->name);
        free(g);
        return -ENOMEM;
    }
    int ready[2] = {-1, -1};
    int gate[2] = {-1, -1};
    int rc = 0;
    if (pipe(ready) != 0 || pipe(gate) != 0)
        rc = err_system(e, errno, "make pipes to the %ss", setup->name);
    g->ready = ready[0];
    g->gate = gate[1];
    for (unsigned i = 0; rc == 0 && i < setup->count; i++) {
        rc = stop_check(e); /* many take minutes */
        pid_t pid = rc == 0 ? fork() : 0;
        if (pid < 0)
            rc = err_system(e, errno, "fork %s %u of %u", setup->name, i + 1, setup->count);
        if (pid == 0 && rc == 0) {
            struct report *report = &g->reports[i];
            struct process_member self = {.ready = ready[1], .gate = gate[0]};
            close(g->gate);
            stop_init_child();
            rc = setup->body(setup->context, i, &self, &report->failure);
            report->end_ns = clock_ns();
            const struct cpu_demand demand = cpu_demand_of_thread();
            report->demand = cpu_demand_between(&self.demand_before, &demand);
            report->cpu_ns = cpu_used_ns() - self.cpu_before_ns;
            coverage_dump();
            _exit(rc == 0 ? 0 : 1);
        }
        g->pids[i] = pid > 0 ? pid : 0;
    }
    descriptor_close(&ready[1]);
    descriptor_close(&gate[0]);
    /* it is a failure if one dies before all are at the gate */
    for (unsigned at_gate = 0; rc == 0 && at_gate < setup->count;) {
        struct pollfd one = {.fd = g->ready, .events = POLLIN};
        char byte;
        if (poll(&one, 1, READY_LOOK_MS) > 0 && read(g->ready, &byte, 1) == 1)
            at_gate++;
        else
            reap_processes(g, WNOHANG, &rc, e);
        call_poller(g);
        if (rc == 0)
            rc = stop_check(e);
    }
    if (rc == 0)
        *out = g;
    else
        process_group_release(g);
    return rc;
}

int process_group_work(struct process_group *g, struct task_times *times, struct err *e)
{
    *times = (struct task_times){.start_ns = clock_ns()};
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < g->setup.count; i++)
        rc = byte_write(g->gate, 0);
    if (rc != 0)
        err_system(e, -rc, "start the %ss", g->setup.name);
    while (rc == 0 && reap_processes(g, WNOHANG, &rc, e) > 0) {
        call_poller(g);
        clock_sleep(LOOK_NS);
    }
    times->end_ns = times->start_ns;
    for (unsigned i = 0; i < g->setup.count; i++) {
        const struct report *report = &g->reports[i];
        times->cpu_ns += report->cpu_ns;
        cpu_demand_keep_larger(&times->busiest, &report->demand);
        if (report->end_ns > times->end_ns)
            times->end_ns = report->end_ns;
    }
    return rc == 0 && stop_requested() ? -EINTR : rc;
}

void process_group_release(struct process_group *g)
{
    if (!g)
        return;
    struct err ignored = {0};
    int rc = 0;
    for (unsigned i = 0; i < g->setup.count; i++)
        if (g->pids[i] > 0)
            kill(g->pids[i], SIGKILL);
    descriptor_close(&g->gate);
    descriptor_close(&g->ready);
    while (reap_processes(g, 0, &rc, &ignored) > 0)
        continue;
    shared_memory_unmap(g->reports, g->setup.count * sizeof *g->reports);
    free(g);
}
