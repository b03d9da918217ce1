#include "bonload/planning.h"

#include <inttypes.h>
#include <string.h>

#include "bonload/goader.h"
#include "bonload/targets/target.h"
#include "measure/clock.h"
#include "util/mul_div.h"
#include "util/rng.h"
#include "util/units.h"

#define DEFAULT_MAX_REQUESTS 10000
#define DEFAULT_MAX_CHANNELS 500
#define DEFAULT_BODY         (160 * KIB)
#define DEFAULT_BUCKETS      1000
#define DEFAULT_WINDOW_NS    BILLION
#define DEFAULT_WINDOW_MOST  (60 * BILLION)
#define DEFAULT_SWEEP_NS     (10 * BILLION)
#define DEFAULT_SEARCH_RATE  (100 * BILLION)
#define DEFAULT_MAX_ERRORS   50
#define DEFAULT_TIMEOUT_NS   (60 * BILLION)
#define TIMEOUT_LIMITS       5 /* timeout of a search, in latency limits */
#define DEFAULT_XATTR_KEYS   10
#define DEFAULT_XATTR_LENGTH 5120
#define DEFAULT_OFFSET_LIMIT (16 * MIB)

static uint64_t value_or(const struct given *g, uint64_t otherwise)
{
    return g->given ? g->value : otherwise;
}

static bool is_positive(const struct given *g)
{
    return g->given && g->value > 0;
}

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

static int find_course(struct plan *p, const struct settings *s, struct err *e)
{
    if (s->ramp && s->load_file)
        return err_say(e, "-ramp and -load-file cannot be combined");
    if (s->load_file)
        return course_read(&p->course, s->load_file, e);
    if (s->ramp && course_parse_ramp(&p->course, s->ramp) != 0)
        return err_say(
            e, "-ramp: '%.100s' is not accepted; expected RATE..RATE/TIME: 100..2000/60s", s->ramp);
    return 0;
}

static int find_mode(struct plan *p, const struct settings *s, struct err *e)
{
    bool rates = is_positive(&s->rate[LOAD_READ]) || is_positive(&s->rate[LOAD_WRITE]);
    bool threads = is_positive(&s->threads[LOAD_READ]) || is_positive(&s->threads[LOAD_WRITE]);
    p->mode = MODE_RATE;
    if (p->course.count > 0)
        return threads || s->sweep_count > 0 || s->has_latency_limit
                   ? err_say(e, "-ramp and -load-file set rates, and cannot be combined with "
                                "threads, -sweep or -max-latency")
                   : 0;
    if (s->sweep_count > 0) {
        p->mode = MODE_SWEEP;
        if (s->has_latency_limit)
            return err_say(e, "-sweep and -max-latency cannot be combined");
        return threads
                   ? err_say(e, "-sweep uses rates, and cannot be combined with threads (-rt, -wt)")
                   : 0;
    }
    if (s->has_latency_limit) {
        p->mode = MODE_SEARCH;
        return 0;
    }
    if (rates && threads)
        return err_say(e, "threads (-rt, -wt) and rates (-rps, -wps) cannot be combined");
    if (!rates && !threads)
        return err_say(e, "no load is given: use -rps or -wps, -rt or -wt, -max-latency or -sweep");
    if (threads)
        p->mode = MODE_THREADS;
    return 0;
}

/* Plans one kind of a search. Both kinds are made, unless the user gives 0 for one. */
static void plan_searched(struct plan *p, const struct settings *s, enum load_kind kind)
{
    struct kind_plan *k = &p->kinds[kind];
    bool by_rate = s->search == SEARCH_RATE;
    const struct given *first = by_rate ? &s->rate[kind] : &s->threads[kind];
    k->channels = p->max_channels;
    if (first->given && first->value == 0)
        return;
    k->pace = by_rate ? PACE_RATE : PACE_CLOSED;
    if (by_rate)
        k->rate = value_or(first, DEFAULT_SEARCH_RATE);
    else
        k->threads = (unsigned)value_or(first, 1);
}

/*
 * Plans one kind of a sweep: its share of the first rate. Without -rps and -wps, each kind has
 * half.
 */
static void plan_swept(struct plan *p, const struct settings *s, enum load_kind kind)
{
    struct kind_plan *k = &p->kinds[kind];
    enum load_kind other = kind == LOAD_READ ? LOAD_WRITE : LOAD_READ;
    bool neither = !s->rate[kind].given && !s->rate[other].given;
    uint64_t share = neither ? 1 : s->rate[kind].value;
    if (!neither && !s->rate[kind].given && s->rate[other].value == 0)
        share = 1; /* -rps=0: there are only writes */
    k->channels = p->max_channels;
    k->rate = share;
    k->pace = share > 0 ? PACE_RATE : PACE_NONE;
}

