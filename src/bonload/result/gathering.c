#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bonload/result/result.h"
#include "bonload/stats/standing.h"
#include "sync/coordinator.h"
#include "sys/stop.h"
#include "util/bundle.h"
#include "util/units.h"

/*
 * A result on its way to rank 0. The same functions put it into a bundle and take it out, so both
 * ranks agree about the order.
 */
struct passage {
    bool is_taken; /* the result is being read from `in`; false: it is being appended to `out` */
    bool is_damaged;
    struct bundle out;
    struct bundle_reader in;
};

static void pass(struct passage *p, void *object, size_t bytes)
{
    if (!p->is_taken)
        bundle_put(&p->out, object, bytes);
    else if (!p->is_damaged)
        p->is_damaged = !bundle_take(&p->in, object, bytes);
}

#define PASS(passage, variable) pass(passage, &(variable), sizeof(variable))

static void pass_slow(struct passage *p, struct slow_result *s, size_t op_count)
{
    pass(p, s, offsetof(struct slow_result, outcome) + sizeof s->outcome);
    p->is_damaged |= s->op > 0 && s->op >= op_count;
    s->outcome[sizeof s->outcome - 1] = '\0';
    if (!p->is_taken)
        bundle_put_text(&p->out, s->name);
    else if (!p->is_damaged)
        p->is_damaged = !(s->name = bundle_take_text(&p->in));
}

static void pass_slowest(struct passage *p, struct slow_results *slowest, size_t op_count)
{
    PASS(p, slowest->count);
    if (slowest->count > SLOWEST_KEPT) {
        slowest->count = 0;
        p->is_damaged = true;
    }
    for (unsigned i = 0; i < slowest->count; i++)
        pass_slow(p, &slowest->list[i], op_count);
}

static void check_reasons(struct passage *p, struct reasons_found *r)
{
    p->is_damaged |= r->count > FAILURES_MOST;
    for (size_t i = 0; !p->is_damaged && i < r->count; i++) {
        r->list[i].text[REASON_TEXT - 1] = '\0';
        p->is_damaged = r->list[i].kind >= LOAD_KINDS;
    }
}

static void pass_series(struct passage *p, struct series *s)
{
    PASS(p, s->slice_ns);
    PASS(p, s->count);
    p->is_damaged |= s->count > s->room || s->slice_ns == 0;
    if (!p->is_damaged)
        pass(p, s->slices, s->count * sizeof *s->slices);
}

/* Returns false when what is read is no result. */
static bool pass_result(struct passage *p, struct result *r)
{
    pass(p, r->figures, offsetof(struct figures, ops) + r->op_count * sizeof *r->figures->ops);
    check_reasons(p, &r->figures->failures);
    check_reasons(p, &r->figures->misses);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        pass_slowest(p, &r->slowest[kind], r->op_count);
    pass_series(p, r->intervals);
    pass_series(p, r->timeline);
    return !p->is_damaged;
}

/* What rank 0 needs while it receives the results of the others. */
struct gathering {
    const struct ranks *ranks;
    struct result *result;
    struct rank_span span;
    struct rank_span kinds[LOAD_KINDS];
    bool is_damaged; /* some rank's result cannot be read, or there is no memory for it */
};

static void add_to_host(struct host_kind *h, const struct kind_result *k)
{
    h->requests += tally_ended(&k->tally);
    h->errors += k->tally.failed.count;
    h->bytes += k->tally.bytes;
    h->latency_sum_ns += k->tally.response.sum;
    if (k->tally.response.maximum > h->latency_max_ns)
        h->latency_max_ns = k->tally.response.maximum;
}

/*
 * Adds a rank's result to its host's: converts its times to rank 0's clock, and compares its share
 * of failed requests with the others'.
 */
static void add_rank(struct gathering *g, unsigned rank, const struct figures *f)
{
    struct together *t = &g->result->together;
    const struct rank_card *card = &g->ranks->cards[rank];
    struct host_result *host = &t->hosts[card->host_first];
    uint64_t start = rank_clock_start(g->ranks, rank, f->start_ns);
    uint64_t end = rank_clock_end(g->ranks, rank, f->end_ns);
    double share = result_error_share(f);
    rank_span_add(&g->span, start, end);
    host->ranks++;
    host->cpu_seconds += f->cpu_seconds;
    memcpy(host->name, card->host, sizeof host->name);
    if (card->after.uncertainty_ns > t->clock_uncertainty_ns)
        t->clock_uncertainty_ns = card->after.uncertainty_ns;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct kind_result *k = &f->kinds[kind];
        uint64_t first = rank_clock_start(g->ranks, rank, k->begin_ns);
        uint64_t last = rank_clock_end(g->ranks, rank, k->end_ns);
        add_to_host(&host->kinds[kind], k);
        if (k->begin_ns == 0 || k->end_ns == 0)
            continue;
        rank_span_add(&g->kinds[kind], first, last);
        rank_span_add(&host->span, first, last);
    }
    if (share > t->worst_share) {
        t->worst_share = share;
        t->worst = rank;
    }
}

static void add_kind(struct kind_result *k, const struct kind_result *part)
{
    k->made += part->made;
    k->made_errors += part->made_errors;
    k->begun += part->begun;
    k->due += part->due;
    k->offered += part->offered;
    if (part->staggered_ns > k->staggered_ns)
        k->staggered_ns = part->staggered_ns;
    tally_merge(&k->tally, &part->tally);
}

