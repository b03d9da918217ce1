// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/load/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure/cpu.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/units.h"

/* Enough stack for system calls. Only the pages that a thread touches take memory. */
#define STACK_BYTES (256 * KIB)

int crew_open(struct crew *c, struct run *run, struct err *e)
{
    *c = (struct crew){.run = run};
    unsigned all = run->loads[LOAD_READ].shares + run->loads[LOAD_WRITE].shares;
    c->list = calloc(all, sizeof *c->list);
    if (!c->list)
        return err_system(e, ENOMEM, "memory for %u threads", all);
    int rc = 0;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        struct load *load = &run->loads[kind];
        for (unsigned i = 0; rc == 0 && i < load->shares; i++)
            rc = driver_open(&c->list[c->count++], run, load, i, e);
    }
    if (rc != 0)
        crew_close(c);
    return rc;
}

void crew_close(struct crew *c)
{
    for (unsigned i = 0; i < c->count; i++)
        driver_close(&c->list[i]);
    free(c->list);
    *c = (struct crew){0};
}

static void *driver_main(void *argument)
{
    struct driver *d = argument;
    stop_block_signals();
    atomic_store(&d->thread_id, gettid());
    driver_work(d);
    atomic_store(&d->waited_ns, cpu_demand_of_thread().waited_ns);
    atomic_store(&d->parked, DRIVER_OVER);
    if (atomic_fetch_sub(&d->load->drivers, 1) == 1)
        run_wake(d->run);
    return NULL;
}

static int start_driver(struct crew *c, struct driver *d, const pthread_attr_t *attributes,
                        struct err *e)
{
    struct run *r = d->run;
    int rc = r->target->join ? r->target->join(&d->target, r->shared, d->channels, e) : 0;
    if (rc != 0)
        return rc;
    int code = pthread_create(&d->thread, attributes, driver_main, d);
    if (code == 0) {
        c->started++;
        return 0;
    }
    if (r->target->leave)
        r->target->leave(d->target);
    return err_system(e, code, "start thread %u of %u", c->started + 1, c->count);
}

int crew_start(struct crew *c, struct err *e)
{
    pthread_attr_t attributes;
    int rc = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (rc == 0 && c->started < c->count)
        rc = start_driver(c, &c->list[c->started], &attributes, e);
    pthread_attr_destroy(&attributes);
    if (rc != 0) {
        run_end(c->run);
        crew_join(c);
    }
    return rc;
}

void crew_join(struct crew *c)
{
    while (c->started > 0) {
        struct driver *d = &c->list[--c->started];
        pthread_join(d->thread, NULL);
        if (d->run->target->leave)
            d->run->target->leave(d->target);
    }
}

unsigned crew_busy(const struct crew *c)
{
    unsigned busy = 0;
    for (unsigned i = 0; i < c->count; i++) {
        const struct driver *d = &c->list[i];
        unsigned parked = atomic_load(&d->parked);
        busy += parked != DRIVER_OVER && parked != atomic_load(&c->run->gate);
    }
    return busy;
}

struct progress crew_progress(const struct crew *c, enum load_kind kind)
{
    struct progress sum = {0};
    for (unsigned i = 0; i < c->count; i++) {
        const struct driver *d = &c->list[i];
        if (d->load->kind != kind)
            continue;
        sum.ended += atomic_load_explicit(&d->ended, memory_order_relaxed);
        sum.begun += atomic_load_explicit(&d->begun, memory_order_relaxed);
    }
    return sum;
}

struct standing crew_standing(const struct crew *c)
{
    struct standing s = {.busy = crew_busy(c)};
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        s.counts[kind] = recorders_counts(&c->run->recorders, kind);
        s.progress[kind] = crew_progress(c, kind);
    }
    return s;
}

/* How long a thread has waited for a CPU. Returns false when the kernel does not say. */
static bool read_wait(const struct driver *d, uint64_t *waited_ns)
{
    char path[64];
    pid_t id = atomic_load(&d->thread_id);
    *waited_ns = 0;
    if (id == 0)
        return true;
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", (int)id);
    int fd = kernel_file_open(path, O_RDONLY);
    bool is_known = fd >= 0 && cpu_read_schedstat(fd, waited_ns);
    descriptor_close(&fd);
    if (atomic_load(&d->parked) != DRIVER_OVER)
        return is_known;
    *waited_ns = atomic_load(&d->waited_ns);
    return true;
}