static void plan_kind(struct plan *p, const struct settings *s, enum load_kind kind)
{
    struct kind_plan *k = &p->kinds[kind];
    if (p->mode == MODE_SEARCH) {
        plan_searched(p, s, kind);
    } else if (p->mode == MODE_SWEEP || p->course.count > 0) {
        plan_swept(p, s, kind);
    } else if (is_positive(&s->rate[kind])) {
        *k = (struct kind_plan){
            .pace = PACE_RATE, .rate = s->rate[kind].value, .channels = p->max_channels};
    } else if (is_positive(&s->threads[kind])) {
        unsigned threads = (unsigned)s->threads[kind].value;
        *k = (struct kind_plan){.pace = PACE_CLOSED, .threads = threads, .channels = threads};
    }
}

/*
 * Plans -rpw: reads have no rate and no number of threads of their own, but as many channels as
 * writes.
 */
static int plan_following(struct plan *p, const struct settings *s, struct err *e)
{
    struct kind_plan *reads = &p->kinds[LOAD_READ];
    p->reads_per_write = value_or(&s->reads_per_write, 0);
    if (p->reads_per_write == 0)
        return 0;
    if (!plan_has(p, LOAD_WRITE))
        return err_say(e, "-rpw needs writes: there are none to make reads for");
    if (is_positive(&s->rate[LOAD_READ])) {
        p->reads_per_write = 0;
        return goader_passes(
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

/* Plans the channels, of which there are at least as many as threads. */
static int plan_channels(struct plan *p, const struct settings *s, struct err *e)
{
    uint64_t channels = value_or(&s->max_channels, DEFAULT_MAX_CHANNELS);
    uint64_t threads = s->threads[LOAD_READ].value;
    if (s->threads[LOAD_WRITE].value > threads)
        threads = s->threads[LOAD_WRITE].value;
    if (threads > channels && s->max_channels.given && !s->as_goader)
        return err_say(e, "-rt, -wt: %" PRIu64 " threads are more than -max-channels=%" PRIu64,
                       threads, channels);
    p->max_channels = (unsigned)(threads > channels ? threads : channels);
    return 0;
}

/* Plans each kind's share of a course's largest rate. */
static void plan_peak(struct plan *p)
{
    uint64_t all = p->kinds[LOAD_READ].rate + p->kinds[LOAD_WRITE].rate;
    uint64_t peak = (uint64_t)(course_peak(&p->course) * (double)BILLION);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        p->kinds[kind].rate = mul_div(peak, p->kinds[kind].rate, all);
}

static int plan_load(struct plan *p, const struct settings *s, struct err *e)
{
    int rc = plan_channels(p, s, e);
    for (enum load_kind kind = 0; rc == 0 && kind < LOAD_KINDS; kind++)
        plan_kind(p, s, kind);
    if (rc != 0)
        return rc;
    if (!plan_has(p, LOAD_READ) && !plan_has(p, LOAD_WRITE))
        return err_say(e, "neither reads nor writes are requested");
    rc = plan_following(p, s, e);
    if (rc == 0 && p->course.count > 0)
        plan_peak(p);
    return rc;
}

static void plan_end(struct plan *p, const struct settings *s)
{
    bool has_end = p->mode == MODE_SEARCH || p->mode == MODE_SWEEP || s->duration_ns.given ||
                   p->course.count > 0;
    p->max_requests =
        value_or(&s->max_requests, has_end ? UINT64_MAX : (uint64_t)DEFAULT_MAX_REQUESTS);
    uint64_t otherwise = p->mode == MODE_SWEEP ? DEFAULT_SWEEP_NS : 0;
    if (p->course.count > 0)
        otherwise = course_end(&p->course);
    p->duration_ns = value_or(&s->duration_ns, otherwise);
    p->warmup_ns = value_or(&s->warmup_ns, 0);
}

static int plan_sizes(struct plan *p, const struct settings *s, struct err *e)
{
    uint64_t size = value_or(&s->body_size, DEFAULT_BODY);
    bool has_range = s->min_body_size.given || s->max_body_size.given;
    p->least_body = has_range ? value_or(&s->min_body_size, 0) : size;
    p->most_body = has_range ? value_or(&s->max_body_size, size) : size;
    if (p->least_body > p->most_body)
        return err_say(e,
                       "-min-body-size: %" PRIu64
                       " bytes are more than the largest body has (%" PRIu64 ", -max-body-size)",
                       p->least_body, p->most_body);
    if (s->fair_random)
        p->fair_buckets = value_or(&s->fair_buckets, DEFAULT_BUCKETS);
    return 0;
}

static int plan_names(struct plan *p, const struct settings *s, struct err *e)
{
    p->url = s->url;
    p->url_source = s->url ? NULL : s->url_source;
    if ((p->target->traits & TARGET_NAMES) && !p->url && !p->url_source)
        return err_say(e, "no names are given: use -url=TEMPLATE or -url-source=FILE");
    if (p->url && *p->url == '\0')
        return err_say(e, "-url: the template is empty");
    return 0;
}

static void plan_contents(struct plan *p, const struct settings *s)
{
    bool writes = plan_has(p, LOAD_WRITE);
    p->verify = s->has_verify ? s->verify : writes && !s->as_goader ? VERIFY_STAMP : VERIFY_OFF;
    p->chunk_bytes = value_or(&s->chunk_bytes, 0);
    p->direct = s->direct;
    p->evict = s->evict;
    p->fsync = s->fsync;
    p->make_directories = s->make_directories;
    p->cleanup = s->cleanup;
    p->written_dump = s->written_dump;
    p->meta_ops = s->meta_ops;
    p->xattr_keys = (unsigned)value_or(&s->xattr_keys, DEFAULT_XATTR_KEYS);
    p->xattr_length = value_or(&s->xattr_length, DEFAULT_XATTR_LENGTH);
    p->offset_limit = value_or(&s->offset_limit, DEFAULT_OFFSET_LIMIT);
}

static int plan_tail(struct plan *p, const struct settings *s, struct err *e)
{
    p->explains_tail = s->explain_tail && (p->target->traits & TARGET_FILES);
    if (p->explains_tail && (p->mode == MODE_SEARCH || p->mode == MODE_SWEEP))
        return err_say(e, "-explain-tail explains a single load, and cannot be combined with "
                          "-max-latency or -sweep");
    return 0;
}

/* A seed that differs from run to run. */
static uint64_t seed_of_now(void)
{
    return rng_mix((uint64_t)clock_wall_ns()) >> 1;
}

static void plan_timeout(struct plan *p, const struct settings *s)
{
    uint64_t otherwise = p->mode == MODE_SEARCH ? TIMEOUT_LIMITS * p->limit.nanoseconds
                                                : (uint64_t)DEFAULT_TIMEOUT_NS;
    p->timeout_ns = value_or(&s->timeout_ns, otherwise);
}

static void plan_rest(struct plan *p, const struct settings *s)
{
    p->arrival = s->arrival;
    p->limit = s->limit;
    p->settings = s;
    p->search = s->search;
    p->window_ns = value_or(&s->window_ns, DEFAULT_WINDOW_NS);
    p->window_most_ns = value_or(&s->window_most_ns, DEFAULT_WINDOW_MOST);
    if (p->window_most_ns < p->window_ns)
        p->window_most_ns = p->window_ns;
    p->adjust_on_errors = s->adjust_on_errors;
    memcpy(p->sweep, s->sweep, sizeof p->sweep);
    p->sweep_count = s->sweep_count;
    p->stop_on_bad_rate = s->stop_on_bad_rate;
    p->output = s->output;
    p->show_progress = s->show_progress;
    p->timeline_file = s->timeline_file;
    p->max_errors =
        s->max_errors.given ? (double)s->max_errors.value / (double)BILLION : DEFAULT_MAX_ERRORS;
    p->seed = s->seed.given ? s->seed.value : seed_of_now();
    p->verbose = s->verbose;
    p->memory_debug = s->memory_debug;
}

int plan_make(struct plan *p, const struct settings *s, struct err *e)
{
    *p = (struct plan){0};
    int rc = find_target(p, s, e);
    if (rc == 0)
        rc = find_course(p, s, e);
    if (rc == 0)
        rc = find_mode(p, s, e);
    if (rc == 0 && s->stop_on_bad_rate && p->mode != MODE_RATE)
        rc = goader_passes(s, err_say(e, "-stop-on-bad-rate needs a rate (-rps, -wps)"), e);
    if (rc == 0)
        rc = plan_load(p, s, e);
    if (rc == 0)
        rc = plan_sizes(p, s, e);
    if (rc == 0)
        rc = plan_names(p, s, e);
    if (rc == 0)
        rc = plan_tail(p, s, e);
    if (rc != 0)
        return rc;
    plan_end(p, s);
    plan_contents(p, s);
    plan_rest(p, s);
    plan_timeout(p, s);
    return p->target->check ? p->target->check(p, s, e) : 0;
}

/* Checks that every rank gets a part of what cannot be divided: threads and channels. */
static int check_shares(const struct plan *p, struct err *e)
{
    static const char *const options[] = {[LOAD_WRITE] = "-wt", [LOAD_READ] = "-rt"};
    unsigned ranks = plan_ranks(p);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct kind_plan *k = &p->kinds[kind];
        if (k->pace == PACE_NONE || k->channels >= ranks)
            continue;
        return err_say(e, "%s: %u cannot be divided among %u ranks",
                       p->mode == MODE_THREADS ? options[kind] : "-max-channels", k->channels,
                       ranks);
    }
    return 0;
}

int plan_join(struct plan *p, const struct ranks *r, struct err *e)
{
    p->stripe = (struct stripe){.others = r->count - 1, .index = r->number};
    p->rank_seed = r->number > 0 ? rng_mix(p->seed + r->number) : p->seed;
    if (r->number > 0)
        p->show_progress = false;
    if (r->count > 1 && p->explains_tail)
        return err_say(e, "-explain-tail cannot be combined with several ranks");
    return check_shares(p, e);
}
