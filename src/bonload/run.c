#include "bonload/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bonload/driver.h"
#include "measure/clock.h"
#include "sys/descriptor_limit.h"
#include "sys/host.h"
#include "sys/stop.h"
#include "util/message.h"
#include "util/units.h"

/* More recorders than this would take more memory than contention for them costs. */
#define MOST_RECORDERS 32

/*
 * Descriptors beside one for each channel: streams, reports and the rest; and where a thread has
 * many channels, what epoll and libcurl have of their own.
 */
#define DESCRIPTORS_IN_ALL     16
#define DESCRIPTORS_PER_THREAD 4

/* Enough for system calls; of a thread's stack only what is touched is there. */
#define STACK_BYTES (256 * KIB)

__extension__ typedef unsigned __int128 uint128;

static bool blocks(const struct run *r)
{
    return r->target->traits & TARGET_BLOCKS;
}

/* Number of threads for requests of one kind. */
static unsigned drivers_for(const struct run *r, unsigned channels)
{
    unsigned most = blocks(r) ? channels : host_cpus();
    return channels < most ? channels : most;
}

/*
 * A given number of threads has as many files or connections open at a time; at a rate it depends
 * on the target whether all channels are ever used.
 */
static int check_descriptors(const struct run *r, struct err *e)
{
    int limit = descriptor_limit_raise();
    uint64_t needed = DESCRIPTORS_IN_ALL;
    unsigned threads = 0;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct load *load = &r->loads[kind];
        threads += load->pace == PACE_CLOSED ? load->channels : 0;
        needed += blocks(r) ? 0 : DESCRIPTORS_PER_THREAD * drivers_for(r, load->channels);
    }
    needed += threads;
    if (!(r->target->traits & TARGET_NAMES) || r->plan->mode != MODE_THREADS || limit == 0 ||
        needed <= (uint64_t)limit)
        return 0;
    return err_say(e,
                   "-rt, -wt: %u threads need %" PRIu64 " open files at a time; the limit is %d "
                   "(ulimit -Hn)",
                   threads, needed, limit);
}

static void init_load(struct run *r, enum load_kind kind)
{
    struct load *load = &r->loads[kind];
    const struct kind_plan *k = &r->plan->kinds[kind];
    *load = (struct load){.kind = kind, .pace = k->pace};
    load->channels = k->pace == PACE_NONE ? 0 : (unsigned)plan_share(r->plan, k->channels);
    load->is_open = kind == LOAD_WRITE || !r->reads_written;
}

/*
 * The number of requests that may begin, of all ranks. Reads that follow writes are not counted one
 * by one: then it is the number of writes that, with their reads, are not more.
 */
static uint64_t budget_of(const struct plan *p)
{
    if (p->kinds[LOAD_READ].pace != PACE_FOLLOWS || p->max_requests == UINT64_MAX)
        return p->max_requests;
    uint128 writes =
        ((uint128)p->max_requests + 1) * BILLION / ((uint128)p->reads_per_write + BILLION);
    while (writes > 0 && writes + writes * p->reads_per_write / BILLION > p->max_requests)
        writes--;
    return (uint64_t)writes;
}

static int open_names(struct run *r, struct err *e)
{
    const struct plan *p = r->plan;
    const char *template = p->url ? p->url : p->url_source ? NULL : "";
    int rc = names_open(&r->names, template, p->url_source, p->seed, e);
    if (rc != 0)
        return rc;
    bool is_dealt = names_deal(&r->names, &p->stripe);
    if (!is_dealt && plan_has(p, LOAD_WRITE) && (r->target->traits & TARGET_NAMES))
        return err_say(e, "there are fewer names than the %u ranks, of which each writes its own",
                       plan_ranks(p));
    bool repeats = !names_are_unique(&r->names, p->max_requests);
    if (repeats && r->reads_written && (r->target->traits & TARGET_STORES))
        rc = versions_open(&r->versions, e);
    const struct sizes_setup sizes = {
        .least = p->least_body,
        .most = p->most_body,
        .fair_buckets = p->fair_buckets,
        .seed = p->seed,
        .stripe = p->stripe,
    };
    if (rc == 0)
        rc = sizes_open(&r->sizes, &sizes, e);
    return rc;
}

static int open_target(struct run *r, struct err *e)
{
    const struct target_setup setup = {
        .plan = r->plan,
        .names = &r->names,
        .sizes = &r->sizes,
        .versions = &r->versions,
        .written = &r->written,
    };
    return r->target->open ? r->target->open(&r->shared, &setup, e) : 0;
}

