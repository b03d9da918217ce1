// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/load/driver.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/clock.h"
#include "util/partition.h"

/*
 * With the least timer slack a sleep ends only a few us late, and not about 50. A thread whose
 * request is due within SPIN_NS does not sleep but polls the clock.
 */
#define TIMER_SLACK_NS 1
#define SPIN_NS        UINT64_C(3000)

/* Instant requests take this many numbers at once, so that threads seldom compete for them. */
#define INSTANT_BATCH 256

/* A driver with requests in flight looks this often for changes that other threads make. */
#define LOOK_NS UINT64_C(1000000)

/* What a free channel may do. */
enum turn {
    TURN_NOW,  /* a request is due: at ticket_ns */
    TURN_WAIT, /* a request may begin at ticket_ns; if that is 0, only after something changes */
    TURN_OVER, /* no further request may begin */
};

int driver_open(struct driver *d, struct run *run, struct load *load, unsigned share, struct err *e)
{
    const struct partition part = partition_of(load->channels, load->shares, share);
    *d = (struct driver){
        .run = run,
        .load = load,
        .share = share,
        .channels = (unsigned)part.count,
        .recorder = &run->recorders.list[share % run->recorders.count],
    };
    rng_init(&d->rng, run->plan->rank_seed, 2 * part.first + load->kind);
    d->requests = calloc(part.count, sizeof *d->requests);
    d->unused = calloc(part.count, sizeof *d->unused);
    if (!d->requests || !d->unused)
        return err_system(e, ENOMEM, "memory for %u channels", d->channels);
    for (unsigned i = d->channels; i-- > 0;) {
        d->requests[i] = (struct request){.kind = load->kind, .channel = (unsigned)part.first + i};
        d->unused[d->unused_count++] = &d->requests[i];
    }
    return 0;
}

void driver_close(struct driver *d)
{
    free(d->requests);
    free(d->unused);
}

/* Takes the permission for one request. When the budget is used up, notes when: the run ends. */
static bool take_budget(struct driver *d)
{
    struct run *run = d->run;
    if (d->budget > 0) {
        d->budget--;
        return true;
    }
    bool is_instant = run->target->traits & TARGET_INSTANT && d->load->pace == PACE_CLOSED;
    uint64_t batch = is_instant ? INSTANT_BATCH : 1;
    uint64_t most = atomic_load_explicit(&run->most, memory_order_relaxed);
    uint64_t used = atomic_fetch_add_explicit(&run->budget, batch, memory_order_relaxed);
    if (used >= most) {
        uint64_t not_yet = 0;
        atomic_compare_exchange_strong(&run->exhausted_ns, &not_yet, d->now_ns);
        return false;
    }
    d->budget = (most - used < batch ? most - used : batch) - 1;
    return true;
}

/* Whether the budget is used up and this driver has no permission left. */
static bool is_exhausted(const struct driver *d)
{
    return d->budget == 0 && d->load->pace != PACE_FOLLOWS &&
           atomic_load_explicit(&d->run->exhausted_ns, memory_order_relaxed) != 0;
}

/* Whether no further write can succeed, so that no further read will get permission. */
static bool writes_are_over(const struct driver *d)
{
    return atomic_load(&d->run->loads[LOAD_WRITE].drivers) == 0;
}

/* Takes the permission for one read that follows writes. */
static enum turn turn_of_follower(struct driver *d)
{
    bool was_over = writes_are_over(d);
    uint64_t allowed = run_reads_allowed(d->run);
    uint64_t begun = atomic_load(&d->load->followed);
    while (begun < allowed) {
        if (atomic_compare_exchange_weak(&d->load->followed, &begun, begun + 1)) {
            d->ticket_ns = d->now_ns;
            return TURN_NOW;
        }
    }
    return was_over ? TURN_OVER : TURN_WAIT;
}

