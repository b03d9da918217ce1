#include "bonload/result/gathering.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sys/stop.h"
#include "util/bundle.h"
#include "util/units.h"

/* A rank's report on the requests of one kind, with times of its own clock. */
struct kind_figures {
    uint64_t begin_ns;
    uint64_t end_ns;
    uint64_t total;
    uint64_t total_errors;
    uint64_t begun;
    uint64_t due;
    double offered;
    uint64_t staggered_ns;
    uint64_t slow_count;
};

/* A rank's report on the whole run, with times of its own clock. */
struct rank_figures {
    uint64_t start_ns;
    uint64_t end_ns;
    double cpu_seconds;
    uint64_t checked_bytes;
    uint64_t damaged;
    uint64_t was_stopped;
    uint64_t is_bad_rate;
    uint64_t has_written;
    struct kind_figures kinds[LOAD_KINDS];
};

/* A rank's report on a slow request. Its texts follow it in the message. */
struct slow_figures {
    uint64_t response_ns;
    double at_seconds;
    uint64_t op;
};

/* A rank's report on a series. Its slices follow it in the message. */
struct series_figures {
    uint64_t slice_ns;
    uint64_t count;
};

/* What rank 0 needs while it receives the reports of the others. */
struct gathering {
    const struct ranks *ranks;
    struct result *result;
    struct series *intervals;
    struct series *timeline;
    struct rank_span span;
    struct rank_span kinds[LOAD_KINDS];
    uint64_t start_ns; /* when rank 0 began, by its clock */
    struct tally *tally;
    struct op_tally *op;
    bool is_damaged; /* some rank's bytes cannot be decoded, or there is no memory for them */
};

/* ---- what a rank sends ----------------------------------------------------------------------- */

static struct kind_figures kind_figures_of(const struct kind_result *k)
{
    return (struct kind_figures){
        .begin_ns = k->begin_ns,
        .end_ns = k->end_ns,
        .total = k->total,
        .total_errors = k->total_errors,
        .begun = k->begun,
        .due = k->due,
        .offered = k->offered,
        .staggered_ns = k->staggered_ns,
        .slow_count = k->slow_count,
    };
}

static struct rank_figures rank_figures_of(const struct result *r)
{
    struct rank_figures f = {
        .start_ns = r->start_ns,
        .end_ns = r->end_ns,
        .cpu_seconds = r->cpu_seconds,
        .checked_bytes = r->checked_bytes,
        .damaged = r->damaged,
        .was_stopped = r->was_stopped,
        .is_bad_rate = r->is_bad_rate,
        .has_written = r->has_written,
    };
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        f.kinds[kind] = kind_figures_of(&r->kinds[kind]);
    return f;
}

static void put_slow(struct bundle *b, const struct slow_result *s)
{
    const struct slow_figures f = {
        .response_ns = s->response_ns, .at_seconds = s->at_seconds, .op = s->op};
    bundle_put(b, &f, sizeof f);
    bundle_put_text(b, s->name);
    bundle_put_text(b, s->outcome);
}

static void put_series(struct bundle *b, const struct series *s)
{
    const struct series_figures f = {.slice_ns = s->slice_ns, .count = s->count};
    bundle_put(b, &f, sizeof f);
    for (size_t i = 0; i < s->count; i++)
        bundle_put(b, &s->slices[i], sizeof *s->slices);
}

static void put_result(struct bundle *b, const struct result *r)
{
    const struct rank_figures f = rank_figures_of(r);
    bundle_put(b, &f, sizeof f);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct kind_result *k = &r->kinds[kind];
        bundle_put(b, k->tally, sizeof *k->tally);
        for (unsigned i = 0; i < k->slow_count; i++)
            put_slow(b, &k->slowest[i]);
    }
    for (size_t i = 0; i < r->op_count; i++)
        bundle_put(b, r->ops[i].tally, sizeof *r->ops[i].tally);
    bundle_put(b, &r->failures, sizeof r->failures);
    bundle_put(b, &r->misses, sizeof r->misses);
    put_series(b, r->intervals);
    put_series(b, r->timeline);
}

/* ---- how rank 0 combines it ------------------------------------------------------------------ */

static void add_host_kind(struct host_kind *h, const struct kind_figures *f, const struct tally *t)
{
    h->requests += f->total;
    h->errors += f->total_errors;
    h->bytes += t->bytes;
    h->good += t->response.count;
    h->latency_sum_ns += t->response.sum;
    if (t->response.maximum > h->latency_max_ns)
        h->latency_max_ns = t->response.maximum;
}

static struct host_result *host_of(const struct gathering *g, unsigned rank)
{
    return &g->result->together.hosts[g->ranks->cards[rank].host_first];
}

/*
 * Adds a rank's report: converts its times to rank 0's clock, and compares its share of failed
 * requests with the others'.
 */
