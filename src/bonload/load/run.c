// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/load/run.h"

#include <math.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "measure/clock.h"
#include "sys/host.h"
#include "sys/limits.h"
#include "sys/stop.h"
#include "tail/trace.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"

#define MAX_RECORDERS 32 /* the memory of more costs more than sharing them */

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

/* The exponential gap between the request that is due at due_ns and the next one. The gap depends
 * only on due_ns, so one atomic number is all the state that threads share. */
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

/* Number of requests that may begin in this process, without those that follow others. If reads
 * follow writes, the writes take from the budget only what their reads leave of it. */
static uint64_t run_budget(const struct plan *p)
{
    if (p->max_requests == UINT64_MAX)
        return UINT64_MAX;
    if (p->kinds[LOAD_READ].pace != PACE_FOLLOWS)
        return stripe_count(&p->stripe, p->max_requests);
    uint64_t writes = mul_div(p->max_requests + 1, BILLION, p->reads_per_write + BILLION);
    while (mul_div(writes, p->reads_per_write, BILLION) > p->max_requests - writes)
        writes--;
    return stripe_count(&p->stripe, writes);
}

static int open_names(struct run *r, struct err *e)
{
    const struct plan *p = r->plan;
    const char *template = p->url ? p->url : p->url_source ? NULL : "";
    int rc = names_open(&r->names, template, p->url_source, p->settings->literal, p->seed, e);
    if (rc != 0)
        return rc;
    const struct name_part *part = r->names.parts; /* the first that is no literal */
    const struct name_part *end = part + r->names.part_count;
    while (part < end && part->kind == NAME_LITERAL)
        part++;
    size_t length;
    const char *signature =
        part < end && (r->target->traits & TARGET_URLS) ? url_signature(p->url, &length) : NULL;
    if (signature) {
        const char *name = signature;
        while (!strchr("?&", name[-1]))
            name--;
        return err_say(e,
                       "-url: the URL is presigned (%.*s), but its %.*s would become something "
                       "else; use -literal, or -url-source for several",
                       (int)(signature - name), name, (int)part->length, part->text);
    }
    if (part < end && p->settings->make_directories && plan_has(p, LOAD_WRITE) &&
        p->stripe.index == 0 && strchr(part->text, '/'))
        message("-mkdirs: %.*s in %s is replaced, also in names of directories; -literal takes "
                "names as they are",
                (int)part->length, part->text, p->url);
    if (p->settings->as_goader)
        rc = names_as_goader(&r->names, r->target->traits & TARGET_URLS, e);
    if (rc != 0)
        return rc;
    if (!names_deal(&r->names, &p->stripe) && plan_has(p, LOAD_WRITE) &&
        (r->target->traits & TARGET_NAMES))
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

static int open_threads(struct run *run, struct err *e)
{
    unsigned all = run->loads[LOAD_READ].shares + run->loads[LOAD_WRITE].shares;
    run->threads = calloc(all, sizeof *run->threads);
    if (!run->threads)
        return err_system(e, ENOMEM, "allocate memory for %u threads", all);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        struct load *load = &run->loads[kind];
        for (unsigned share = 0; share < load->shares; share++) {
            const struct partition part = partition_of(load->channels, load->shares, share);
            struct load_thread *t = &run->threads[run->thread_count++];
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
            if (!t->requests || !t->unused)
                return err_system(e, ENOMEM, "allocate memory for %u channels", t->channels);
            for (unsigned i = t->channels; i-- > 0;) {
                t->requests[i] =
                    (struct request){.kind = kind, .channel = (unsigned)part.first + i};
                t->unused[t->unused_count++] = &t->requests[i];
            }
        }
    }
    return 0;
}

