// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/load/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/host.h"
#include "tail/trace.h"
#include "util/descriptor.h"
#include "util/rng.h"
#include "util/units.h"

/* Most recorders that a run has: beyond this number, their memory costs more than sharing them. */
#define MOST_RECORDERS 32

/* Descriptors that a run needs besides one for each channel. */
#define DESCRIPTORS_IN_ALL     16 /* for streams, reports and the like */
#define DESCRIPTORS_PER_THREAD 4  /* for epoll and libcurl, if a thread has many channels */

/* ---- schedules ------------------------------------------------------------------------------- */

double arrivals_rate(const struct arrivals *a, uint64_t now_ns)
{
    if (!a->curve)
        return (double)a->rate / (double)BILLION;
    return rate_curve_rate(a->curve, now_ns > a->start_ns ? now_ns - a->start_ns : 0) / a->each;
}

uint64_t arrivals_at(const struct arrivals *a, uint64_t n)
{
    if (a->curve)
        return a->start_ns + rate_curve_time(a->curve, a->first + (double)n * a->each);
    /* rounded up: arrivals_due() counts what is due by then */
    return a->start_ns + mul_div_up(n, BILLION * BILLION, a->rate);
}

/*
 * The exponential gap between the request that is due at due_ns and the next one. The gap depends
 * only on due_ns, so one atomic number is all the state that threads share.
 */
static uint64_t gap_after(const struct arrivals *a, uint64_t due_ns)
{
    double uniform = ((double)(rng_mix(a->key ^ (due_ns - a->start_ns)) >> 11) + .5) * 0x1p-53;
    if (a->curve) {
        uint64_t passed_ns = due_ns - a->start_ns;
        double number = rate_curve_due(a->curve, passed_ns) - log(uniform) * a->each;
        return rate_curve_time(a->curve, number) + 1 - passed_ns;
    }
    double gap = -log(uniform) * 1e18 / (double)a->rate;
    return gap < 1 ? 1 : gap < 1e18 ? (uint64_t)(gap + .5) : UINT64_C(1000000000000000000);
}

void arrivals_begin(struct arrivals *a, enum arrival how, uint64_t rate, uint64_t seed,
                    uint64_t start_ns)
{
    a->how = how;
    a->start_ns = start_ns;
    a->rate = rate;
    a->key = rng_mix(seed);
    atomic_store(&a->taken, 0);
    atomic_store(&a->next_ns, start_ns + gap_after(a, start_ns));
}

uint64_t arrivals_take(struct arrivals *a)
{
    uint64_t n = atomic_fetch_add_explicit(&a->taken, 1, memory_order_relaxed);
    if (a->how == ARRIVAL_CONSTANT)
        return arrivals_at(a, n);
    uint64_t due = atomic_load_explicit(&a->next_ns, memory_order_relaxed);
    uint64_t next;
    do {
        next = due + gap_after(a, due);
    } while (!atomic_compare_exchange_weak_explicit(&a->next_ns, &due, next, memory_order_relaxed,
                                                    memory_order_relaxed));
    return due;
}

uint64_t arrivals_due(const struct arrivals *a, struct arrivals_cursor *cursor, uint64_t now_ns)
{
    if (now_ns < a->start_ns)
        return 0;
    if (a->how == ARRIVAL_CONSTANT && a->curve) {
        double number = (rate_curve_due(a->curve, now_ns - a->start_ns) - a->first) / a->each;
        uint64_t due = number < 0 ? 0 : (uint64_t)number; /* fractions may make it wrong by one */
        while (arrivals_at(a, due) <= now_ns)
            due++;
        while (due > 0 && arrivals_at(a, due - 1) > now_ns)
            due--;
        return due;
    }
    if (a->how == ARRIVAL_CONSTANT)
        return mul_div(now_ns - a->start_ns, a->rate, BILLION * BILLION) + 1;
    if (cursor->start_ns != a->start_ns)
        *cursor = (struct arrivals_cursor){.start_ns = a->start_ns,
                                           .next_ns = a->start_ns + gap_after(a, a->start_ns)};
    for (; cursor->next_ns <= now_ns; cursor->count++)
        cursor->next_ns += gap_after(a, cursor->next_ns);
    return cursor->count;
}

