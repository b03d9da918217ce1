// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/load/load_threads.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/clock.h"
#include "measure/cpu.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/partition.h"
#include "util/units.h"

/*
 * With the least timer slack, a sleep ends a few microseconds late, instead of about 50. A thread
 * whose request is due within SPIN_NS does not sleep but polls the clock.
 */
#define TIMER_SLACK_NS 1
#define SPIN_NS        UINT64_C(3000)

/* Instant requests take this many numbers at once, so that threads seldom compete for them. */
#define INSTANT_BATCH 256

/* A load thread with requests in flight looks this often for changes that other threads make. */
#define LOOK_NS UINT64_C(1000000)

/* What a free channel may do. */
enum turn {
    TURN_NOW,  /* a request is due: at ticket_ns */
    TURN_WAIT, /* a request may begin at ticket_ns; if that is 0, only after something changes */
    TURN_OVER, /* no further request may begin */
};

/* Takes the permission for one request. If none is left, records the time: the run ends. */
static bool take_budget(struct load_thread *t)
{
    struct run *run = t->run;
    if (t->budget > 0) {
        t->budget--;
        return true;
    }
    bool is_instant = run->target->traits & TARGET_INSTANT && t->load->pace == PACE_CLOSED;
    uint64_t batch = is_instant ? INSTANT_BATCH : 1;
    uint64_t most = atomic_load_explicit(&run->most, memory_order_relaxed);
    uint64_t used = atomic_fetch_add_explicit(&run->budget, batch, memory_order_relaxed);
    if (used >= most) {
        uint64_t not_yet = 0;
        atomic_compare_exchange_strong(&run->exhausted_ns, &not_yet, t->now_ns);
        return false;
    }
    t->budget = (most - used < batch ? most - used : batch) - 1;
    return true;
}

/* Whether no further write can succeed, so that no further read will get permission. */
static bool writes_are_over(const struct load_thread *t)
{
    return atomic_load(&t->run->loads[LOAD_WRITE].threads_left) == 0;
}

/* Whether a request may begin on a free channel now. */
static enum turn turn_of(struct load_thread *t)
{
    struct load *load = t->load;
    bool is_exhausted = t->budget == 0 && load->pace != PACE_FOLLOWS &&
                        atomic_load_explicit(&t->run->exhausted_ns, memory_order_relaxed) != 0;
    if (atomic_load_explicit(&t->run->is_over, memory_order_relaxed) || is_exhausted)
        return TURN_OVER;
    unsigned gate = atomic_load_explicit(&t->run->gate, memory_order_acquire);
    if (gate != t->gate) {
        t->ticket_ns = 0; /* the ticket is void: its step has ended */
        if (gate % 2 != 0)
            return TURN_WAIT;
        t->gate = gate;
        t->budget = 0;
    }
    if (!atomic_load_explicit(&load->is_open, memory_order_acquire))
        return writes_are_over(t) ? TURN_OVER : TURN_WAIT;
    if (load->pace == PACE_FOLLOWS) {
        bool was_over = writes_are_over(t);
        uint64_t allowed = run_reads_allowed(t->run);
        uint64_t begun = atomic_load(&load->followed);
        while (begun < allowed) {
            if (atomic_compare_exchange_weak(&load->followed, &begun, begun + 1)) {
                t->ticket_ns = t->now_ns;
                return TURN_NOW;
            }
        }
        return was_over ? TURN_OVER : TURN_WAIT;
    }
    if (load->pace == PACE_RATE) {
        if (atomic_load(&load->rate) == 0)
            return TURN_WAIT;
        /* the schedule must be read after the rate, which is stored last */
        if (t->ticket_ns == 0)
            t->ticket_ns =
                arrivals_take(&load->schedules[atomic_load(&load->schedule) % SCHEDULES]);
        if (t->ticket_ns >= atomic_load_explicit(&t->run->until_ns, memory_order_relaxed))
            return TURN_OVER;
        if (t->ticket_ns > t->now_ns)
            return TURN_WAIT;
    } else {
        unsigned active = atomic_load_explicit(&load->active, memory_order_relaxed);
        unsigned quota = active / load->shares + (t->share < active % load->shares);
        if (t->channels - t->unused_count >= quota)
            return TURN_WAIT;
    }
    return take_budget(t) ? TURN_NOW : TURN_OVER;
}