static void add_rank(struct gathering *g, unsigned rank, const struct rank_figures *f)
{
    struct together *t = &g->result->together;
    struct host_result *host = host_of(g, rank);
    const struct rank_card *card = &g->ranks->cards[rank];
    uint64_t start = rank_clock_start(g->ranks, rank, f->start_ns);
    uint64_t end = rank_clock_end(g->ranks, rank, f->end_ns);
    double all = 0;
    double errors = 0;
    rank_span_add(&g->span, start, end);
    rank_span_add(&host->span, start, end);
    host->ranks++;
    host->cpu_seconds += f->cpu_seconds;
    memcpy(host->name, card->host, sizeof host->name);
    if (card->after.uncertainty_ns > t->clock_uncertainty_ns)
        t->clock_uncertainty_ns = card->after.uncertainty_ns;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct kind_figures *k = &f->kinds[kind];
        all += (double)k->total;
        errors += (double)k->total_errors;
        if (k->begin_ns > 0 && k->end_ns > 0)
            rank_span_add(&g->kinds[kind], rank_clock_start(g->ranks, rank, k->begin_ns),
                          rank_clock_end(g->ranks, rank, k->end_ns));
    }
    if (all > 0 && 100 * errors / all > t->worst_share) {
        t->worst_share = 100 * errors / all;
        t->worst = rank;
    }
}

static void add_kind(struct kind_result *k, const struct kind_figures *f)
{
    k->total += f->total;
    k->total_errors += f->total_errors;
    k->begun += f->begun;
    k->due += f->due;
    k->offered += f->offered;
    if (f->staggered_ns > k->staggered_ns)
        k->staggered_ns = f->staggered_ns;
}

static void add_rest(struct result *r, const struct rank_figures *f)
{
    r->cpu_seconds += f->cpu_seconds;
    r->checked_bytes += f->checked_bytes;
    r->damaged += f->damaged;
    r->was_stopped |= f->was_stopped != 0;
    r->is_bad_rate |= f->is_bad_rate != 0;
    r->has_written |= f->has_written != 0;
}

/*
 * Adds a slow request. `ahead` is the number of seconds by which that rank began later than rank 0.
 */
static bool add_slow_of_rank(struct bundle_reader *in, struct kind_result *k, double ahead)
{
    struct slow_figures f;
    if (!bundle_take(in, &f, sizeof f))
        return false;
    struct slow_result slow = {
        .response_ns = f.response_ns, .at_seconds = f.at_seconds + ahead, .op = f.op};
    if (slow.at_seconds < 0)
        slow.at_seconds = 0;
    slow.name = bundle_take_text(in);
    slow.outcome = slow.name ? bundle_take_text(in) : NULL;
    if (slow.outcome)
        result_add_slow(k, &slow);
    else
        free(slow.name);
    return slow.outcome;
}

static bool add_kinds_of_rank(struct gathering *g, unsigned rank, const struct rank_figures *f,
                              struct bundle_reader *in)
{
    double ahead = ((double)rank_clock_start(g->ranks, rank, f->start_ns) - (double)g->start_ns) /
                   (double)BILLION;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        struct kind_result *k = &g->result->kinds[kind];
        if (!bundle_take(in, g->tally, sizeof *g->tally))
            return false;
        add_kind(k, &f->kinds[kind]);
        add_host_kind(&host_of(g, rank)->kinds[kind], &f->kinds[kind], g->tally);
        tally_merge(k->tally, g->tally);
        for (uint64_t i = 0; i < f->kinds[kind].slow_count; i++)
            if (!add_slow_of_rank(in, k, ahead))
                return false;
    }
    return true;
}

static bool add_ops_of_rank(struct gathering *g, struct bundle_reader *in)
{
    for (size_t i = 0; i < g->result->op_count; i++) {
        if (!bundle_take(in, g->op, sizeof *g->op))
            return false;
        op_tally_merge(g->result->ops[i].tally, g->op);
    }
    return true;
}

static bool add_reasons(struct bundle_reader *in, struct reasons_found *whole)
{
    struct reasons_found part;
    if (!bundle_take(in, &part, sizeof part) || part.count > FAILURES_MOST)
        return false;
    for (size_t i = 0; i < part.count; i++)
        reasons_add(whole, part.list[i].kind, part.list[i].text, part.list[i].count);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        whole->others[kind] += part.others[kind];
    return true;
}

static bool add_series_of_rank(struct bundle_reader *in, struct series *whole)
{
    struct series_figures f;
    struct err ignored;
    struct series part;
    err_init(&ignored);
    if (!bundle_take(in, &f, sizeof f) || f.count > whole->room ||
        series_open(&part, f.slice_ns, whole->room, &ignored) != 0)
        return false;
    bool is_whole = true;
    for (part.count = 0; is_whole && part.count < f.count; part.count++)
        is_whole = bundle_take(in, &part.slices[part.count], sizeof *part.slices);
    is_whole = is_whole && series_merge(whole, &part);
    series_close(&part);
    return is_whole;
}

