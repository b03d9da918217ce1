// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/planning.h"

#include <inttypes.h>

#include "bonload/options.h"
#include "bonload/targets/target.h"
#include "measure/clock.h"
#include "sys/path.h"
#include "util/rng.h"
#include "util/units.h"

#define DEFAULT_MAX_REQUESTS 10000
#define DEFAULT_SWEEP_NS     (10 * BILLION)
#define DEFAULT_SEARCH_RATE  (100 * BILLION)
#define DEFAULT_TIMEOUT_NS   (60 * BILLION)
#define TIMEOUT_LIMITS       5 /* timeout of a search, in latency limits */

static int find_target(struct plan *p, const struct settings *s, struct err *e)
{
    const char *name = s->engine ? s->engine : DEFAULT_TARGET;
    p->target = target_by_name(name);
    if (!p->target)
        return err_say(e,
                       "-requests-engine: '%.100s' is not accepted; expected disk, meta, null, "
                       "sleep, http, upload or s3",
                       name);
    return p->target->available ? p->target->available(e) : 0;
}

static int find_rate_curve(struct plan *p, const struct settings *s, struct err *e)
{
    if (s->ramp && s->load_file)
        return err_say(e, "-ramp and -load-file cannot be combined");
    if (s->load_file)
        return rate_curve_read(&p->curve, s->load_file, e);
    if (s->ramp && rate_curve_parse_ramp(&p->curve, s->ramp) != 0)
        return err_say(
            e, "-ramp: '%.100s' is not accepted; expected RATE..RATE/TIME: 100..2000/60s", s->ramp);
    return 0;
}

/* Refuses a command line without a load; for a directory, says which questions loads answer. */
static int refuse_no_load(const struct settings *s, struct err *e)
{
    struct path_directory d;
    const char *dir = s->url;
    if (!dir || path_open(&d, NULL, dir, PATH_FAILS, NULL) != 0)
        return err_say(e, "no load is given: use -rps or -wps, -rt or -wt, -max-latency or -sweep");
    path_close(&d);
    message("is %s good enough for etcd, a database, a mail store? bonload -good-for=etcd %s", dir,
            dir);
    message("how long do 100 writes a second take? bonload -wps=100 -duration=10s -fsync -cleanup "
            "%s/XXXXXX",
            dir);
    return err_say(e,
                   "how many fit below 20 ms? bonload -max-latency=p99:20ms -rt=0 -duration=30s "
                   "-fsync -cleanup %s/XXXXXX",
                   dir);
}

static int find_mode(struct plan *p, const struct settings *s, struct err *e)
{
    bool rates = s->rate[LOAD_READ].value > 0 || s->rate[LOAD_WRITE].value > 0;
    bool threads = s->threads[LOAD_READ].value > 0 || s->threads[LOAD_WRITE].value > 0;
    bool sweeps = s->sweep_count > 0;
    bool searches = s->limit.nanoseconds > 0;
    bool has_curve = p->curve.count > 0;
    if (has_curve && (threads || sweeps || searches))
        return err_say(e, "-ramp and -load-file set rates, and cannot be combined with threads, "
                          "-sweep or -max-latency");
    if (sweeps && searches)
        return err_say(e, "-sweep and -max-latency cannot be combined");
    if (sweeps && threads)
        return err_say(e, "-sweep uses rates, and cannot be combined with threads (-rt, -wt)");
    if (rates && threads && !searches)
        return err_say(e, "threads (-rt, -wt) and rates (-rps, -wps) cannot be combined");
    if (!rates && !threads && !sweeps && !searches && !has_curve)
        return refuse_no_load(s, e);
    p->mode = sweeps ? MODE_SWEEP : searches ? MODE_SEARCH : threads ? MODE_THREADS : MODE_RATE;
    if (s->stop_on_bad_rate && p->mode != MODE_RATE)
        return options_pass_goader(s, err_say(e, "-stop-on-bad-rate needs a rate (-rps, -wps)"), e);
    return 0;
}