/* Picks one of the run's writes at random, and returns its number; 0: there is none yet. */
static uint64_t pick_written(struct run *run)
{
    return written_pick(&run->written,
                        rng_mix(run->plan->rank_seed ^ atomic_fetch_add(&run->read_numbers, 1)));
}

static bool is_written_one_by_one(const struct run *run)
{
    return run->reads_written || !(run->target->traits & TARGET_INSTANT);
}

/*
 * Gives a request its number, which determines its name. A removal gets the oldest object that the
 * run wrote, or, in a run that writes nothing, the next name; a change gets one of the objects that
 * the run wrote. If there is none, the request becomes a write. Where the name does not matter, the
 * load thread takes several numbers at once.
 */
static void number_request(struct load_thread *t, struct request *r)
{
    struct run *run = t->run;
    r->number = 0;
    if (r->removes && run->plan->puts_nothing)
        r->number = atomic_fetch_add(&run->removals, 1) + 1;
    else if (r->removes)
        r->number = written_take_oldest(&run->written);
    else if (r->changes)
        r->number = pick_written(run);
    if (r->number != 0)
        return;
    r->removes = r->changes = false; /* there is no such object */
    if (r->kind == LOAD_WRITE && is_written_one_by_one(run)) {
        r->number = written_begin(&run->written, r->channel);
        return;
    }
    if (r->kind == LOAD_READ && run->reads_written) {
        r->number = pick_written(run);
        return;
    }
    if (t->numbers == 0) {
        t->numbers = t->budget + 1;
        t->next_number = r->kind == LOAD_WRITE
                             ? written_take(&run->written, t->numbers)
                             : atomic_fetch_add(&run->read_numbers, t->numbers) + 1;
    }
    t->numbers--;
    r->number = t->next_number++;
}

/*
 * Adds one to a number that only this thread changes. The store releases, so a thread that sees the
 * end of a request also sees its beginning.
 */
static void count_one(_Atomic uint64_t *number)
{
    atomic_store_explicit(number, atomic_load_explicit(number, memory_order_relaxed) + 1,
                          memory_order_release);
}

/* Handles the end of a request, which the target examines first, in time that does not count. */
static void settle_request(struct load_thread *t, struct request *r, uint64_t end_ns)
{
    struct run *run = t->run;
    if (run->target->inspect) {
        run->target->inspect(t->target, r);
        t->now_ns = clock_ns();
    }
    bool is_of_step = r->gate == (atomic_load_explicit(&run->gate, memory_order_relaxed) & ~1U);
    if (is_of_step &&
        r->due_ns >= atomic_load_explicit(&run->counts_from_ns, memory_order_relaxed)) {
        uint64_t aside_ns = r->aside_ns + r->connect_ns;
        uint64_t passed_ns = end_ns - r->start_ns;
        uint64_t service_ns = passed_ns > aside_ns ? passed_ns - aside_ns : 0;
        bool has_due = t->load->pace == PACE_RATE;
        uint64_t response_ns = has_due ? end_ns - r->due_ns - r->aside_ns : service_ns;
        struct recorder *recorder = t->recorder;
        if (run->rules.is_shared) {
            int cpu = sched_getcpu();
            recorder = &run->recorders.list[(unsigned)(cpu < 0 ? 0 : cpu) % run->recorders.count];
        }
        recorder_add(recorder, &run->rules, r, response_ns, service_ns);
        slowest_add(&t->slowest, &(struct slow_request){.response_ns = response_ns,
                                                        .due_ns = r->due_ns,
                                                        .number = r->number,
                                                        .failure = r->failure,
                                                        .op = r->op});
        if (r->failure != 0)
            failures_note(&run->failures, r->kind, r->failure, r->number);
        if (r->miss != 0)
            failures_note(&run->misses, r->kind, r->miss, r->number);
        if (t->slow && r->failure == 0 &&
            service_ns >= atomic_load_explicit(&t->slow->over_ns, memory_order_relaxed) &&
            slow_box_has_room(t->slow))
            slow_box_put(t->slow, &(struct slow_op){
                                      /* time that does not count comes first, as evicting does */
                                      .start_ns = end_ns - service_ns,
                                      .end_ns = end_ns,
                                      .thread = (int)syscall(SYS_gettid),
                                      .writes = r->kind == LOAD_WRITE,
                                  });
    }
    if (r->kind == LOAD_WRITE && !r->removes && !r->changes) {
        if (is_written_one_by_one(run))
            written_end(&run->written, r->channel, r->number, r->failure == 0);
        else if (r->failure != 0)
            written_leave_out(&run->written, r->number);
        if (run->plan->settings->removes && (run->target->traits & TARGET_FILES))
            written_note_file(&run->written, r->number, run->names.period, r->made);
        if (r->failure == 0 && plan_has(run->plan, LOAD_READ))
            run_open_reads(run, t->now_ns);
    }
    if (is_of_step) {
        count_one(&t->ended);
        atomic_store_explicit(&t->last_end_ns, end_ns, memory_order_relaxed);
    }
    t->unused[t->unused_count++] = r;
}