static enum turn turn_on_schedule(struct driver *d)
{
    struct load *load = d->load;
    if (atomic_load(&load->rate) == 0)
        return TURN_WAIT;
    /* the schedule must be read after the rate, which is stored last */
    if (d->ticket_ns == 0)
        d->ticket_ns = arrivals_take(&load->schedules[atomic_load(&load->schedule) % SCHEDULES]);
    if (d->ticket_ns >= atomic_load_explicit(&d->run->until_ns, memory_order_relaxed))
        return TURN_OVER;
    if (d->ticket_ns > d->now_ns)
        return TURN_WAIT;
    return take_budget(d) ? TURN_NOW : TURN_OVER;
}

/* Number of active channels of this driver: an equal share of the load's. */
static unsigned driver_quota(const struct driver *d)
{
    unsigned active = atomic_load_explicit(&d->load->active, memory_order_relaxed);
    return active / d->load->shares + (d->share < active % d->load->shares);
}

/* Whether a request may begin on a free channel now. */
static enum turn turn_of(struct driver *d)
{
    struct load *load = d->load;
    if (atomic_load_explicit(&d->run->is_over, memory_order_relaxed) || is_exhausted(d))
        return TURN_OVER;
    unsigned gate = atomic_load_explicit(&d->run->gate, memory_order_acquire);
    if (gate != d->gate) {
        d->ticket_ns = 0; /* the ticket is void: its step has ended */
        if (gate % 2 != 0)
            return TURN_WAIT;
        d->gate = gate;
        d->budget = 0;
    }
    if (!atomic_load_explicit(&load->is_open, memory_order_acquire))
        return writes_are_over(d) ? TURN_OVER : TURN_WAIT;
    if (load->pace == PACE_RATE)
        return turn_on_schedule(d);
    if (load->pace == PACE_FOLLOWS)
        return turn_of_follower(d);
    if (d->channels - d->unused_count >= driver_quota(d))
        return TURN_WAIT;
    return take_budget(d) ? TURN_NOW : TURN_OVER;
}

