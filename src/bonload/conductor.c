#include "bonload/conductor.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bonload/interim.h"
#include "bonload/steering.h"
#include "measure/clock.h"
#include "measure/cpu.h"
#include "sys/stop.h"
#include "util/message.h"
#include "util/units.h"

#define TICK_NS          UINT64_C(10000000)
#define MEMORY_EVERY_NS  (10 * BILLION)
#define INTERVAL_NS      BILLION
#define INTERVALS_MOST   1200
#define TIMELINE_NS      (BILLION / 10)
#define TIMELINE_MOST    240
#define BAD_RATE_SECONDS 2

/* What was due before the end of a rate, and began late, may still begin for this time. */
#define GRACE_NS UINT64_C(100000000)

/* A message of the coordinator is not to stand behind half a line of progress. */
static void break_line(void *view)
{
    progress_clear(view);
}

int conductor_open(struct conductor *c, struct run *run, struct coordinator *coordinator,
                   struct err *e)
{
    *c = (struct conductor){.run = run, .coordinator = coordinator};
    int rc = steps_open(&c->steps, run, coordinator, e);
    if (rc == 0)
        rc = series_open(&c->intervals, INTERVAL_NS, INTERVALS_MOST, e);
    if (rc == 0)
        rc = series_open(&c->timeline, TIMELINE_NS, TIMELINE_MOST, e);
    if (rc == 0)
        rc = progress_open(&c->view, run->plan->show_progress, e);
    if (rc == 0) {
        coordinator->break_line = break_line;
        coordinator->line = &c->view;
    } else {
        conductor_close(c);
    }
    return rc;
}

void conductor_close(struct conductor *c)
{
    c->coordinator->break_line = NULL;
    steps_close(&c->steps);
    series_close(&c->intervals);
    series_close(&c->timeline);
    progress_close(&c->view);
}

static void set_load(struct conductor *c, enum load_kind kind, uint64_t now_ns)
{
    const struct kind_plan *k = &c->run->plan->kinds[kind];
    if (k->pace == PACE_RATE)
        run_set_rate(c->run, kind, k->rate, now_ns);
    else if (k->pace == PACE_CLOSED)
        run_set_threads(c->run, kind, k->threads);
}

/* Sets the first load; reads first, because writes may open theirs. */
static void begin_load(struct conductor *c, uint64_t now_ns)
{
    const struct plan *p = c->run->plan;
    if (p->mode == MODE_SEARCH || p->mode == MODE_SWEEP) {
        steering_begin(c, now_ns);
    } else {
        set_load(c, LOAD_READ, now_ns);
        set_load(c, LOAD_WRITE, now_ns);
    }
}

/* Number of requests of a schedule that have come due. */
static uint64_t due_by(struct conductor *c, enum load_kind kind, uint64_t now_ns)
{
    const struct load *load = &c->run->loads[kind];
    if (load->pace != PACE_RATE || !atomic_load(&load->is_open) || atomic_load(&load->rate) == 0)
        return 0;
    return arrivals_due(&load->schedules[atomic_load(&load->schedule) % SCHEDULES],
                        &c->cursors[kind], now_ns);
}

/* From now on requests are counted, and count. */
static void end_warmup(struct conductor *c, uint64_t now_ns)
{
    struct run *run = c->run;
    const struct plan *p = run->plan;
    c->is_warm = true;
    c->warm_ns = now_ns;
    if (p->warmup_ns == 0)
        return;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        c->warm_due[kind] = due_by(c, kind, now_ns);
    atomic_store(&run->counts_from_ns, now_ns);
    if (p->max_requests < UINT64_MAX)
        atomic_store(&run->most, atomic_load(&run->budget) + c->most);
    if (p->mode == MODE_SEARCH || p->mode == MODE_SWEEP)
        begin_load(c, now_ns);
}

static void end_all(struct conductor *c, uint64_t now_ns)
{
    if (c->end_ns == 0)
        c->end_ns = now_ns;
    run_end_all(c->run);
}

void conductor_end(struct conductor *c, uint64_t now_ns)
{
    c->is_over = true;
    if (c->end_ns == 0)
        end_all(c, now_ns);
}