/* Begins the request that has the load thread's ticket. */
static void begin_request(struct load_thread *t, struct request *r)
{
    const struct target_ops *target = t->run->target;
    r->due_ns = t->ticket_ns;
    r->gate = t->gate;
    t->ticket_ns = 0;
    t->unused_count--;
    /* one by one, which costs less than clearing all of *r */
    r->removes = r->changes = r->made = false;
    r->failure = r->miss = 0;
    r->bytes = r->aside_ns = r->judged_ns = r->first_byte_ns = 0;
    r->connections = 0;
    r->connect_ns = r->tls_ns = 0;
    if (target->choose)
        target->choose(t->run->shared, r, rng_next(&t->rng));
    number_request(t, r);
    if (target->prepare) {
        target->prepare(t->target, r);
        t->now_ns = clock_ns();
    }
    r->start_ns = t->now_ns;
    if (r->due_ns == 0 || r->due_ns > r->start_ns)
        r->due_ns = r->start_ns;
    count_one(&t->begun);
    if (target->submit(t->target, r) == TARGET_QUEUED)
        return;
    t->now_ns = clock_ns();
    settle_request(t, r, t->now_ns);
}

/*
 * Sleeps until the ticket is due or something changes. Nothing may be in flight. If the run is
 * paused, the load thread is parked, and gives its budget back.
 */
static void load_thread_sleep(struct load_thread *t, uint32_t change, uint32_t writes)
{
    struct run *run = t->run;
    unsigned gate = atomic_load(&run->gate);
    bool is_parked = gate % 2 != 0;
    if (is_parked) {
        if (gate == t->gate + 1)
            atomic_fetch_sub(&run->budget, t->budget);
        t->budget = 0;
        t->ticket_ns = 0;
        atomic_store(&t->parked, gate);
    }
    uint64_t until_ns = t->ticket_ns != 0 ? t->ticket_ns : EVENT_NO_DEADLINE;
    if (t->load->pace == PACE_FOLLOWS && atomic_load(&t->load->is_open) && !is_parked) {
        atomic_fetch_add(&run->followers, 1);
        if (run_reads_allowed(run) <= atomic_load(&t->load->followed) &&
            !atomic_load(&run->is_over) && !writes_are_over(t))
            event_wait(&run->write_ended, writes, EVENT_NO_DEADLINE);
        atomic_fetch_sub(&run->followers, 1);
    } else if (until_ns - t->now_ns > SPIN_NS) {
        event_wait(&run->change, change, until_ns);
    }
    t->now_ns = clock_ns();
}

/* Waits for requests in flight, but not for long if other changes could let a request begin. */
static void wait_for_target(struct load_thread *t, bool is_over_now)
{
    uint64_t until_ns = t->now_ns + LOOK_NS;
    if (t->unused_count == 0 || is_over_now)
        until_ns = t->now_ns + 100 * LOOK_NS;
    else if (t->ticket_ns > 0 && t->ticket_ns < until_ns)
        until_ns = t->ticket_ns;
    /* requests that end are stored where settle_request() puts them */
    struct request **done = t->unused + t->unused_count;
    unsigned ended = t->run->target->poll(t->target, until_ns, done, t->channels - t->unused_count);
    uint64_t end_ns = t->now_ns = clock_ns();
    for (unsigned i = 0; i < ended; i++)
        settle_request(t, done[i], end_ns);
}

