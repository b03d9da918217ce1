// SPDX-License-Identifier: GPL-2.0-or-later
#include "run/section.h"

#include <errno.h>
#include <stdlib.h>

void section_begin_lap(struct section *s)
{
    sources_read(s->sources, &s->moved_before);
    if (s->quota)
        s->periods_before = cpu_quota_periods(s->quota);
    device_read(&s->sources->devices, &s->before);
    monitor_go(s->monitor);
}

/* Adds what the devices did in a lap of elapsed_ns, which s->elapsed_ns already includes. */
static void add_device_use(struct section *s, const struct device_counters *after,
                           uint64_t elapsed_ns)
{
    struct device_use *use = &s->device;
    struct device_use lap;
    bool was_known = use->known || s->laps == 0;
    use->known = device_difference(&s->before, after, elapsed_ns, &lap) && was_known;
    if (!use->known)
        return;
    use->read_bytes += lap.read_bytes;
    use->written_bytes += lap.written_bytes;
    use->read_ops += lap.read_ops;
    use->write_ops += lap.write_ops;
    double part = s->elapsed_ns > 0 ? (double)elapsed_ns / (double)s->elapsed_ns : 1;
    use->busy_percent += (lap.busy_percent - use->busy_percent) * part;
}

void section_end_lap(struct section *s, const struct task_times *times)
{
    struct device_counters after;
    struct moved_bytes moved;
    uint64_t elapsed_ns = times ? times->end_ns - times->start_ns : 0;
    device_read(&s->sources->devices, &after);
    sources_read(s->sources, &moved);
    s->elapsed_ns += elapsed_ns;
    monitor_pause(s->monitor, s->elapsed_ns);
    if (!times)
        return;
    add_device_use(s, &after, elapsed_ns);
    if (s->quota) {
        struct quota_periods periods = cpu_quota_periods(s->quota);
        s->periods.all += periods.all - s->periods_before.all;
        s->periods.throttled += periods.throttled - s->periods_before.throttled;
    }
    moved = moved_between(&s->moved_before, &moved);
    if (s->laps > 0)
        moved_add(&s->moved, &moved, true);
    else
        s->moved = moved;
    s->cpu_ns += times->cpu_ns;
    cpu_demand_add(&s->busiest, &times->busiest);
    s->laps++;
}

/* Computes the difference of two snapshots of a section that were taken between laps. */
static void section_subtract(struct section *difference, const struct section *now,
                             const struct section *before)
{
    struct device_use *use = &difference->device;
    double busy_ns = now->device.busy_percent * (double)now->elapsed_ns -
                     before->device.busy_percent * (double)before->elapsed_ns;
    *difference = *now;
    difference->laps -= before->laps;
    difference->elapsed_ns -= before->elapsed_ns;
    difference->cpu_ns -= before->cpu_ns;
    difference->busiest = cpu_demand_between(&before->busiest, &now->busiest);
    use->read_bytes -= before->device.read_bytes;
    use->written_bytes -= before->device.written_bytes;
    use->read_ops -= before->device.read_ops;
    use->write_ops -= before->device.write_ops;
    use->busy_percent = difference->elapsed_ns > 0 ? busy_ns / (double)difference->elapsed_ns : 0;
    difference->periods.all -= before->periods.all;
    difference->periods.throttled -= before->periods.throttled;
    if (before->laps > 0)
        difference->moved = moved_between(&before->moved, &now->moved);
}

/*
 * Number of snapshots: at the ends of all rounds of a window, at the end of the round before it,
 * and one as scratch space.
 */
#define SNAPSHOTS (STEADY_WINDOW + 2)

/* The state at the end of a round. Before the first round it is all zeros. */
struct round_snapshot {
    struct section section;
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

/* Notes what the last round did. Uses the next snapshot's place for computing that. */
static void note_round(struct rounds *r)
{
    struct round_snapshot *before = snapshot_after(r, r->count);
    struct round_snapshot *now = snapshot_after(r, r->count + 1);
    struct op_stats *counted = &snapshot_after(r, r->count + 2)->stats;
    now->section = *r->section;
    shared_stats_sum(r->stats, &now->stats);
    op_stats_subtract(counted, &now->stats, &before->stats);
    r->list[r->count++] = round_of(counted, before->section.elapsed_ns, now->section.elapsed_ns);
}

bool rounds_end(struct rounds *r)
{
    double figures[STEADY_WINDOW];
    note_round(r);
    if (r->count >= STEADY_WINDOW) {
        for (unsigned i = 0; i < STEADY_WINDOW; i++)
            figures[i] = round_figure(&r->list[r->count - STEADY_WINDOW + i], r->metric);
        r->is_steady = steady_judge(&r->fit, figures);
    }
    return !r->is_steady && r->count < r->most;
}

void rounds_window(const struct rounds *r, struct section *section, struct op_stats *stats)
{
    unsigned first = r->count > STEADY_WINDOW ? r->count - STEADY_WINDOW : 0;
    const struct round_snapshot *before = snapshot_after(r, first);
    const struct round_snapshot *now = snapshot_after(r, r->count);
    section_subtract(section, &now->section, &before->section);
    op_stats_subtract(stats, &now->stats, &before->stats);
}