static bool add_result_of_rank(struct gathering *g, unsigned rank, struct bundle_reader *in)
{
    struct rank_figures f;
    if (!bundle_take(in, &f, sizeof f))
        return false;
    add_rank(g, rank, &f);
    add_rest(g->result, &f);
    return add_kinds_of_rank(g, rank, &f, in) && add_ops_of_rank(g, in) &&
           add_reasons(in, &g->result->failures) && add_reasons(in, &g->result->misses) &&
           add_series_of_rank(in, g->intervals) && add_series_of_rank(in, g->timeline);
}

static void take_rank(void *context, unsigned rank, const void *brought, size_t bytes)
{
    struct gathering *g = context;
    struct bundle_reader in = {.at = brought, .bytes = bytes};
    if (rank > 0 && !add_result_of_rank(g, rank, &in))
        g->is_damaged = true;
}

/* Adds rank 0's own figures to those of its host. The result already has them. */
static void begin_with_own(struct gathering *g)
{
    const struct rank_figures own = rank_figures_of(g->result);
    add_rank(g, 0, &own);
    g->start_ns = own.start_ns;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        add_host_kind(&host_of(g, 0)->kinds[kind], &own.kinds[kind], g->result->kinds[kind].tally);
}

static double span_seconds(const struct rank_span *s)
{
    return (double)(s->last_end - s->first_start) / (double)BILLION;
}

/* Sets the result's times to those of all ranks, when all reports have come. */
static void end_with_all(struct gathering *g)
{
    struct result *r = g->result;
    r->elapsed = span_seconds(&g->span);
    r->together.ranks = g->ranks->count;
    r->together.start_spread_ns = g->span.last_start - g->span.first_start;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        struct kind_result *k = &r->kinds[kind];
        double due = k->offered > 0 ? (double)k->due / k->offered : 0;
        k->elapsed = span_seconds(&g->kinds[kind]);
        if (due > k->elapsed) /* there is one gap for each request */
            k->elapsed = due;
    }
}

static int meet_to_gather(struct conductor *c, struct gathering *g, struct bundle *mine,
                          struct err *e)
{
    const struct meeting m = {.name = "Handing over the figures",
                              .mine = mine->words,
                              .bytes = bundle_bytes(mine),
                              .take = take_rank,
                              .context = g,
                              .is_last = true};
    if (mine->is_short)
        return err_system(e, ENOMEM, "memory for the figures");
    return coordinator_meet(c->coordinator, &m, e);
}

static int gather_as_first(struct conductor *c, struct result *result, struct err *e)
{
    struct bundle nothing = {0};
    struct gathering g = {.ranks = &c->coordinator->ranks,
                          .result = result,
                          .intervals = &c->intervals,
                          .timeline = &c->timeline,
                          .tally = malloc(sizeof *g.tally),
                          .op = malloc(sizeof *g.op)};
    result->together.hosts = calloc(g.ranks->count, sizeof *result->together.hosts);
    int rc = 0;
    if (!g.tally || !g.op || !result->together.hosts) {
        rc = err_system(e, ENOMEM, "memory for the figures of %u ranks", g.ranks->count);
    } else {
        begin_with_own(&g);
        rc = meet_to_gather(c, &g, &nothing, e);
        end_with_all(&g);
    }
    if (rc == 0 && g.is_damaged)
        rc = err_say(e, FIGURES_DAMAGED);
    free(g.tally);
    free(g.op);
    return rc;
}

static int gather_as_other(struct conductor *c, const struct result *result, struct err *e)
{
    struct bundle mine = {0};
    put_result(&mine, result);
    int rc = meet_to_gather(c, NULL, &mine, e);
    bundle_release(&mine);
    return rc;
}

/* Meets all other ranks when their loads have ended. Compares the clocks, except after a signal. */
static int meet_at_end(struct conductor *c, struct err *e)
{
    const struct meeting m = {.name = "Ending", .compares_clocks = true};
    struct err ignored;
    err_init(&ignored);
    int rc = coordinator_meet(c->coordinator, &m, &ignored);
    if (rc == 0 || stop_signal())
        return 0;
    *e = ignored;
    return rc;
}

int gathering_end(struct conductor *c, struct result *result, struct err *e)
{
    const struct ranks *r = &c->coordinator->ranks;
    if (r->count == 1)
        return 0;
    int rc = meet_at_end(c, e);
    if (rc != 0)
        return rc;
    return r->number == 0 ? gather_as_first(c, result, e) : gather_as_other(c, result, e);
}