static int open_drivers(struct run *r, struct err *e)
{
    unsigned count[LOAD_KINDS];
    unsigned all = 0;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        all += count[kind] = drivers_for(r, r->loads[kind].channels);
    r->drivers = calloc(all, sizeof *r->drivers);
    if (!r->drivers)
        return err_system(e, ENOMEM, "memory for %u threads", all);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        unsigned channels = r->loads[kind].channels;
        unsigned first = 0;
        r->loads[kind].shares = count[kind];
        for (unsigned i = 0; i < count[kind]; i++) {
            struct driver *d = &r->drivers[r->driver_count];
            unsigned share = channels / count[kind] + (i < channels % count[kind]);
            int rc = driver_open(d, r, kind, first, share, e);
            if (rc != 0)
                return rc;
            d->share = i;
            d->recorder = &r->recorders.list[i % r->recorders.count];
            r->loads[kind].drivers++;
            r->driver_count++;
            first += share;
        }
    }
    return 0;
}

static int open_recorders(struct run *r, struct err *e)
{
    const struct plan *p = r->plan;
    unsigned count = host_cpus();
    if (count > MOST_RECORDERS && blocks(r))
        count = MOST_RECORDERS;
    r->rules = (struct recorder_rules){
        .is_shared = blocks(r) && (r->loads[LOAD_READ].channels > 1 ||
                                   r->loads[LOAD_WRITE].channels > 1 || r->target->ops),
        .has_ops = r->target->ops,
        .limit_ns = p->mode == MODE_SEARCH ? p->limit.nanoseconds : UINT64_MAX,
    };
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        r->rules.has_service |= r->loads[kind].pace == PACE_RATE;
    return recorders_open(&r->recorders, count, e);
}

int run_open(struct run *r, const struct plan *p, struct err *e)
{
    memset(r, 0, sizeof *r);
    r->plan = p;
    r->target = p->target;
    r->reads_written = plan_reads_written(p) && !(p->target->traits & TARGET_NO_KINDS);
    r->most = p->max_requests < UINT64_MAX ? plan_share(p, budget_of(p)) : UINT64_MAX;
    r->until_ns = UINT64_MAX;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        init_load(r, kind);
    int rc = check_descriptors(r, e);
    if (rc == 0)
        rc = open_names(r, e);
    if (rc == 0)
        rc = written_open(&r->written, r->loads[LOAD_WRITE].channels, e);
    if (rc == 0)
        rc = open_recorders(r, e);
    if (rc == 0)
        rc = open_target(r, e);
    if (rc == 0)
        rc = open_drivers(r, e);
    if (rc != 0)
        run_close(r);
    return rc;
}

void run_close(struct run *r)
{
    for (unsigned i = 0; i < r->driver_count; i++)
        driver_close(&r->drivers[i]);
    free(r->drivers);
    if (r->target->close && r->shared)
        r->target->close(r->shared);
    recorders_close(&r->recorders);
    written_close(&r->written);
    versions_close(&r->versions);
    sizes_close(&r->sizes);
    names_close(&r->names);
    r->drivers = NULL;
    r->driver_count = 0;
    r->shared = NULL;
}

void run_describe(const struct run *r, uint32_t failure, char *text, size_t size)
{
    r->target->describe(r->shared, failure, text, size);
}

void run_wake(struct run *r)
{
    event_happens(&r->change, EVENT_WAKES_ALL);
    event_happens(&r->write_ended, EVENT_WAKES_ALL);
}

static void *driver_main(void *argument)
{
    struct driver *d = argument;
    stop_block_signals();
    driver_work(d);
    if (atomic_fetch_sub(&d->load->drivers, 1) == 1)
        run_wake(d->run);
    return NULL;
}

static int start_driver(struct driver *d, const pthread_attr_t *attributes, struct err *e)
{
    struct run *r = d->run;
    if (r->target->join) {
        int rc = r->target->join(&d->target, r->shared, d->channels, e);
        if (rc != 0)
            return rc;
    }
    int code = pthread_create(&d->thread, attributes, driver_main, d);
    if (code == 0) {
        d->has_thread = true;
        return 0;
    }
    if (r->target->leave)
        r->target->leave(d->target);
    return err_system(e, code, "start thread %u of %u", (unsigned)(d - r->drivers) + 1,
                      r->driver_count);
}

