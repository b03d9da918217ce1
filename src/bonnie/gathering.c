// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/gathering.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sync/coordinator.h"

/* A rank's report on its part of a lap, with times of its own clock. */
struct rank_lap {
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t preparing_ns;
};

/* What a rank sends at the end of a test, in a bundle. */
struct rank_test {
    struct test_figures figures;
    struct op_stats total;
};

/* ---- opening --------------------------------------------------------------------------------- */

int gathering_open(struct gathering *g, struct coordinator *coordinator, struct err *e)
{
    const struct ranks *r = &coordinator->ranks;
    *g = (struct gathering){.coordinator = coordinator};
    if (!r->cards)
        return 0;
    g->laps = calloc(r->count, sizeof *g->laps);
    g->hosts = calloc(r->count, sizeof *g->hosts);
    g->received = calloc(1, sizeof *g->received);
    if (g->laps && g->hosts && g->received)
        return 0;
    gathering_close(g);
    return err_system(e, ENOMEM, "allocate memory for %u ranks", r->count);
}

void gathering_close(struct gathering *g)
{
    free(g->laps);
    free(g->hosts);
    free(g->received);
    *g = (struct gathering){.coordinator = g->coordinator};
}

void gathering_begin(struct gathering *g)
{
    g->start_spread_ns = 0;
    g->clock_uncertainty_ns = 0;
    const struct ranks *r = &g->coordinator->ranks;
    for (unsigned rank = 0; g->hosts && rank < r->count; rank++) {
        struct host_result *host = &g->hosts[r->cards[rank].host_first];
        if (ranks_is_first(r, rank)) { /* ranks of one host may name it differently: containers */
            *host = (struct host_result){0};
            memcpy(host->name, r->cards[rank].host, sizeof host->name);
        }
        host->ranks++;
    }
}

/* ---- a lap ----------------------------------------------------------------------------------- */

struct lap_meeting {
    struct gathering *g;
    struct lap_times answer;
};

static bool take_lap(void *context, unsigned rank, struct bundle_reader *brought)
{
    struct lap_meeting *m = context;
    return bundle_take(brought, &m->g->laps[rank], sizeof *m->g->laps);
}

/* Adds the elapsed time of the host whose first rank is `first`. */
static void add_host_time(struct gathering *g, unsigned first)
{
    const struct ranks *r = &g->coordinator->ranks;
    struct rank_span span = {0};
    for (unsigned rank = first; rank < r->count; rank++)
        if (r->cards[rank].host_first == first)
            rank_span_add(&span, g->laps[rank].start_ns, g->laps[rank].end_ns);
    g->hosts[first].elapsed_ns += span.last_end - span.first_start;
}

/* Converts all times to rank 0's clock, when the clocks have been compared. */
static void join_lap(void *context)
{
    struct lap_meeting *m = context;
    struct gathering *g = m->g;
    const struct ranks *r = &g->coordinator->ranks;
    struct rank_span span = {0};
    for (unsigned rank = 0; rank < r->count; rank++) {
        struct rank_lap *one = &g->laps[rank];
        rank_clock_span(r, rank, &one->start_ns, &one->end_ns);
        rank_span_add(&span, one->start_ns, one->end_ns);
        if (one->preparing_ns > m->answer.preparing_ns)
            m->answer.preparing_ns = one->preparing_ns;
        if (r->cards[rank].after.uncertainty_ns > g->clock_uncertainty_ns)
            g->clock_uncertainty_ns = r->cards[rank].after.uncertainty_ns;
    }
    for (unsigned rank = 0; rank < r->count; rank++)
        if (ranks_is_first(r, rank))
            add_host_time(g, rank);
    m->answer.elapsed_ns = span.last_end - span.first_start;
    if (span.last_start - span.first_start > g->start_spread_ns)
        g->start_spread_ns = span.last_start - span.first_start;
}