void crew_begin_span(struct crew *c, enum span span)
{
    for (unsigned i = 0; i < c->count; i++)
        read_wait(&c->list[i], &c->list[i].waited_before_ns[span]);
}

double crew_longest_wait(const struct crew *c, enum span span)
{
    uint64_t longest = 0;
    for (unsigned i = 0; i < c->count; i++) {
        uint64_t before = c->list[i].waited_before_ns[span];
        uint64_t now;
        if (!read_wait(&c->list[i], &now))
            return -1;
        if (now > before && now - before > longest)
            longest = now - before;
    }
    return (double)longest;
}

uint64_t crew_last_end(const struct crew *c, enum load_kind kind)
{
    uint64_t last = 0;
    for (unsigned i = 0; i < c->count; i++) {
        uint64_t end = atomic_load(&c->list[i].last_end_ns);
        if (c->list[i].load->kind == kind && end > last)
            last = end;
    }
    return last;
}

void crew_add_slowest(const struct crew *c, enum load_kind kind, struct slowest *all)
{
    for (unsigned i = 0; i < c->count; i++)
        if (c->list[i].load->kind == kind)
            slowest_merge(all, &c->list[i].slowest);
}

void crew_move_slowest(struct crew *c, struct slowest earlier[LOAD_KINDS])
{
    for (unsigned i = 0; i < c->count; i++) {
        struct driver *d = &c->list[i];
        slowest_merge(&earlier[d->load->kind], &d->slowest);
        slowest_clear(&d->slowest);
    }
}

void crew_forget(struct crew *c)
{
    recorders_clear(&c->run->recorders);
    failures_clear(&c->run->failures);
    failures_clear(&c->run->misses);
    if (c->run->target->forget)
        c->run->target->forget(c->run->shared);
    for (unsigned i = 0; i < c->count; i++) {
        struct driver *d = &c->list[i];
        slowest_clear(&d->slowest);
        atomic_store(&d->begun, 0);
        atomic_store(&d->ended, 0);
        atomic_store(&d->last_end_ns, 0);
    }
}

/* Number of requests that were due some seconds before now_ns. */
static uint64_t due_before(struct backlog *b, const struct load *load, unsigned seconds,
                           uint64_t now_ns)
{
    const struct arrivals *schedule = load_schedule(load);
    uint64_t ago_ns = seconds * BILLION;
    return now_ns < schedule->start_ns + ago_ns
               ? 0
               : arrivals_due(schedule, &b->cursors[load->kind][seconds], now_ns - ago_ns);
}

/*
 * Adds the time for which more than one second's worth of requests were due and had not ended: so
 * long as the number of those that ended is below what was due a second ago. That number grew as
 * the schedule says, so the moment when it crossed the line can be computed, even if this thread
 * did not run then.
 */
static void look_at(struct backlog *b, const struct load *load, uint64_t ended, uint64_t now_ns)
{
    if (!load_has_schedule(load))
        return;
    uint64_t due = due_before(b, load, 0, now_ns);
    double backlog = due > ended ? (double)(due - ended) : 0;
    double second = fmax((double)(due - due_before(b, load, 1, now_ns)), 1);
    double seconds =
        fmax((double)(due - due_before(b, load, BAD_RATE_SECONDS, now_ns)), BAD_RATE_SECONDS);
    if (backlog > second) {
        double rate = arrivals_rate(load_schedule(load), now_ns - BILLION);
        double passed = (double)(now_ns - b->looked_ns);
        double above = (backlog - second) / rate * (double)BILLION;
        b->staggered_ns[load->kind] += (uint64_t)(above < passed ? above : passed);
    }
    b->is_bad |= backlog > seconds;
}

void backlog_look(struct backlog *b, const struct crew *crew, uint64_t now_ns)
{
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        if (crew->run->loads[kind].pace == PACE_RATE)
            look_at(b, &crew->run->loads[kind], crew_progress(crew, kind).ended, now_ns);
    b->looked_ns = now_ns;
}