/* Plans the channels, of which there are at least as many as threads. */
static int plan_channels(struct plan *p, const struct settings *s, struct err *e)
{
    uint64_t channels = s->max_channels.value;
    uint64_t threads = s->threads[LOAD_READ].value;
    if (s->threads[LOAD_WRITE].value > threads)
        threads = s->threads[LOAD_WRITE].value;
    if (threads > channels && s->max_channels.given && !s->as_goader)
        return err_say(e, "-rt, -wt: %" PRIu64 " threads are more than -max-channels=%" PRIu64,
                       threads, channels);
    p->max_channels = (unsigned)(threads > channels ? threads : channels);
    return 0;
}

/*
 * Plans one kind. A search makes both kinds, unless the user gives 0 for one. In a sweep or a
 * curve, a kind without a rate has half, or all if the other one's is given as 0.
 */
static void plan_kind(struct plan *p, const struct settings *s, enum load_kind kind)
{
    struct kind_plan *k = &p->kinds[kind];
    enum load_kind other = kind == LOAD_READ ? LOAD_WRITE : LOAD_READ;
    k->channels = p->max_channels;
    if (p->mode == MODE_SEARCH && s->search == SEARCH_RATE)
        k->rate = optional_or(s->rate[kind], DEFAULT_SEARCH_RATE);
    else if (p->mode == MODE_SEARCH)
        k->threads = (unsigned)optional_or(s->threads[kind], 1);
    else if (p->mode == MODE_THREADS)
        k->channels = k->threads = (unsigned)s->threads[kind].value;
    else if (p->mode == MODE_SWEEP || p->curve.count > 0)
        k->rate = optional_or(s->rate[kind], s->rate[other].value == 0);
    else if (s->rate[kind].value > 0)
        k->rate = s->rate[kind].value;
    else
        k->channels = 0;
    if (k->rate > 0)
        k->pace = PACE_RATE;
    else if (k->threads > 0)
        k->pace = PACE_CLOSED;
}

/* Plans both kinds. With -rpw, reads have neither a rate nor threads, but channels as writes do. */
static int plan_kinds(struct plan *p, const struct settings *s, struct err *e)
{
    struct kind_plan *reads = &p->kinds[LOAD_READ];
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        plan_kind(p, s, kind);
    if (!plan_has(p, LOAD_READ) && !plan_has(p, LOAD_WRITE))
        return err_say(e, "no reads or writes are requested");
    p->reads_per_write = s->reads_per_write.value;
    if (p->reads_per_write == 0)
        return 0;
    if (!plan_has(p, LOAD_WRITE))
        return err_say(e, "-rpw needs writes: there are none to make reads for");
    if (s->rate[LOAD_READ].value > 0) {
        p->reads_per_write = 0;
        return options_pass_goader(
            s, err_say(e, "-rpw and -rps cannot be combined: both say how many reads there are"),
            e);
    }
    bool has_threads = reads->pace == PACE_CLOSED && p->mode == MODE_THREADS;
    *reads = (struct kind_plan){
        .pace = PACE_FOLLOWS,
        .channels = has_threads ? reads->channels : p->max_channels,
    };
    return 0;
}

static int plan_sizes(struct plan *p, const struct settings *s, struct err *e)
{
    bool has_range = s->min_body_size.given || s->max_body_size.given;
    p->least_body = has_range ? s->min_body_size.value : s->body_size.value;
    p->most_body = optional_or(s->max_body_size, s->body_size.value);
    if (p->least_body > p->most_body)
        return err_say(e,
                       "-min-body-size: %" PRIu64
                       " bytes are more than the largest body has (%" PRIu64 ", -max-body-size)",
                       p->least_body, p->most_body);
    if (s->fair_random)
        p->fair_buckets = s->fair_buckets.value;
    return 0;
}

/* Plans where names come from, and what is found out about the slowest requests. */
static int plan_names(struct plan *p, const struct settings *s, struct err *e)
{
    p->url = s->url;
    p->url_source = s->url ? NULL : s->url_source;
    if ((p->target->traits & TARGET_NAMES) && !p->url && !p->url_source)
        return err_say(e, "no names are given: use -url=TEMPLATE or -url-source=FILE");
    p->explains_tail = s->explain_tail && (p->target->traits & TARGET_FILES);
    if (p->explains_tail && (p->mode == MODE_SEARCH || p->mode == MODE_SWEEP))
        return err_say(e, "-explain-tail explains a single load, and cannot be combined with "
                          "-max-latency or -sweep");
    return 0;
}