void *load_thread_work(void *load_thread)
{
    struct load_thread *t = load_thread;
    struct run *run = t->run;
    stop_block_signals();
    atomic_store(&t->thread_id, gettid());
    prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS, 0, 0, 0);
    t->now_ns = clock_ns();
    for (;;) {
        uint32_t change = event_count(&run->change);
        uint32_t writes = event_count(&run->write_ended);
        enum turn turn = TURN_WAIT;
        while (t->unused_count > 0 && (turn = turn_of(t)) == TURN_NOW)
            begin_request(t, t->unused[t->unused_count - 1]);
        if (t->unused_count < t->channels)
            wait_for_target(t, turn == TURN_OVER);
        else if (turn == TURN_OVER)
            break;
        else
            load_thread_sleep(t, change, writes);
    }
    for (; t->numbers > 0 && t->load->kind == LOAD_WRITE; t->numbers--)
        written_leave_out(&run->written, t->next_number++); /* these were never begun */
    atomic_store(&t->waited_ns, cpu_demand_of_thread().waited_ns);
    atomic_store(&t->parked, LOAD_THREAD_OVER);
    if (atomic_fetch_sub(&t->load->threads_left, 1) == 1)
        run_wake(run);
    return NULL;
}

/* Enough stack for system calls. Only the pages that a thread touches take memory. */
#define STACK_BYTES (256 * KIB)

int load_threads_open(struct load_threads *c, struct run *run, struct err *e)
{
    *c = (struct load_threads){.run = run};
    unsigned all = run->loads[LOAD_READ].shares + run->loads[LOAD_WRITE].shares;
    c->list = calloc(all, sizeof *c->list);
    if (!c->list)
        return err_system(e, ENOMEM, "allocate memory for %u threads", all);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        struct load *load = &run->loads[kind];
        for (unsigned share = 0; share < load->shares; share++) {
            const struct partition part = partition_of(load->channels, load->shares, share);
            struct load_thread *t = &c->list[c->count++];
            *t = (struct load_thread){
                .run = run,
                .load = load,
                .share = share,
                .channels = (unsigned)part.count,
                .recorder = &run->recorders.list[share % run->recorders.count],
                .requests = calloc(part.count, sizeof *t->requests),
                .unused = calloc(part.count, sizeof *t->unused),
            };
            rng_init(&t->rng, run->plan->rank_seed, 2 * part.first + kind);
            if (!t->requests || !t->unused) {
                int rc = err_system(e, ENOMEM, "allocate memory for %u channels", t->channels);
                load_threads_close(c);
                return rc;
            }
            for (unsigned i = t->channels; i-- > 0;) {
                t->requests[i] =
                    (struct request){.kind = kind, .channel = (unsigned)part.first + i};
                t->unused[t->unused_count++] = &t->requests[i];
            }
        }
    }
    return 0;
}

void load_threads_close(struct load_threads *c)
{
    for (unsigned i = 0; i < c->count; i++) {
        free(c->list[i].requests);
        free(c->list[i].unused);
    }
    free(c->list);
    *c = (struct load_threads){0};
}

static void leave_target(struct load_thread *t)
{
    if (t->target && t->run->target->leave)
        t->run->target->leave(t->target);
    free(t->target);
}

int load_threads_start(struct load_threads *c, struct err *e)
{
    const struct target_ops *target = c->run->target;
    pthread_attr_t attributes;
    int rc = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (rc == 0 && c->started < c->count) {
        struct load_thread *t = &c->list[c->started];
        if (target->join) {
            t->target = calloc(1, target->thread_bytes + t->channels * target->channel_bytes);
            rc = t->target ? target->join(t->target, c->run->shared, t->channels, e)
                           : err_system(e, ENOMEM, "allocate memory for %u channels", t->channels);
        }
        int code = rc == 0 ? pthread_create(&t->thread, &attributes, load_thread_work, t) : 0;
        if (code != 0)
            rc = err_system(e, code, "start thread %u of %u", c->started + 1, c->count);
        if (rc == 0)
            c->started++;
        else
            leave_target(t);
    }
    pthread_attr_destroy(&attributes);
    if (rc != 0) {
        run_end(c->run);
        load_threads_join(c);
    }
    return rc;
}

void load_threads_join(struct load_threads *c)
{
    while (c->started > 0) {
        struct load_thread *t = &c->list[--c->started];
        pthread_join(t->thread, NULL);
        leave_target(t);
    }
}