int run_open(struct run *r, const struct plan *p, struct err *e)
{
    bool blocks = p->target->traits & TARGET_BLOCKS;
    bool tracks_names = p->settings->removes && (p->target->traits & TARGET_NO_KINDS);
    bool needs_files = (p->target->traits & TARGET_NAMES) && p->mode == MODE_THREADS;
    unsigned cpus = host_cpus();
    unsigned threads = 0;
    uint64_t tasks = p->explains_tail;
    uint64_t descriptors = DESCRIPTORS_IN_ALL + (tasks > 0 ? tail_trace_descriptors() : 0);
    memset(r, 0, sizeof *r);
    pattern_init(&r->pattern, DATA_RANDOM, 100, PATTERN_UNIT_MAX, p->seed, 0);
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
        load->channels = k->pace == PACE_NONE ? 0 : (unsigned)stripe_count(&p->stripe, k->channels);
        load->shares = blocks || load->channels < cpus ? load->channels : cpus;
        load->threads_left = load->shares;
        load->is_open = kind == LOAD_WRITE || !r->reads_written;
        r->rules.has_service |= k->pace == PACE_RATE;
        r->rules.is_shared |= blocks && (load->channels > 1 || p->target->ops);
        /* at a rate, nobody knows whether all channels are ever used */
        threads += load->pace == PACE_CLOSED ? load->channels : 0;
        descriptors += blocks ? 0 : DESCRIPTORS_PER_THREAD * load->shares;
        tasks += load->shares;
    }
    descriptors = needs_files ? descriptors + threads : 0;
    int rc = written_open(&r->written, r->loads[LOAD_WRITE].channels, e);
    if (rc == 0)
        rc = limits_descriptors(descriptors, "-rt, -wt", threads, "threads", e);
    if (rc == 0)
        rc = limits_tasks(tasks, e);
    if (rc == 0)
        rc = open_names(r, e);
    if (rc == 0)
        rc = recorders_open(&r->recorders, blocks && cpus > MAX_RECORDERS ? MAX_RECORDERS : cpus,
                            p->explains_tail, e);
    if (rc == 0 && tracks_names && !made_open(&r->made, r->names.period))
        rc = err_system(e, ENOMEM, "allocate memory for what the run makes");
    if (rc == 0 && p->target->open) {
        const struct target_setup setup = {
            .plan = p,
            .names = &r->names,
            .sizes = &r->sizes,
            .pattern = &r->pattern,
            .written = &r->written,
            .verified = &r->verified,
            .made = tracks_names ? &r->made : NULL,
        };
        r->shared = calloc(1, p->target->shared_bytes);
        rc = r->shared ? p->target->open(r->shared, &setup, e)
                       : err_system(e, ENOMEM, "allocate memory for the target");
    }
    if (rc == 0)
        rc = open_threads(r, e);
    if (rc != 0)
        run_close(r);
    return rc;
}

void run_close(struct run *r)
{
    for (unsigned i = 0; i < r->thread_count; i++) {
        free(r->threads[i].requests);
        free(r->threads[i].unused);
    }
    free(r->threads);
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
    if (name && number > 0) {
        names_show(&r->names, number, name);
        strcat(name, *name ? ": " : "");
    }
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

/* Begins a schedule with this rank's `rate`, in billionths of requests per second (0: none), or the
 * kind's share of a curve. With constant gaps, the ranks take turns with one schedule. */
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
    uint64_t share = stripe_count(&r->plan->stripe, all);
    if (load->pace == PACE_RATE) {
        begin_schedule(r, load, share, now_ns);
        /* stored last, because load threads take tickets from now on */
        atomic_store(&load->rate, share);
    } else if (load->pace == PACE_CLOSED) {
        atomic_store(&load->active, (unsigned)share);
    }
    event_happens(&r->change, EVENT_WAKES_ALL);
}

/* Number of reads that may follow the writes that have succeeded so far. */
static uint64_t run_reads_allowed(const struct run *r)
{
    uint64_t written = atomic_load(&r->written.ok_count) - r->followed_from;
    return mul_div(written, r->plan->reads_per_write, BILLION);
}

/* ---- load threads ---------------------------------------------------------------------------- */

#define TIMER_SLACK_NS 1                 /* so a sleep ends a few us late, instead of about 50 */
#define SPIN_NS        UINT64_C(3000)    /* within which the clock is polled instead of sleeping */
#define INSTANT_BATCH  256               /* numbers that a thread takes at once, to compete less */
#define LOOK_NS        UINT64_C(1000000) /* how often a thread with requests in flight looks */
#define STACK_BYTES    (256 * KIB)       /* enough for system calls */

/* What a free channel may do. */
enum turn {
    TURN_NOW,  /* a request is due: at ticket_ns */
    TURN_WAIT, /* a request may begin at ticket_ns; if that is 0, only after something changes */
    TURN_OVER, /* no further request may begin */
};