int run_start(struct run *r, struct err *e)
{
    pthread_attr_t attributes;
    int rc = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    r->start_ns = clock_ns();
    for (unsigned i = 0; rc == 0 && i < r->driver_count; i++)
        rc = start_driver(&r->drivers[i], &attributes, e);
    pthread_attr_destroy(&attributes);
    if (rc != 0) {
        run_end_all(r);
        run_join(r);
    }
    return rc;
}

void run_end(struct run *r, enum load_kind kind)
{
    atomic_store(&r->loads[kind].is_over, true);
    run_wake(r);
}

void run_end_all(struct run *r)
{
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        run_end(r, kind);
}

void run_join(struct run *r)
{
    for (unsigned i = 0; i < r->driver_count; i++) {
        struct driver *d = &r->drivers[i];
        if (!d->has_thread)
            continue;
        pthread_join(d->thread, NULL);
        d->has_thread = false;
        if (r->target->leave)
            r->target->leave(d->target);
    }
}

bool run_is_through(const struct run *r)
{
    return atomic_load(&r->loads[LOAD_READ].drivers) == 0 &&
           atomic_load(&r->loads[LOAD_WRITE].drivers) == 0;
}

void run_set_threads(struct run *r, enum load_kind kind, unsigned threads)
{
    atomic_store(&r->loads[kind].active, (unsigned)plan_share(r->plan, threads));
    event_happens(&r->change, EVENT_WAKES_ALL);
}

/*
 * When the first request of this rank is due: at constant gaps, ranks take the requests of one
 * schedule in turn.
 */
static uint64_t first_due(const struct plan *p, uint64_t rate, uint64_t now_ns)
{
    uint128 all = (uint128)rate * plan_ranks(p);
    if (p->arrival != ARRIVAL_CONSTANT)
        return now_ns;
    return now_ns + (uint64_t)((uint128)p->stripe.index * BILLION * BILLION / all);
}

/* `rate` is this rank's; 0 has no schedule. */
static void begin_schedule(struct run *r, struct load *load, uint64_t rate, uint64_t now_ns)
{
    const struct plan *p = r->plan;
    unsigned next = atomic_load(&load->schedule) + 1;
    if (rate == 0)
        return;
    arrivals_begin(&load->schedules[next % SCHEDULES], p->arrival, rate,
                   p->rank_seed + next + 1000 * (unsigned)load->kind, first_due(p, rate, now_ns));
    atomic_store(&load->schedule, next);
}

void run_set_rate(struct run *r, enum load_kind kind, uint64_t all, uint64_t now_ns)
{
    struct load *load = &r->loads[kind];
    uint64_t rate = plan_share(r->plan, all);
    begin_schedule(r, load, rate, now_ns);
    atomic_store(&load->rate, rate); /* now drivers may take tickets: the schedule is there */
    event_happens(&r->change, EVENT_WAKES_ALL);
}

struct progress run_progress(const struct run *r, enum load_kind kind)
{
    struct progress sum = {0};
    for (unsigned i = 0; i < r->driver_count; i++) {
        const struct driver *d = &r->drivers[i];
        if (d->load->kind != kind)
            continue;
        sum.ended += atomic_load_explicit(&d->ended, memory_order_acquire);
        sum.begun += atomic_load_explicit(&d->begun, memory_order_relaxed);
    }
    return sum;
}

uint64_t run_reads_allowed(const struct run *r)
{
    uint64_t written = atomic_load(&r->written.ok_count);
    return (uint64_t)((uint128)written * r->plan->reads_per_write / BILLION);
}

void run_tell_written(struct run *r, uint64_t now_ns)
{
    struct load *reads = &r->loads[LOAD_READ];
    bool was_open = false;
    if (!atomic_load_explicit(&reads->is_open, memory_order_relaxed) &&
        atomic_compare_exchange_strong(&reads->opened, &was_open, true)) {
        if (reads->pace == PACE_RATE)
            begin_schedule(r, reads, atomic_load(&reads->rate), now_ns);
        atomic_store(&reads->opened_ns, now_ns);
        atomic_store(&reads->is_open, true);
        event_happens(&r->change, EVENT_WAKES_ALL);
    }
    if (reads->pace == PACE_FOLLOWS && atomic_load(&r->followers) > 0)
        event_happens(&r->write_ended, (int)(r->plan->reads_per_write / BILLION) + 1);
}