unsigned load_threads_busy(const struct load_threads *c)
{
    unsigned busy = 0;
    for (unsigned i = 0; i < c->count; i++) {
        const struct load_thread *t = &c->list[i];
        unsigned parked = atomic_load(&t->parked);
        busy += parked != LOAD_THREAD_OVER && parked != atomic_load(&c->run->gate);
    }
    return busy;
}

struct progress load_threads_progress(const struct load_threads *c, enum load_kind kind)
{
    struct progress sum = {0};
    for (unsigned i = 0; i < c->count; i++) {
        const struct load_thread *t = &c->list[i];
        if (t->load->kind != kind)
            continue;
        uint64_t ended = atomic_load_explicit(&t->ended, memory_order_relaxed);
        uint64_t begun = atomic_load_explicit(&t->begun, memory_order_relaxed);
        sum.ended += ended;
        sum.begun += begun > ended ? begun : ended; /* a request may have ended meanwhile */
    }
    return sum;
}

uint64_t load_threads_leave(struct load_threads *c, enum load_kind kind)
{
    uint64_t left = 0;
    atomic_fetch_add(&c->run->gate, 2); /* the run stays paused; these requests are of no step */
    for (unsigned i = 0; i < c->count; i++) {
        struct load_thread *t = &c->list[i];
        uint64_t ended = atomic_load(&t->ended);
        if (t->load->kind == kind)
            left += atomic_exchange(&t->begun, ended) - ended;
    }
    return left;
}

/* How long a thread has waited for a CPU. Returns false when the kernel does not say. */
static bool read_wait(const struct load_thread *t, uint64_t *waited_ns)
{
    char path[64];
    pid_t id = atomic_load(&t->thread_id);
    *waited_ns = 0;
    if (id == 0)
        return true;
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", (int)id);
    int fd = kernel_file_open(path, O_RDONLY);
    bool is_known = fd >= 0 && cpu_read_schedstat(fd, waited_ns);
    descriptor_close(&fd);
    if (atomic_load(&t->parked) != LOAD_THREAD_OVER)
        return is_known;
    *waited_ns = atomic_load(&t->waited_ns);
    return true;
}

void load_threads_begin_span(struct load_threads *c, enum span span)
{
    for (unsigned i = 0; i < c->count; i++)
        read_wait(&c->list[i], &c->list[i].waited_before_ns[span]);
}

double load_threads_longest_wait(const struct load_threads *c, enum span span)
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

void load_threads_forget(struct load_threads *c)
{
    recorders_clear(&c->run->recorders);
    failures_clear(&c->run->failures);
    failures_clear(&c->run->misses);
    if (c->run->target->forget)
        c->run->target->forget(c->run->shared);
    for (unsigned i = 0; i < c->count; i++) {
        struct load_thread *t = &c->list[i];
        slowest_clear(&t->slowest);
        atomic_store(&t->begun, 0);
        atomic_store(&t->ended, 0);
        atomic_store(&t->last_end_ns, 0);
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

void backlog_measure(struct backlog *b, const struct load_threads *load_threads, uint64_t now_ns)
{
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct load *load = &load_threads->run->loads[kind];
        if (!load_has_schedule(load))
            continue;
        uint64_t ended = load_threads_progress(load_threads, kind).ended;
        uint64_t due = due_before(b, load, 0, now_ns);
        double backlog = due > ended ? (double)(due - ended) : 0;
        double second = fmax((double)(due - due_before(b, load, 1, now_ns)), 1);
        double seconds =
            fmax((double)(due - due_before(b, load, BAD_RATE_SECONDS, now_ns)), BAD_RATE_SECONDS);
        if (backlog > second) {
            /*
             * The number that was due a second ago grew as the schedule says, so the moment when it
             * crossed the number that ended can be computed, even if this thread did not run then.
             */
            double rate = arrivals_rate(load_schedule(load), now_ns - BILLION);
            double passed = (double)(now_ns - b->looked_ns);
            double above = (backlog - second) / rate * (double)BILLION;
            b->staggered_ns[kind] += (uint64_t)(above < passed ? above : passed);
        }
        b->is_bad |= backlog > seconds;
    }
    b->looked_ns = now_ns;
}