/* The budget is used up: whoever sleeps until its next ticket is due need not do so. */
static void end_budget(struct conductor *c)
{
    uint64_t exhausted_ns = atomic_load(&c->run->exhausted_ns);
    if (exhausted_ns == 0 || c->end_ns != 0)
        return;
    c->end_ns = exhausted_ns;
    run_wake(c->run);
}

static uint64_t goal_ns(const struct conductor *c)
{
    const struct plan *p = c->run->plan;
    uint64_t all = p->mode == MODE_SWEEP ? p->duration_ns * p->sweep_count : p->duration_ns;
    return all > 0 ? c->start_ns + p->warmup_ns + all : 0;
}

/*
 * How long more than a second's worth of requests were due and not ended. Between two looks the
 * backlog grew as the schedule says, so when it went over that line can be told even if this thread
 * was stopped meanwhile.
 */
static void look_at_backlog(struct conductor *c, enum load_kind kind, uint64_t now_ns)
{
    struct run *run = c->run;
    double rate = (double)atomic_load(&run->loads[kind].rate) / (double)BILLION;
    double line = rate > 1 ? rate : 1;
    uint64_t due = due_by(c, kind, now_ns);
    uint64_t ended = run_progress(run, kind).ended;
    double backlog = due > ended ? (double)(due - ended) : 0;
    if (backlog > line) {
        double passed = (double)(now_ns - c->looked_ns);
        double above = (backlog - line) / rate * (double)BILLION;
        c->staggered_ns[kind] += (uint64_t)(above < passed ? above : passed);
    }
    if (backlog > BAD_RATE_SECONDS * line && run->plan->stop_on_bad_rate)
        c->is_bad_rate = true;
}

static void look_at_rates(struct conductor *c, uint64_t now_ns)
{
    if (c->run->plan->mode != MODE_RATE || c->end_ns != 0)
        return;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        if (c->run->loads[kind].pace == PACE_RATE)
            look_at_backlog(c, kind, now_ns);
    c->looked_ns = now_ns;
    if (c->is_bad_rate)
        end_all(c, now_ns);
}

static void look_at_end(struct conductor *c, uint64_t now_ns)
{
    const struct plan *p = c->run->plan;
    uint64_t goal = p->mode == MODE_SWEEP ? 0 : goal_ns(c);
    if (stop_signal() && !c->was_stopped) {
        c->was_stopped = true;
        c->is_over = true; /* each rank gets the signal: they do not meet for it */
        end_all(c, now_ns);
    }
    if (goal != 0 && now_ns >= goal && c->end_ns == 0)
        c->end_ns = goal - 1;
    if (goal != 0 && now_ns >= goal + (p->mode == MODE_RATE ? GRACE_NS : 0))
        end_all(c, goal - 1);
    end_budget(c);
}

static void look_at_course(struct conductor *c, uint64_t now_ns, bool is_last)
{
    uint64_t elapsed_ns = now_ns - c->start_ns;
    series_look(&c->intervals, &c->run->recorders, elapsed_ns, is_last);
    series_look(&c->timeline, &c->run->recorders, elapsed_ns, is_last);
}

static void tell_memory(struct conductor *c, uint64_t now_ns)
{
    unsigned long total;
    unsigned long resident;
    if (!c->run->plan->memory_debug || now_ns < c->memory_told_ns + MEMORY_EVERY_NS)
        return;
    c->memory_told_ns = now_ns;
    FILE *in = fopen("/proc/self/statm", "re");
    if (!in)
        return;
    if (fscanf(in, "%lu %lu", &total, &resident) == 2)
        message("memory used: %lu KiB", resident * (unsigned long)sysconf(_SC_PAGESIZE) / 1024);
    fclose(in);
}

/* Where ranks look together, the warming up is over when it is in rank 0. */
static bool is_time(const struct conductor *c, uint64_t now_ns)
{
    if (c->coordinator->ranks.number > 0 && steering_is_needed(c))
        return c->may_be_warm;
    return now_ns >= c->start_ns + c->run->plan->warmup_ns;
}