/* Plans what the mode and the loads decide, unless it is given. */
static void plan_rest(struct plan *p, const struct settings *s)
{
    bool has_steps = p->mode == MODE_SEARCH || p->mode == MODE_SWEEP;
    bool has_end = has_steps || s->duration_ns.given || p->curve.count > 0;
    uint64_t duration_ns = p->mode == MODE_SWEEP ? DEFAULT_SWEEP_NS : p->curve.end_ns;
    uint64_t timeout_ns = p->mode == MODE_SEARCH ? TIMEOUT_LIMITS * p->limit.nanoseconds
                                                 : (uint64_t)DEFAULT_TIMEOUT_NS;
    uint64_t requests = has_end ? UINT64_MAX : (uint64_t)DEFAULT_MAX_REQUESTS;
    bool checks = plan_has(p, LOAD_WRITE) && !s->as_goader;
    uint64_t all = p->kinds[LOAD_READ].rate + p->kinds[LOAD_WRITE].rate;
    uint64_t peak = (uint64_t)(p->curve.peak * (double)BILLION);
    for (enum load_kind kind = 0; p->curve.count > 0 && kind < LOAD_KINDS; kind++)
        p->kinds[kind].rate = mul_div(peak, p->kinds[kind].rate, all);
    p->max_requests = optional_or(s->max_requests, requests);
    p->duration_ns = optional_or(s->duration_ns, duration_ns);
    p->timeout_ns = optional_or(s->timeout_ns, timeout_ns);
    p->verify = s->verify;
    if (s->verify == VERIFY_MODES)
        p->verify = checks ? VERIFY_STAMP : VERIFY_OFF;
}

/* Turns the plan into that of one of several ranks, which have agreed on its seed. */
static int join_ranks(struct plan *p, const struct ranks *r, struct err *e)
{
    static const char *const options[] = {[LOAD_WRITE] = "-wt", [LOAD_READ] = "-rt"};
    p->stripe = (struct stripe){.others = r->count - 1, .index = r->number};
    p->rank_seed = r->number > 0 ? rng_mix(p->seed + r->number) : p->seed;
    if (r->count > 1 && p->explains_tail)
        return err_say(e, "-explain-tail cannot be combined with several ranks");
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        if (plan_has(p, kind) && p->kinds[kind].channels < r->count)
            return err_say(e, "%s: %u cannot be divided among %u ranks",
                           p->mode == MODE_THREADS ? options[kind] : "-max-channels",
                           p->kinds[kind].channels, r->count);
    return 0;
}

int plan_make(struct plan *p, const struct settings *s, struct coordinator *c, struct err *e)
{
    static int (*const steps[])(struct plan *, const struct settings *, struct err *) = {
        find_target, find_rate_curve, find_mode, plan_channels, plan_kinds, plan_sizes, plan_names};
    int rc = 0;
    *p = (struct plan){
        .settings = s,
        .limit = s->limit,
        .search = s->search,
        .warmup_ns = s->warmup_ns.value,
        .window_ns = s->window_ns.value,
        .window_most_ns = s->window_most_ns.value,
        .adjust_on_errors = s->adjust_on_errors,
        .max_errors = (double)s->max_errors.value / (double)BILLION,
        .seed = optional_or(s->seed, rng_mix((uint64_t)clock_wall_ns()) >> 1),
    };
    if (p->window_most_ns < p->window_ns)
        p->window_most_ns = p->window_ns;
    for (size_t i = 0; rc == 0 && i < sizeof steps / sizeof *steps; i++)
        rc = steps[i](p, s, e);
    if (rc != 0)
        return rc;
    plan_rest(p, s);
    if (p->target->check)
        rc = p->target->check(p, s, e);
    if (rc == 0)
        rc = coordinator_share(c, "Starting", &p->seed, sizeof p->seed, e);
    return rc == 0 ? join_ranks(p, &c->ranks, e) : rc;
}
