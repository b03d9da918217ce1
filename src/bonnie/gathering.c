// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/gathering.h"

/* A rank's report on its part of a lap, with times of its own clock. */
struct rank_lap {
    uint64_t start_ns, end_ns, preparing_ns;
};

/* What a rank sends at the end of a test, in a bundle. */
struct rank_test {
    struct test_figures figures;
    struct op_stats total;
};

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

static bool take_lap(void *context, unsigned rank, struct bundle_reader *brought)
{
    struct gathering *g = context;
    return bundle_take(brought, &g->laps[rank], sizeof *g->laps);
}

/* Converts all times to rank 0's clock, when the clocks have been compared. */
static void join_lap(void *context)
{
    struct gathering *g = context;
    const struct ranks *r = &g->coordinator->ranks;
    struct rank_span span = {0};
    g->lap.preparing_ns = 0;
    for (unsigned rank = 0; rank < r->count; rank++) {
        struct rank_lap *one = &g->laps[rank];
        rank_clock_span(r, rank, &one->start_ns, &one->end_ns);
        rank_span_add(&span, one->start_ns, one->end_ns);
        g->lap.preparing_ns = MAX(g->lap.preparing_ns, one->preparing_ns);
        g->clock_uncertainty_ns = MAX(g->clock_uncertainty_ns, r->cards[rank].after.uncertainty_ns);
    }
    for (unsigned first = 0; first < r->count; first++) {
        struct rank_span of_host = {0};
        for (unsigned rank = first; ranks_is_first(r, first) && rank < r->count; rank++)
            if (r->cards[rank].host_first == first)
                rank_span_add(&of_host, g->laps[rank].start_ns, g->laps[rank].end_ns);
        g->hosts[first].elapsed_ns += of_host.last_end - of_host.first_start;
    }
    g->lap.elapsed_ns = span.last_end - span.first_start;
    g->start_spread_ns = MAX(g->start_spread_ns, span.last_start - span.first_start);
}

int gathering_end_lap(struct gathering *g, const struct task_times *times, struct lap_times *lap,
                      struct err *e)
{
    lap->elapsed_ns = times->end_ns - times->start_ns;
    if (g->coordinator->ranks.count == 1)
        return 0;
    const struct rank_lap mine = {
        .start_ns = times->start_ns, .end_ns = times->end_ns, .preparing_ns = lap->preparing_ns};
    struct meeting all = {.name = "Ending a test",
                          .take = take_lap,
                          .decide = join_lap,
                          .context = g,
                          .answer = &g->lap,
                          .answer_bytes = sizeof g->lap,
                          .compares_clocks = true};
    bundle_put(&all.mine, &mine, sizeof mine);
    int rc = coordinator_meet(g->coordinator, &all, e);
    *lap = g->lap;
    return rc;
}

static bool take_test(void *context, unsigned rank, struct bundle_reader *in)
{
    struct gathering *g = context;
    struct rank_test *test = g->received;
    if (!bundle_take(in, &test->figures, sizeof test->figures) ||
        !bundle_take(in, &test->total, sizeof test->total))
        return false;
    op_stats_merge(g->total, &test->total);
    const struct ranks *r = &g->coordinator->ranks;
    bool is_first = ranks_is_first(r, rank);
    struct test_figures *all = g->figures;
    struct cache_use *cache = &test->figures.cache;
    cache->resident_percent_before /= r->count;
    cache->resident_percent_after /= r->count;
    if (rank == 0) { /* comes first */
        *all = test->figures;
    } else {
        reading_join(&all->evidence.spent, &test->figures.evidence.spent, is_first);
        all->evidence.cpus += is_first ? test->figures.evidence.cpus : 0;
        if (is_first)
            io_limit_join(&all->evidence.limit, &test->figures.evidence.limit);
        corruption_merge(&all->corruption, &test->figures.corruption);
        all->cache.known = all->cache.known && cache->known;
        all->cache.system_dropped = all->cache.system_dropped && cache->system_dropped;
        all->cache.resident_percent_before += cache->resident_percent_before;
        all->cache.resident_percent_after += cache->resident_percent_after;
    }
    struct host_result *host = &g->hosts[r->cards[rank].host_first];
    host->cpu_ns += test->figures.evidence.spent.work_ns;
    const struct histogram *h = &test->total.latencies;
    host->ops += h->count;
    host->bytes += test->total.bytes;
    host->latency_sum_ns += h->sum;
    host->latency_max_ns = MAX(host->latency_max_ns, h->maximum);
    return true;
}

int gathering_end_test(struct gathering *g, struct test_figures *figures, struct op_stats *total,
                       struct joint_test *together, struct err *e)
{
    struct meeting all = {.name = "Ending a test", .take = take_test, .context = g};
    if (g->coordinator->ranks.count == 1)
        return 0;
    g->figures = figures;
    g->total = total;
    bundle_put(&all.mine, figures, sizeof *figures);
    bundle_put(&all.mine, total, sizeof *total);
    if (g->hosts) /* this rank's own figures come with the others */
        memset(total, 0, sizeof *total);
    int rc = coordinator_meet(g->coordinator, &all, e);
    if (rc != 0 || !g->hosts)
        return rc;
    *together = (struct joint_test){
        .ranks = g->coordinator->ranks.count,
        .hosts = calloc(g->coordinator->ranks.count, sizeof *together->hosts),
        .start_spread_ns = g->start_spread_ns,
        .clock_uncertainty_ns = g->clock_uncertainty_ns,
    };
    if (!together->hosts)
        return err_system(e, ENOMEM, "allocate memory for the hosts of %u ranks", together->ranks);
    for (unsigned rank = 0; rank < together->ranks; rank++)
        if (g->hosts[rank].ranks > 0) /* the first one of a host */
            together->hosts[together->host_count++] = g->hosts[rank];
    return 0;
}