/* ---- opening a run --------------------------------------------------------------------------- */

/*
 * Checks the limit on open files for a given number of threads, each with a file or a connection.
 * With a rate, the target decides whether all channels are ever used, so nothing is checked.
 */
static int check_descriptors(const struct run *r, struct err *e)
{
    int limit = descriptor_limit_raise();
    bool blocks = r->target->traits & TARGET_BLOCKS;
    uint64_t needed = DESCRIPTORS_IN_ALL;
    unsigned threads = 0;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct load *load = &r->loads[kind];
        threads += load->pace == PACE_CLOSED ? load->channels : 0;
        needed += blocks ? 0 : DESCRIPTORS_PER_THREAD * load->shares;
    }
    needed += threads + (r->plan->explains_tail ? tail_trace_descriptors() : 0);
    if (!(r->target->traits & TARGET_NAMES) || r->plan->mode != MODE_THREADS || limit == 0 ||
        needed <= (uint64_t)limit)
        return 0;
    return err_say(e,
                   "-rt, -wt: %u threads need %" PRIu64 " open files at a time; the limit is %d "
                   "(ulimit -Hn)",
                   threads, needed, limit);
}

/*
 * Number of requests that may begin in this process, without those that follow others. If reads
 * follow writes, the writes take from the budget only what their reads leave of it.
 */
static uint64_t run_budget(const struct plan *p)
{
    if (p->max_requests == UINT64_MAX)
        return UINT64_MAX;
    if (p->kinds[LOAD_READ].pace != PACE_FOLLOWS)
        return plan_share(p, p->max_requests);
    uint64_t writes = mul_div(p->max_requests + 1, BILLION, p->reads_per_write + BILLION);
    while (mul_div(writes, p->reads_per_write, BILLION) > p->max_requests - writes)
        writes--;
    return plan_share(p, writes);
}

/* Refuses a template that was probably meant literally, and warns of one that may have been. */
static int check_template(const struct run *r, struct err *e)
{
    static const char *const signatures[] = {
        "X-Amz-Signature=", "X-Goog-Signature=", "Signature=", "sig="};
    const struct plan *p = r->plan;
    const struct name_part *part = r->names.parts;
    const struct name_part *end = part + r->names.part_count;
    while (part < end && part->kind == NAME_LITERAL)
        part++;
    if (part == end)
        return 0;
    const char *query = r->target->traits & TARGET_URLS ? strchr(p->url, '?') : NULL;
    for (size_t i = 0; query && i < sizeof signatures / sizeof *signatures; i++) {
        const char *at = strcasestr(query, signatures[i]);
        if (at && strchr("?&", at[-1]))
            return err_say(e,
                           "-url: the URL is presigned (%s), but its %.*s would become something "
                           "else; use -literal, or -url-source for several",
                           signatures[i], (int)part->length, part->text);
    }
    if (p->settings->make_directories && plan_has(p, LOAD_WRITE) && p->stripe.index == 0 &&
        strchr(part->text, '/'))
        message("-mkdirs: %.*s in %s is replaced, also in names of directories; -literal takes "
                "names as they are",
                (int)part->length, part->text, p->url);
    return 0;
}

static int open_names(struct run *r, struct err *e)
{
    const struct plan *p = r->plan;
    const char *template = p->url ? p->url : p->url_source ? NULL : "";
    int rc = names_open(&r->names, template, p->url_source, p->settings->literal, p->seed, e);
    if (rc == 0)
        rc = check_template(r, e);
    if (rc != 0)
        return rc;
    if (p->settings->as_goader) {
        names_trim(&r->names);
        rc = r->target->traits & TARGET_URLS ? credentials_take(&r->names, e) : 0;
        if (rc != 0)
            return rc;
    }
    bool is_dealt = names_deal(&r->names, &p->stripe);
    if (!is_dealt && plan_has(p, LOAD_WRITE) && (r->target->traits & TARGET_NAMES))
        return err_say(e, "there are fewer names than the %u ranks, and each writes its own",
                       plan_ranks(p));
    /* no number above this will be used */
    uint64_t most = p->settings->warmup_ns.value > 0 ? UINT64_MAX : run_budget(p);
    bool repeats = !names_are_unique(&r->names, most);
    if (repeats && r->reads_written && (r->target->traits & TARGET_NAMES))
        rc = versions_open(&r->written, e);
    r->sizes = (struct sizes){.least = p->least_body,
                              .most = p->most_body,
                              .buckets = p->fair_buckets,
                              .stripe = p->stripe};
    return rc == 0 ? sizes_open(&r->sizes, p->seed, e) : rc;
}