/* Takes a rank's slow requests. That rank began `ahead` seconds later than rank 0. */
static void take_slowest(struct slow_results *all, struct slow_results *part, double ahead)
{
    for (unsigned i = 0; i < part->count; i++) {
        struct slow_result *slow = &part->list[i];
        slow->at_seconds = slow->at_seconds + ahead > 0 ? slow->at_seconds + ahead : 0;
        result_add_slow(all, slow);
    }
    part->count = 0;
}

static void add_reasons(struct reasons_found *whole, const struct reasons_found *part)
{
    for (size_t i = 0; i < part->count; i++)
        reasons_add(whole, part->list[i].kind, part->list[i].text, part->list[i].count);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        whole->others[kind] += part->others[kind];
}

/* Adds up the figures that belong to all ranks together. */
static void add_figures(struct figures *all, const struct figures *part, size_t op_count)
{
    all->cpu_seconds += part->cpu_seconds;
    all->checked_bytes += part->checked_bytes;
    all->damaged += part->damaged;
    all->was_stopped |= part->was_stopped;
    all->is_bad_rate |= part->is_bad_rate;
    all->could_read |= part->could_read;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        add_kind(&all->kinds[kind], &part->kinds[kind]);
    for (size_t i = 0; i < op_count; i++)
        op_tally_merge(&all->ops[i], &part->ops[i]);
    add_reasons(&all->failures, &part->failures);
    add_reasons(&all->misses, &part->misses);
}

/* Adds another rank's result. Returns false when memory runs out. */
static bool add_part(struct gathering *g, unsigned rank, struct result *part)
{
    struct result *whole = g->result;
    uint64_t start = rank_clock_start(g->ranks, rank, part->figures->start_ns);
    double ahead = ((double)start - (double)whole->figures->start_ns) / (double)BILLION;
    add_rank(g, rank, part->figures);
    add_figures(whole->figures, part->figures, whole->op_count);
    busy_among(&part->figures->machine, ranks_beside(g->ranks, rank));
    busy_keep_busier(&whole->figures->machine, &part->figures->machine);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        take_slowest(&whole->slowest[kind], &part->slowest[kind], ahead);
    return series_merge(whole->intervals, part->intervals) &&
           series_merge(whole->timeline, part->timeline);
}

static bool open_like(struct series *s, const struct series *whole)
{
    struct err ignored;
    err_init(&ignored);
    return series_open(s, whole->slice_ns, whole->room, &ignored) == 0;
}

static void take_rank(void *context, unsigned rank, const void *brought, size_t bytes)
{
    struct gathering *g = context;
    const struct result *whole = g->result;
    struct passage p = {.is_taken = true, .in = {.at = brought, .bytes = bytes}};
    struct series intervals = {0};
    struct series timeline = {0};
    struct result part = {.plan = whole->plan, .intervals = &intervals, .timeline = &timeline};
    if (rank == 0)
        return;
    bool is_added = result_open(&part) && open_like(&intervals, whole->intervals) &&
                    open_like(&timeline, whole->timeline) && pass_result(&p, &part) &&
                    add_part(g, rank, &part);
    g->is_damaged |= !is_added;
    series_close(&timeline);
    series_close(&intervals);
    result_release(&part);
}

/* Sets the result's times to those of all ranks, when all results have come. */
static void end_with_all(void *context)
{
    struct gathering *g = context;
    struct result *r = g->result;
    r->figures->start_ns = g->span.first_start;
    r->figures->end_ns = g->span.last_end;
    r->together.ranks = g->ranks->count;
    r->together.start_spread_ns = g->span.last_start - g->span.first_start;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        struct kind_result *k = &r->figures->kinds[kind];
        double due = k->offered > 0 ? (double)k->due / k->offered : 0;
        k->elapsed = seconds_between(g->kinds[kind].first_start, g->kinds[kind].last_end);
        if (due > k->elapsed) /* there is one gap for each request */
            k->elapsed = due;
    }
}

static int hand_over(struct coordinator *c, struct result *result, struct err *e)
{
    struct gathering g = {.ranks = &c->ranks, .result = result};
    struct passage mine = {0};
    if (c->ranks.number == 0) {
        result->together.hosts = calloc(c->ranks.count, sizeof *result->together.hosts);
        if (!result->together.hosts)
            return err_system(e, ENOMEM, "memory for the figures of %u ranks", c->ranks.count);
        add_rank(&g, 0, result->figures);
        busy_among(&result->figures->machine, ranks_beside(&c->ranks, 0));
    } else {
        pass_result(&mine, result);
    }
    const struct meeting m = {.name = "Handing over the figures",
                              .mine = mine.out.words,
                              .bytes = bundle_bytes(&mine.out),
                              .take = take_rank,
                              .decide = end_with_all,
                              .context = &g,
                              .is_last = true};
    int rc = mine.out.is_short ? err_system(e, ENOMEM, "memory for the figures")
                               : coordinator_meet(c, &m, e);
    bundle_release(&mine.out);
    return rc == 0 && g.is_damaged ? err_say(e, FIGURES_DAMAGED) : rc;
}

int gathering_end(struct coordinator *c, struct result *result, struct err *e)
{
    const struct meeting ending = {.name = "Ending", .compares_clocks = true};
    if (c->ranks.count == 1)
        return 0;
    int rc = coordinator_meet(c, &ending, e);
    if (rc != 0 && stop_signal()) { /* then the clocks are not compared */
        err_init(e);
        rc = 0;
    }
    return rc == 0 ? hand_over(c, result, e) : rc;
}