/* The next number for a request whose name does not matter. Takes several numbers at once. */
static uint64_t next_of_batch(struct driver *d)
{
    struct run *run = d->run;
    if (d->numbers == 0) {
        d->numbers = d->budget + 1;
        d->next_number = d->load->kind == LOAD_WRITE
                             ? written_take(&run->written, d->numbers)
                             : atomic_fetch_add(&run->read_numbers, d->numbers) + 1;
    }
    d->numbers--;
    return d->next_number++;
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
 * the run wrote. If there is none, the request becomes a write.
 */
static void number_request(struct driver *d, struct request *r)
{
    struct run *run = d->run;
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
    if (r->kind == LOAD_WRITE && is_written_one_by_one(run))
        r->number = written_begin(&run->written, r->channel);
    else if (r->kind == LOAD_READ && run->reads_written)
        r->number = pick_written(run);
    else
        r->number = next_of_batch(d);
}

/* Updates the ledgers when a write has ended. */
static void settle_number(struct driver *d, const struct request *r)
{
    struct run *run = d->run;
    if (r->removes || r->changes)
        return;
    if (is_written_one_by_one(run))
        written_end(&run->written, r->channel, r->number, r->failure == 0);
    else if (r->failure != 0)
        written_leave_out(&run->written, r->number);
    if (run->plan->settings->cleanup && (run->target->traits & TARGET_FILES))
        written_note_file(&run->written, r->number, run->names.period, r->made);
    if (r->failure == 0 && plan_has(run->plan, LOAD_READ))
        run_tell_written(run, d->now_ns);
}

/* Notes that nothing is written under the numbers that are left. */
static void leave_numbers(struct driver *d)
{
    for (; d->numbers > 0; d->numbers--)
        if (d->load->kind == LOAD_WRITE)
            written_leave_out(&d->run->written, d->next_number++);
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

/* Records a slow or failed request. */
static void note_request(struct driver *d, const struct request *r, const struct observation *o)
{
    const struct slow_request slow = {
        .response_ns = o->response_ns,
        .due_ns = r->due_ns,
        .number = r->number,
        .failure = r->failure,
        .op = r->op,
    };
    slowest_add(&d->slowest, &slow);
    if (r->failure != 0)
        failures_note(&d->run->failures, r->kind, r->failure, r->number);
}

/*
 * Reports a slow request. Time that does not count is assumed to come before it, as evicting does.
 */
static void tell_slow(struct driver *d, const struct observation *o, uint64_t end_ns)
{
    if (o->failed || !slow_box_has_room(d->slow))
        return;
    const struct slow_op op = {
        .start_ns = end_ns - o->service_ns,
        .end_ns = end_ns,
        .thread = (int)syscall(SYS_gettid),
        .writes = o->kind == LOAD_WRITE,
    };
    slow_box_put(d->slow, &op);
}

static struct recorder *recorder_of(const struct driver *d)
{
    if (!d->run->rules.is_shared)
        return d->recorder;
    int cpu = sched_getcpu();
    return &d->run->recorders.list[(unsigned)(cpu < 0 ? 0 : cpu) % d->run->recorders.count];
}

/* Counts a request that ended at end_ns. */
static void count_request(struct driver *d, const struct request *r, uint64_t end_ns)
{
    struct run *run = d->run;
    uint64_t aside_ns = r->aside_ns + r->connect_ns;
    uint64_t passed_ns = end_ns - r->start_ns;
    uint64_t service_ns = passed_ns > aside_ns ? passed_ns - aside_ns : 0;
    bool has_due = d->load->pace == PACE_RATE;
    const struct observation o = {
        .kind = r->kind,
        .op = r->op,
        .response_ns = has_due ? end_ns - r->due_ns - r->aside_ns : service_ns,
        .service_ns = service_ns,
        .first_byte_ns = r->first_byte_ns,
        .late_ns = r->start_ns - r->due_ns,
        .judged_ns = r->judged_ns,
        .connections = r->connections,
        .connect_ns = r->connect_ns,
        .tls_ns = r->tls_ns,
        .bytes = r->bytes,
        .failed = r->failure != 0,
        .missed = r->miss != 0,
    };
    recorder_add(recorder_of(d), &run->rules, &o);
    bool is_slow = d->slowest.count < SLOWEST_KEPT ||
                   o.response_ns > d->slowest.list[SLOWEST_KEPT - 1].response_ns;
    if (is_slow || o.failed)
        note_request(d, r, &o);
    if (o.missed)
        failures_note(&run->misses, r->kind, r->miss, r->number);
    if (d->slow && service_ns >= atomic_load_explicit(&d->slow->over_ns, memory_order_relaxed))
        tell_slow(d, &o, end_ns);
}

/* Handles the end of a request, which the target examines first, in time that does not count. */
static void settle_request(struct driver *d, struct request *r, uint64_t end_ns)
{
    struct run *run = d->run;
    if (run->target->inspect) {
        run->target->inspect(d->target, r);
        d->now_ns = clock_ns();
    }
    bool is_of_step = r->gate == (atomic_load_explicit(&run->gate, memory_order_relaxed) & ~1U);
    if (is_of_step && r->due_ns >= atomic_load_explicit(&run->counts_from_ns, memory_order_relaxed))
        count_request(d, r, end_ns);
    if (r->kind == LOAD_WRITE)
        settle_number(d, r);
    if (is_of_step) {
        count_one(&d->ended);
        atomic_store_explicit(&d->last_end_ns, end_ns, memory_order_relaxed);
    }
    d->unused[d->unused_count++] = r;
}

/* Begins the request that has the driver's ticket. */
static void begin_request(struct driver *d, struct request *r)
{
    const struct target_ops *target = d->run->target;
    r->due_ns = d->ticket_ns;
    r->gate = d->gate;
    d->ticket_ns = 0;
    d->unused_count--;
    /* one by one, which costs less than clearing all of *r */
    r->removes = r->changes = r->made = false;
    r->failure = r->miss = 0;
    r->bytes = r->aside_ns = r->judged_ns = r->first_byte_ns = 0;
    r->connections = 0;
    r->connect_ns = r->tls_ns = 0;
    if (target->choose)
        target->choose(d->run->shared, r, rng_next(&d->rng));
    number_request(d, r);
    if (target->prepare) {
        target->prepare(d->target, r);
        d->now_ns = clock_ns();
    }
    r->start_ns = d->now_ns;
    if (r->due_ns == 0 || r->due_ns > r->start_ns)
        r->due_ns = r->start_ns;
    count_one(&d->begun);
    if (target->submit(d->target, r) == TARGET_QUEUED)
        return;
    d->now_ns = clock_ns();
    settle_request(d, r, d->now_ns);
}

/* If the run is paused, parks a driver with nothing in flight, and gives its budget back. */
static bool park_driver(struct driver *d)
{
    unsigned gate = atomic_load(&d->run->gate);
    if (gate % 2 == 0)
        return false;
    if (gate == d->gate + 1)
        atomic_fetch_sub(&d->run->budget, d->budget);
    d->budget = 0;
    d->ticket_ns = 0;
    atomic_store(&d->parked, gate);
    return true;
}

/* Sleeps until the ticket is due or something changes. Nothing may be in flight. */
static void driver_sleep(struct driver *d, uint32_t change, uint32_t writes)
{
    struct run *run = d->run;
    bool is_parked = park_driver(d);
    uint64_t until_ns = d->ticket_ns != 0 ? d->ticket_ns : EVENT_NO_DEADLINE;
    if (d->load->pace == PACE_FOLLOWS && atomic_load(&d->load->is_open) && !is_parked) {
        atomic_fetch_add(&run->followers, 1);
        if (run_reads_allowed(run) <= atomic_load(&d->load->followed) &&
            !atomic_load(&run->is_over) && !writes_are_over(d))
            event_wait(&run->write_ended, writes, EVENT_NO_DEADLINE);
        atomic_fetch_sub(&run->followers, 1);
    } else if (until_ns - d->now_ns > SPIN_NS) {
        event_wait(&run->change, change, until_ns);
    }
    d->now_ns = clock_ns();
}

/* Waits for requests in flight, but not for long if other changes could let a request begin. */
static void wait_for_target(struct driver *d, bool is_over_now)
{
    uint64_t until_ns = d->now_ns + LOOK_NS;
    if (d->unused_count == 0 || is_over_now)
        until_ns = d->now_ns + 100 * LOOK_NS;
    else if (d->ticket_ns > 0 && d->ticket_ns < until_ns)
        until_ns = d->ticket_ns;
    /* those that end are stored where settle_request() puts them */
    struct request **done = d->unused + d->unused_count;
    unsigned ended = d->run->target->poll(d->target, until_ns, done, d->channels - d->unused_count);
    uint64_t end_ns = d->now_ns = clock_ns();
    for (unsigned i = 0; i < ended; i++)
        settle_request(d, done[i], end_ns);
}

void driver_work(struct driver *d)
{
    prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS, 0, 0, 0);
    d->now_ns = clock_ns();
    for (;;) {
        uint32_t change = event_look(&d->run->change);
        uint32_t writes = event_look(&d->run->write_ended);
        enum turn turn = TURN_WAIT;
        while (d->unused_count > 0) {
            turn = turn_of(d);
            if (turn != TURN_NOW)
                break;
            begin_request(d, d->unused[d->unused_count - 1]);
        }
        if (d->unused_count < d->channels)
            wait_for_target(d, turn == TURN_OVER);
        else if (turn == TURN_OVER)
            break;
        else
            driver_sleep(d, change, writes);
    }
    leave_numbers(d);
}