/* What the other ranks say; their failure ends this one, too. */
static int look_at_others(struct conductor *c, uint64_t now_ns, struct err *e)
{
    struct err failure;
    err_init(&failure);
    int rc = steering_look(c, now_ns, &failure);
    coordinator_look(c->coordinator);
    if (stop_signal())
        return 0;
    if (rc == 0)
        return stop_check(e);
    *e = failure;
    return rc;
}

static int look(struct conductor *c, struct err *e)
{
    uint64_t now_ns = clock_ns();
    if (!c->is_warm && is_time(c, now_ns))
        end_warmup(c, now_ns);
    look_at_end(c, now_ns);
    look_at_rates(c, now_ns);
    int rc = look_at_others(c, now_ns, e);
    look_at_course(c, now_ns, false);
    if (c->run->plan->verbose)
        tell_failures(c);
    tell_memory(c, now_ns);
    progress_look(&c->view, c->run, now_ns, goal_ns(c));
    return rc;
}

/* Waits for the next look. SIGUSR1 asks for the figures so far. */
static void rest(struct conductor *c)
{
    const struct timespec tick = {.tv_nsec = TICK_NS};
    sigset_t asked;
    sigemptyset(&asked);
    sigaddset(&asked, SIGUSR1);
    bool is_asked = sigtimedwait(&asked, NULL, &tick) == SIGUSR1;
    if (is_asked && c->run->plan->stripe.index == 0) {
        progress_clear(&c->view);
        tell_interim(c);
    }
}

static int64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * (int64_t)BILLION + now.tv_nsec;
}

static void begin(struct conductor *c)
{
    struct run *run = c->run;
    c->start_time_ns = wall_ns();
    c->cpu_ns = cpu_used_ns();
    c->start_ns = c->looked_ns = run->start_ns = clock_ns();
    c->memory_told_ns = c->start_ns;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        if (atomic_load(&run->loads[kind].is_open))
            atomic_store(&run->loads[kind].opened_ns, c->start_ns);
    if (run->plan->mode == MODE_RATE && goal_ns(c) != 0)
        atomic_store(&run->until_ns, goal_ns(c));
    begin_load(c, c->start_ns);
}

/* All ranks begin together. */
static int meet_at_start(struct conductor *c, struct err *e)
{
    const struct meeting m = {.name = "Starting the load", .compares_clocks = true};
    return coordinator_meet(c->coordinator, &m, e);
}

/* True when no further look is needed. */
static bool is_through(const struct conductor *c)
{
    return run_is_through(c->run) && (c->is_over || !steering_is_needed(c));
}

/* Makes the load, until all requests of this rank have ended. */
static int conduct(struct conductor *c, struct err *e)
{
    int rc = meet_at_start(c, e);
    if (rc == 0)
        begin(c);
    while (rc == 0 && !is_through(c)) {
        rest(c);
        rc = look(c, e);
    }
    if (rc != 0)
        run_end_all(c->run);
    run_join(c->run);
    return rc;
}

/* When the load came to its end, if nothing else has ended it. */
static uint64_t find_end(const struct run *run, uint64_t now_ns)
{
    uint64_t exhausted_ns = atomic_load(&run->exhausted_ns);
    uint64_t until_ns = atomic_load(&run->until_ns);
    return exhausted_ns ? exhausted_ns : now_ns < until_ns ? now_ns : until_ns - 1;
}

int conductor_run(struct conductor *c, struct err *e)
{
    struct run *run = c->run;
    c->most = run->most;
    if (run->plan->warmup_ns > 0) {
        run->most = UINT64_MAX;
        run->counts_from_ns = UINT64_MAX;
    }
    int rc = run_start(run, e);
    if (rc == 0)
        rc = conduct(c, e);
    if (rc != 0)
        return rc;
    uint64_t now_ns = clock_ns();
    if (c->end_ns == 0)
        c->end_ns = find_end(run, now_ns);
    rc = steering_end(c, now_ns, e);
    look_at_course(c, now_ns, true);
    progress_clear(&c->view);
    if (run->plan->verbose)
        tell_failures(c); /* what has failed since the last look, or before the first one */
    c->is_through = true;
    return rc;
}