int gathering_end_lap(struct gathering *g, const struct task_times *times, struct lap_times *lap,
                      struct err *e)
{
    lap->elapsed_ns = times->end_ns - times->start_ns;
    if (g->coordinator->ranks.count == 1)
        return 0;
    const struct rank_lap mine = {
        .start_ns = times->start_ns, .end_ns = times->end_ns, .preparing_ns = lap->preparing_ns};
    struct lap_meeting meeting = {.g = g};
    struct meeting all = {.name = "Ending a test",
                          .take = take_lap,
                          .decide = join_lap,
                          .context = &meeting,
                          .answer = &meeting.answer,
                          .answer_bytes = sizeof meeting.answer,
                          .compares_clocks = true};
    bundle_put(&all.mine, &mine, sizeof mine);
    int rc = coordinator_meet(g->coordinator, &all, e);
    *lap = meeting.answer;
    return rc;
}

/* ---- the end of a test ----------------------------------------------------------------------- */

struct test_meeting {
    struct gathering *g;
    struct test_figures *figures;
    struct op_stats *total;
};

static void add_figures(struct test_figures *all, const struct test_figures *one, unsigned ranks,
                        bool is_first)
{
    struct cache_use *c = &all->cache;
    reading_join(&all->evidence.spent, &one->evidence.spent, is_first);
    all->evidence.cpus += is_first ? one->evidence.cpus : 0;
    if (is_first)
        io_limit_join(&all->evidence.limit, &one->evidence.limit);
    corruption_merge(&all->corruption, &one->corruption);
    c->known = c->known && one->cache.known;
    c->system_dropped = c->system_dropped && one->cache.system_dropped;
    c->resident_percent_before += one->cache.resident_percent_before / ranks;
    c->resident_percent_after += one->cache.resident_percent_after / ranks;
}

static bool take_test(void *context, unsigned rank, struct bundle_reader *in)
{
    struct test_meeting *m = context;
    struct gathering *g = m->g;
    struct rank_test *test = g->received;
    if (!bundle_take(in, &test->figures, sizeof test->figures) ||
        !bundle_take(in, &test->total, sizeof test->total))
        return false;
    op_stats_merge(m->total, &test->total);
    unsigned ranks = g->coordinator->ranks.count;
    if (rank == 0) { /* comes first */
        *m->figures = test->figures;
        m->figures->cache.resident_percent_before /= ranks;
        m->figures->cache.resident_percent_after /= ranks;
    } else {
        add_figures(m->figures, &test->figures, ranks,
                    ranks_is_first(&g->coordinator->ranks, rank));
    }
    struct host_result *host = &g->hosts[g->coordinator->ranks.cards[rank].host_first];
    host->cpu_ns += test->figures.evidence.spent.work_ns;
    const struct histogram *h = &test->total.latencies;
    host->ops += h->count;
    host->bytes += test->total.bytes;
    host->latency_sum_ns += h->sum;
    if (h->maximum > host->latency_max_ns)
        host->latency_max_ns = h->maximum;
    return true;
}

/* Copies the hosts in the order of the first rank on each. */
static int copy_hosts(const struct gathering *g, struct joint_test *t, struct err *e)
{
    t->ranks = g->coordinator->ranks.count;
    t->hosts = calloc(t->ranks, sizeof *t->hosts);
    if (!t->hosts)
        return err_system(e, ENOMEM, "allocate memory for the hosts of %u ranks", t->ranks);
    for (unsigned rank = 0; rank < t->ranks; rank++)
        if (g->hosts[rank].ranks > 0)
            t->hosts[t->host_count++] = g->hosts[rank];
    t->start_spread_ns = g->start_spread_ns;
    t->clock_uncertainty_ns = g->clock_uncertainty_ns;
    return 0;
}

int gathering_end_test(struct gathering *g, struct test_figures *figures, struct op_stats *total,
                       struct joint_test *together, struct err *e)
{
    struct test_meeting meeting = {.g = g, .figures = figures, .total = total};
    struct meeting all = {.name = "Ending a test", .take = take_test, .context = &meeting};
    if (g->coordinator->ranks.count == 1)
        return 0;
    bundle_put(&all.mine, figures, sizeof *figures);
    bundle_put(&all.mine, total, sizeof *total);
    if (g->hosts) /* this rank's own figures come with the others */
        memset(total, 0, sizeof *total);
    int rc = coordinator_meet(g->coordinator, &all, e);
    return rc == 0 && g->hosts ? copy_hosts(g, together, e) : rc;
}