/* Whether no further write can succeed, so that no further read will get permission. */
static bool writes_are_over(const struct load_thread *t)
{
    return atomic_load(&t->run->loads[LOAD_WRITE].threads_left) == 0;
}

/* Whether a request may begin on a free channel now; if so, takes one from the budget for it. */
static enum turn turn_of(struct load_thread *t)
{
    struct run *run = t->run;
    struct load *load = t->load;
    bool is_exhausted = t->budget == 0 && load->pace != PACE_FOLLOWS &&
                        atomic_load_explicit(&run->exhausted_ns, memory_order_relaxed) != 0;
    if (atomic_load_explicit(&run->is_over, memory_order_relaxed) || is_exhausted)
        return TURN_OVER;
    unsigned gate = atomic_load_explicit(&run->gate, memory_order_acquire);
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
        uint64_t allowed = run_reads_allowed(run);
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
        if (t->ticket_ns >= atomic_load_explicit(&run->until_ns, memory_order_relaxed))
            return TURN_OVER;
        if (t->ticket_ns > t->now_ns)
            return TURN_WAIT;
    } else {
        unsigned active = atomic_load_explicit(&load->active, memory_order_relaxed);
        unsigned quota = active / load->shares + (t->share < active % load->shares);
        if (t->channels - t->unused_count >= quota)
            return TURN_WAIT;
    }
    if (t->budget > 0) {
        t->budget--;
        return TURN_NOW;
    }
    bool is_instant = run->target->traits & TARGET_INSTANT && load->pace == PACE_CLOSED;
    uint64_t batch = is_instant ? INSTANT_BATCH : 1;
    uint64_t most = atomic_load_explicit(&run->most, memory_order_relaxed);
    uint64_t used = atomic_fetch_add_explicit(&run->budget, batch, memory_order_relaxed);
    if (used >= most) { /* the run ends */
        uint64_t not_yet = 0;
        atomic_compare_exchange_strong(&run->exhausted_ns, &not_yet, t->now_ns);
        return TURN_OVER;
    }
    t->budget = (most - used < batch ? most - used : batch) - 1;
    return TURN_NOW;
}

static bool is_written_one_by_one(const struct run *run)
{
    return run->reads_written || !(run->target->traits & TARGET_INSTANT);
}

/* Gives a request its number, which determines its name. A removal gets the oldest object that the
 * run wrote, or, in a run that writes nothing, the next name; a change gets any object that it
 * wrote, or becomes a write. Where names do not matter, numbers are taken in batches. */
static void number_request(struct load_thread *t, struct request *r)
{
    struct run *run = t->run;
    r->number = 0;
    if (r->removes && run->plan->puts_nothing)
        r->number = atomic_fetch_add(&run->removals, 1) + 1;
    else if (r->removes)
        r->number = written_take_oldest(&run->written);
    else if (r->changes || (r->kind == LOAD_READ && run->reads_written))
        r->number = written_pick(
            &run->written, rng_mix(run->plan->rank_seed ^ atomic_fetch_add(&run->read_numbers, 1)));
    if (r->number != 0 || (r->kind == LOAD_READ && run->reads_written))
        return;
    r->removes = r->changes = false; /* there is no such object */
    if (r->kind == LOAD_WRITE && is_written_one_by_one(run)) {
        r->number = written_begin(&run->written, r->channel);
        return;
    }
    if (t->numbers == 0) {
        t->numbers = t->budget + 1;
        bool writes = r->kind == LOAD_WRITE;
        t->next_number =
            atomic_fetch_add(writes ? &run->written.issued : &run->read_numbers, t->numbers) + 1;
    }
    t->numbers--;
    r->number = t->next_number++;
}