int run_open(struct run *r, const struct plan *p, struct err *e)
{
    bool blocks = p->target->traits & TARGET_BLOCKS;
    bool tracks_names = p->settings->removes && (p->target->traits & TARGET_NO_KINDS);
    unsigned cpus = host_cpus();
    unsigned channels = 0; /* the larger number */
    memset(r, 0, sizeof *r);
    r->plan = p;
    r->target = p->target;
    r->reads_written = plan_reads_written(p) && !(p->target->traits & TARGET_NO_KINDS);
    r->most = run_budget(p);
    r->until_ns = UINT64_MAX;
    r->rules = (struct recorder_rules){
        .has_ops = p->target->ops,
        .limit_ns = p->mode == MODE_SEARCH ? p->settings->limit.nanoseconds : UINT64_MAX,
    };
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        struct load *load = &r->loads[kind];
        const struct kind_plan *k = &p->kinds[kind];
        *load = (struct load){.kind = kind, .pace = k->pace};
        load->channels = k->pace == PACE_NONE ? 0 : (unsigned)plan_share(p, k->channels);
        load->shares = blocks || load->channels < cpus ? load->channels : cpus;
        load->threads_left = load->shares;
        load->is_open = kind == LOAD_WRITE || !r->reads_written;
        channels = load->channels > channels ? load->channels : channels;
        r->rules.has_service |= k->pace == PACE_RATE;
    }
    r->rules.is_shared = blocks && (channels > 1 || p->target->ops);
    int rc = written_open(&r->written, r->loads[LOAD_WRITE].channels, e);
    if (rc == 0)
        rc = check_descriptors(r, e);
    if (rc == 0)
        rc = open_names(r, e);
    if (rc == 0)
        rc = recorders_open(&r->recorders, blocks && cpus > MOST_RECORDERS ? MOST_RECORDERS : cpus,
                            p->explains_tail, e);
    if (rc == 0 && tracks_names && !made_open(&r->made, r->names.period))
        rc = err_system(e, ENOMEM, "allocate memory for what the run makes");
    if (rc == 0 && p->target->open) {
        const struct target_setup setup = {
            .plan = p,
            .names = &r->names,
            .sizes = &r->sizes,
            .written = &r->written,
            .verified = &r->verified,
            .made = tracks_names ? &r->made : NULL,
        };
        r->shared = calloc(1, p->target->shared_bytes);
        rc = r->shared ? p->target->open(r->shared, &setup, e)
                       : err_system(e, ENOMEM, "allocate memory for the target");
    }
    if (rc != 0)
        run_close(r);
    return rc;
}

void run_close(struct run *r)
{
    if (r->target->close && r->shared)
        r->target->close(r->shared);
    free(r->shared);
    recorders_close(&r->recorders);
    made_close(&r->made);
    written_close(&r->written);
    sizes_close(&r->sizes);
    names_close(&r->names);
}

char *run_describe_failure(const struct run *r, const struct failure *f)
{
    static const char *const help[] = {
        [LOAD_WRITE] = "; -mkdirs makes missing directories",
        [LOAD_READ] = "; what is read must have been written, as by -wt=1, with -mkdirs where "
                      "a directory is missing",
    };
    bool is_missing =
        (r->target->traits & TARGET_FILES) && failure_code(f) == failure_of(CALL_OPEN, ENOENT);
    char reason[REASON_TEXT];
    char *text = NULL;
    uint64_t number = atomic_load(&f->number); /* 0: unknown so far */
    char *name = calloc(1, r->names.longest + sizeof ": ");
    r->target->describe(r->shared, failure_code(f), reason, sizeof reason);
    if (name && number > 0 && names_format(&r->names, number, name) > 0)
        strcat(name, ": ");
    if (asprintf(&text, "%s: %s%s%s", load_names[failure_kind(f)], name ? name : "", reason,
                 is_missing ? help[failure_kind(f)] : "") < 0)
        text = NULL;
    free(name);
    return text;
}

