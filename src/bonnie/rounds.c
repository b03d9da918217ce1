// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/rounds.h"

/* Snapshots at the ends of a window's rounds and of the round before it, and scratch space. */
#define SNAPSHOTS (STEADY_WINDOW + 2)

/* The state at the end of a round. Before the first round it is all zeros. */
struct round_snapshot {
    struct reading spent;
    struct op_stats stats;
};

static struct round_snapshot *snapshot_after(const struct rounds *r, unsigned rounds)
{
    return &r->snapshots[rounds % SNAPSHOTS];
}

int rounds_open(struct rounds *r, struct err *e)
{
    r->list = calloc(r->most, sizeof *r->list);
    r->snapshots = calloc(SNAPSHOTS, sizeof *r->snapshots);
    if (r->list && r->snapshots)
        return 0;
    rounds_close(r);
    return err_system(e, ENOMEM, "allocate memory for %u rounds", r->most);
}

void rounds_close(struct rounds *r)
{
    free(r->list);
    free(r->snapshots);
    *r = (struct rounds){0};
}

bool rounds_end(struct rounds *r)
{
    double figures[STEADY_WINDOW];
    struct round_snapshot *before = snapshot_after(r, r->count);
    struct round_snapshot *now = snapshot_after(r, r->count + 1);
    struct op_stats *counted = &snapshot_after(r, r->count + 2)->stats; /* scratch space */
    now->spent = *r->spent;
    shared_stats_sum(r->stats, &now->stats);
    op_stats_subtract(counted, &now->stats, &before->stats);
    const struct histogram *h = &counted->latencies;
    r->list[r->count++] = (struct round){
        .end_ns = now->spent.ns,
        .elapsed_ns = now->spent.ns - before->spent.ns,
        .ops = h->count,
        .bytes = counted->bytes,
        .mean_ns = (uint64_t)histogram_mean(h),
        .p99_ns = histogram_percentile(h, 99),
    };
    if (r->count >= STEADY_WINDOW) {
        for (unsigned i = 0; i < STEADY_WINDOW; i++)
            figures[i] = round_figure(&r->list[r->count - STEADY_WINDOW + i], r->metric);
        r->is_steady = steady_judge(&r->fit, figures);
    }
    return !r->is_steady && r->count < r->most;
}

void rounds_window(const struct rounds *r, struct reading *spent, struct op_stats *stats)
{
    unsigned first = r->count > STEADY_WINDOW ? r->count - STEADY_WINDOW : 0;
    const struct round_snapshot *before = snapshot_after(r, first);
    const struct round_snapshot *now = snapshot_after(r, r->count);
    *spent = first > 0 ? reading_since(&now->spent, &before->spent) : now->spent;
    op_stats_subtract(stats, &now->stats, &before->stats);
}