/* Adds one to a number that only this thread changes. Who sees an end sees its beginning, too. */
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
    if (end_ns >= atomic_load_explicit(&t->last_end_ns, memory_order_relaxed) + STOPPED_NS) {
        /* after a stop, the main thread looks first, which tells what ended before from the rest */
        uint64_t looked_ns = atomic_load_explicit(&run->looked_ns, memory_order_relaxed);
        unsigned looks = looked_ns != 0 && end_ns >= looked_ns + STOPPED_NS ? 200 : 0;
        while (looks-- > 0 && atomic_load(&run->looked_ns) == looked_ns)
            clock_sleep(MILLION);
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
        struct load *reads = &run->loads[LOAD_READ];
        uint64_t not_yet = 0;
        if (r->failure == 0 && !atomic_load_explicit(&reads->is_open, memory_order_relaxed) &&
            atomic_compare_exchange_strong(&reads->opened_ns, &not_yet, t->now_ns)) {
            if (reads->pace == PACE_RATE)
                begin_schedule(run, reads, atomic_load(&reads->rate), t->now_ns);
            atomic_store(&reads->is_open, true);
            event_happens(&run->change, EVENT_WAKES_ALL);
        }
        if (r->failure == 0 && reads->pace == PACE_FOLLOWS && atomic_load(&run->followers) > 0)
            event_happens(&run->write_ended, (int)(run->plan->reads_per_write / BILLION) + 1);
    }
    if (is_of_step) {
        count_one(&t->ended);
        atomic_store_explicit(&t->last_end_ns, end_ns, memory_order_relaxed);
    }
    t->unused[t->unused_count++] = r;
}

void *load_thread_work(void *load_thread)
{
    struct load_thread *t = load_thread;
    struct run *run = t->run;
    const struct target_ops *target = run->target;
    stop_block_signals();
    atomic_store(&t->thread_id, gettid());
    prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS, 0, 0, 0);
    t->now_ns = clock_ns();
    for (;;) {
        uint32_t change = event_count(&run->change);
        uint32_t writes = event_count(&run->write_ended);
        enum turn turn = TURN_WAIT;
        while (t->unused_count > 0 && (turn = turn_of(t)) == TURN_NOW) {
            struct request *r = t->unused[--t->unused_count];
            r->due_ns = t->ticket_ns;
            r->gate = t->gate;
            t->ticket_ns = 0;
            /* one by one, which costs less than clearing all of *r */
            r->removes = r->changes = r->made = false;
            r->failure = r->miss = r->connections = 0;
            r->bytes = r->aside_ns = r->judged_ns = r->first_byte_ns = 0;
            r->connect_ns = r->tls_ns = 0;
            if (target->choose)
                target->choose(run->shared, r, rng_next(&t->rng));
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
                continue;
            t->now_ns = clock_ns();
            settle_request(t, r, t->now_ns);
        }
        if (t->unused_count == t->channels && turn == TURN_OVER)
            break;
        if (t->unused_count == t->channels) { /* sleeps, in a pause parked and without a budget */
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
            continue;
        }
        /* waits for requests in flight, but not for long if other changes could let one begin */
        uint64_t until_ns = t->now_ns + LOOK_NS;
        if (t->unused_count == 0 || turn == TURN_OVER)
            until_ns = t->now_ns + 100 * LOOK_NS;
        else if (t->ticket_ns > 0 && t->ticket_ns < until_ns)
            until_ns = t->ticket_ns;
        /* requests that end are stored where settle_request() puts them */
        struct request **done = t->unused + t->unused_count;
        unsigned ended = target->poll(t->target, until_ns, done, t->channels - t->unused_count);
        uint64_t end_ns = t->now_ns = clock_ns();
        for (unsigned i = 0; i < ended; i++)
            settle_request(t, done[i], end_ns);
    }
    for (; t->numbers > 0 && t->load->kind == LOAD_WRITE; t->numbers--)
        written_leave_out(&run->written, t->next_number++); /* these were never begun */
    atomic_store(&t->waited_ns, cpu_demand_of_thread().waited_ns);
    atomic_store(&t->parked, LOAD_THREAD_OVER);
    if (atomic_fetch_sub(&t->load->threads_left, 1) == 1)
        run_wake(run);
    return NULL;
}

static void leave_target(struct load_thread *t)
{
    if (t->target && t->run->target->leave)
        t->run->target->leave(t->target);
    free(t->target);
}