void run_wake(struct run *r)
{
    event_happens(&r->change, EVENT_WAKES_ALL);
    event_happens(&r->write_ended, EVENT_WAKES_ALL);
}

void run_end(struct run *r)
{
    atomic_store(&r->is_over, true);
    run_wake(r);
}

bool run_is_through(const struct run *r)
{
    return atomic_load(&r->loads[LOAD_READ].threads_left) == 0 &&
           atomic_load(&r->loads[LOAD_WRITE].threads_left) == 0;
}

void run_pause(struct run *r)
{
    atomic_fetch_add(&r->gate, 1);
    run_wake(r);
}

void run_resume(struct run *r)
{
    atomic_fetch_add(&r->gate, 1);
    run_wake(r);
}

void run_renew_budget(struct run *r)
{
    r->followed_from = atomic_load(&r->written.ok_count);
    atomic_store(&r->loads[LOAD_READ].followed, 0);
    atomic_store(&r->budget, 0);
    atomic_store(&r->most, run_budget(r->plan));
}

/*
 * Begins a schedule with this rank's `rate`, in billionths of requests per second; 0: no request is
 * due. With constant gaps, the ranks take turns with the requests of one schedule. If the plan has
 * a curve, that is the schedule of the kind's share of it.
 */
static void begin_schedule(struct run *r, struct load *load, uint64_t rate, uint64_t now_ns)
{
    const struct plan *p = r->plan;
    unsigned next = atomic_load(&load->schedule) + 1;
    struct arrivals *a = &load->schedules[next % SCHEDULES];
    uint64_t first_ns = now_ns;
    if (rate == 0)
        return;
    if (p->curve.count > 0) {
        double all = (double)p->kinds[LOAD_READ].rate + (double)p->kinds[LOAD_WRITE].rate;
        double each = all / (double)p->kinds[load->kind].rate;
        a->curve = &p->curve;
        a->each = each * plan_ranks(p);
        a->first = each * p->stripe.index;
    } else if (p->settings->arrival == ARRIVAL_CONSTANT) {
        first_ns += mul_div(p->stripe.index, BILLION * BILLION, rate * plan_ranks(p));
    }
    arrivals_begin(a, p->settings->arrival, rate, p->rank_seed + next + 1000 * (unsigned)load->kind,
                   first_ns);
    atomic_store(&load->schedule, next);
}

void run_set_load(struct run *r, enum load_kind kind, uint64_t all, uint64_t now_ns)
{
    struct load *load = &r->loads[kind];
    uint64_t share = plan_share(r->plan, all);
    if (load->pace == PACE_RATE) {
        begin_schedule(r, load, share, now_ns);
        /* stored last, because load threads take tickets from now on */
        atomic_store(&load->rate, share);
    } else if (load->pace == PACE_CLOSED) {
        atomic_store(&load->active, (unsigned)share);
    }
    event_happens(&r->change, EVENT_WAKES_ALL);
}

uint64_t run_reads_allowed(const struct run *r)
{
    uint64_t written = atomic_load(&r->written.ok_count) - r->followed_from;
    return mul_div(written, r->plan->reads_per_write, BILLION);
}

void run_open_reads(struct run *r, uint64_t now_ns)
{
    struct load *reads = &r->loads[LOAD_READ];
    uint64_t not_yet = 0;
    if (!atomic_load_explicit(&reads->is_open, memory_order_relaxed) &&
        atomic_compare_exchange_strong(&reads->opened_ns, &not_yet, now_ns)) {
        if (reads->pace == PACE_RATE)
            begin_schedule(r, reads, atomic_load(&reads->rate), now_ns);
        atomic_store(&reads->is_open, true);
        event_happens(&r->change, EVENT_WAKES_ALL);
    }
    if (reads->pace == PACE_FOLLOWS && atomic_load(&r->followers) > 0)
        event_happens(&r->write_ended, (int)(r->plan->reads_per_write / BILLION) + 1);
}