int load_threads_start(struct run *r, struct err *e)
{
    const struct target_ops *target = r->target;
    pthread_attr_t attributes;
    int rc = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (rc == 0 && r->started < r->thread_count) {
        struct load_thread *t = &r->threads[r->started];
        if (target->join) {
            t->target = calloc(1, target->thread_bytes + t->channels * target->channel_bytes);
            rc = t->target ? target->join(t->target, r->shared, t->channels, e)
                           : err_system(e, ENOMEM, "allocate memory for %u channels", t->channels);
        }
        int code = rc == 0 ? pthread_create(&t->thread, &attributes, load_thread_work, t) : 0;
        if (code != 0)
            rc = err_system(e, code, "start thread %u of %u", r->started + 1, r->thread_count);
        if (rc == 0)
            r->started++;
        else
            leave_target(t);
    }
    pthread_attr_destroy(&attributes);
    if (rc != 0) {
        run_end(r);
        load_threads_join(r);
    }
    return rc;
}

void load_threads_join(struct run *r)
{
    while (r->started > 0) {
        struct load_thread *t = &r->threads[--r->started];
        pthread_join(t->thread, NULL);
        leave_target(t);
    }
}

unsigned load_threads_busy(const struct run *r)
{
    unsigned busy = 0;
    for (const struct load_thread *t = r->threads; t < r->threads + r->thread_count; t++) {
        unsigned parked = atomic_load(&t->parked);
        busy += parked != LOAD_THREAD_OVER && parked != atomic_load(&r->gate);
    }
    return busy;
}

struct progress load_threads_progress(const struct run *r, enum load_kind kind)
{
    struct progress sum = {0};
    for (const struct load_thread *t = r->threads; t < r->threads + r->thread_count; t++) {
        if (t->load->kind != kind)
            continue;
        uint64_t ended = atomic_load_explicit(&t->ended, memory_order_relaxed);
        uint64_t begun = atomic_load_explicit(&t->begun, memory_order_relaxed);
        sum.ended += ended;
        sum.begun += begun > ended ? begun : ended; /* a request may have ended meanwhile */
    }
    return sum;
}

uint64_t load_threads_leave(struct run *r, enum load_kind kind)
{
    uint64_t left = 0;
    atomic_fetch_add(&r->gate, 2); /* the run stays paused; these requests are of no step */
    for (struct load_thread *t = r->threads; t < r->threads + r->thread_count; t++) {
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

void load_threads_begin_span(struct run *r, enum span span)
{
    for (unsigned i = 0; i < r->thread_count; i++)
        read_wait(&r->threads[i], &r->threads[i].waited_before_ns[span]);
}

double load_threads_longest_wait(const struct run *r, enum span span)
{
    uint64_t longest = 0;
    for (unsigned i = 0; i < r->thread_count; i++) {
        uint64_t before = r->threads[i].waited_before_ns[span];
        uint64_t now;
        if (!read_wait(&r->threads[i], &now))
            return -1;
        if (now > before && now - before > longest)
            longest = now - before;
    }
    return (double)longest;
}

void load_threads_forget(struct run *r)
{
    r->followed_from = atomic_load(&r->written.ok_count);
    atomic_store(&r->loads[LOAD_READ].followed, 0);
    atomic_store(&r->budget, 0);
    atomic_store(&r->most, run_budget(r->plan));
    recorders_clear(&r->recorders);
    failures_clear(&r->failures);
    failures_clear(&r->misses);
    if (r->target->forget)
        r->target->forget(r->shared);
    for (struct load_thread *t = r->threads; t < r->threads + r->thread_count; t++) {
        t->slowest.count = 0;
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

void backlog_measure(struct backlog *b, const struct run *r, uint64_t now_ns)
{
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct load *load = &r->loads[kind];
        if (!load_has_schedule(load))
            continue;
        uint64_t ended = load_threads_progress(r, kind).ended;
        uint64_t due = due_before(b, load, 0, now_ns);
        double backlog = due > ended ? (double)(due - ended) : 0;
        double second = fmax((double)(due - due_before(b, load, 1, now_ns)), 1);
        double seconds =
            fmax((double)(due - due_before(b, load, BAD_RATE_SECONDS, now_ns)), BAD_RATE_SECONDS);
        if (backlog > second) {
            /* from the schedule, and not from when this thread ran, which may be late */
            double rate = arrivals_rate(load_schedule(load), now_ns - BILLION);
            double passed = (double)(now_ns - b->looked_ns);
            double above = (backlog - second) / rate * (double)BILLION;
            b->staggered_ns[kind] += (uint64_t)(above < passed ? above : passed);
        }
        b->is_bad |= backlog > seconds;
    }
    b->looked_ns = now_ns;
}
