// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/limit.h"

#include <math.h>

#include "measure/mount_info.h"

/* A worker limits the figure if it wants a CPU for more than this share of the time. */
#define CPU_BOUND_PERCENT 90

/* A lower share, for a CPU if the device was less busy, for waiting, and for device and limit. */
#define MOSTLY_PERCENT 50

/* A worker that waits for a CPU for more than this would be faster without competition. */
#define WAITED_PERCENT 25

/* More workers than CPUs wait for each other if they use more than this share of all CPUs. */
#define OWN_PERCENT 67

/* If storage moved less than this share of the bytes asked for, the cache moved the rest. */
#define CACHED_BELOW_PERCENT 90

/*
 * The kernel lets a group exceed its limit a little before it holds the group back, but not by this
 * much: a group that moves more is not held to the limit.
 */
#define NOT_HELD_PERCENT 150

static double percent_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static bool reads_most(const struct evidence *e)
{
    return e->read_bytes >= e->written_bytes;
}

static bool has_data(const struct evidence *e)
{
    return e->read_bytes + e->written_bytes > 0;
}

/*
 * Finds the share of the requested bytes that storage moved, and the source that says so; readahead
 * and other programs may make the share larger. Bytes that were in the page cache did not come from
 * storage, whatever others read from it meanwhile. The page cache alone shows only what it had.
 *
 * A source proves nothing if what it counts may have been compressed; nor if it has seen none of
 * what the page cache did not have: that came from where nothing counts it.
 */
static void weigh_bytes(struct judgement *j, const struct evidence *e)
{
    bool reads = reads_most(e);
    uint64_t moved = reads ? e->device.read_bytes : e->device.written_bytes;
    double missing = reads ? 100 - e->resident_percent : 100;
    j->way = reads ? WAY_READ : WAY_WRITTEN;
    j->source = e->moved.by[j->way];
    if (j->source != SOURCE_DEVICE && j->source != SOURCE_BELOW)
        moved = e->moved.bytes[j->way];
    else if (!e->device.known)
        j->source = SOURCE_NONE;
    double asked = (double)(reads ? e->read_bytes : e->written_bytes);
    double share = percent_of((double)moved, asked);
    bool is_from_nowhere = reads && e->is_cold && !source_has_cache(j->source);
    if (moved > 0 ? e->compresses && share < CACHED_BELOW_PERCENT : is_from_nowhere)
        j->source = SOURCE_NONE;
    j->moved_percent = j->source == SOURCE_NONE ? missing : fmin(share, missing);
    if (j->source == SOURCE_NONE && missing < CACHED_BELOW_PERCENT)
        j->source = SOURCE_RESIDENT;
}

/*
 * The share of a limit that was used, by what the device did. If the device did more than the limit
 * allows, other programs must have contributed; then it is computed from what the work asked for.
 * Work on names asks for no bytes.
 */
static double held_percent(const struct evidence *e, enum io_limit_kind kind)
{
    const struct {
        uint64_t done, asked;
    } moved[IO_LIMIT_KINDS] = {
        [IO_LIMIT_READ_BYTES] = {e->device.read_bytes, e->read_bytes},
        [IO_LIMIT_WRITTEN_BYTES] = {e->device.written_bytes, e->written_bytes},
        [IO_LIMIT_READ_OPS] = {e->device.read_ops, e->read_bytes},
        [IO_LIMIT_WRITE_OPS] = {e->device.write_ops, e->written_bytes},
    };
    bool counts_bytes = kind == IO_LIMIT_READ_BYTES || kind == IO_LIMIT_WRITTEN_BYTES;
    double allowed = (double)e->limit.per_second[kind] * (double)e->elapsed_ns / 1e9;
    double held = percent_of((double)moved[kind].done, allowed);
    if (has_data(e) && moved[kind].asked == 0)
        return 0;
    if (has_data(e) && counts_bytes && held > 100 && moved[kind].asked < moved[kind].done)
        held = percent_of((double)moved[kind].asked, allowed);
    return held > NOT_HELD_PERCENT ? 0 : fmin(held, 100);
}

static void weigh_limit(struct judgement *j, const struct evidence *e)
{
    double elapsed = (double)e->elapsed_ns;
    double computed = fmin(percent_of((double)e->busiest.computed_ns, elapsed), 100);
    double waited = percent_of((double)e->busiest.waited_ns, elapsed);
    *j = (struct judgement){
        .direct = e->direct,
        .quota_cpus = e->quota_cpus,
        .quota_percent = e->quota_percent,
        .device_known = e->device.known,
        .computed_percent = computed,
        .waited_percent = fmin(waited, 100 - computed),
        .cpus_percent = fmin(percent_of((double)e->cpu_ns, elapsed * e->cpus), 100),
    };
    if (e->busiest.waited_unknown)
        j->waited_percent = -1;
    weigh_bytes(j, e);
    if (!e->device.known)
        return;
    j->device_percent = e->device.busy_percent;
    for (enum io_limit_kind kind = 0; kind < IO_LIMIT_KINDS; kind++) {
        double held = held_percent(e, kind);
        if (held <= j->held_percent) /* more of another limit was used */
            continue;
        j->held_by = kind;
        j->held_to = e->limit.per_second[kind];
        j->held_percent = held;
    }
}

static double waited_percent_of(const struct judgement *j)
{
    return fmax(j->waited_percent, 0);
}

/* How busy the device was, or how much of its limit was used. */
static double device_demand(const struct judgement *j)
{
    return fmax(j->device_percent, j->held_percent);
}

/*
 * Whether the CPU was in greater demand than the device. Some kernels do not count the time for
 * which a quota held a worker back as waiting.
 */
static bool wants_cpu_most(const struct judgement *j)
{
    bool is_held = j->quota_percent >= MOSTLY_PERCENT && j->quota_percent > device_demand(j);
    double demand = j->computed_percent + waited_percent_of(j);
    bool can_compare = j->device_known && demand > device_demand(j);
    return is_held || demand >= CPU_BOUND_PERCENT || waited_percent_of(j) >= MOSTLY_PERCENT ||
           (demand >= MOSTLY_PERCENT && can_compare);
}

static void state_verdict(struct judgement *j, enum limited_by by, enum limit_reason reason)
{
    j->by = by;
    j->reason = reason;
}

static void judge_cpu(struct judgement *j, const struct evidence *e)
{
    bool waited = waited_percent_of(j) >= WAITED_PERCENT;
    bool for_each_other = waited && e->workers > e->cpus && j->cpus_percent >= OWN_PERCENT;
    bool is_full = for_each_other || j->cpus_percent >= CPU_BOUND_PERCENT;
    state_verdict(j, LIMITED_CPU,
                  j->quota_percent >= MOSTLY_PERCENT ? REASON_QUOTA
                  : is_full                          ? REASON_CPUS_FULL
                  : waited                           ? REASON_OTHERS_COMPUTED
                                                     : REASON_COMPUTED);
}

static void judge_device(struct judgement *j)
{
    if (j->held_percent >= MOSTLY_PERCENT && j->held_percent > j->device_percent)
        state_verdict(j, LIMITED_DEVICE, REASON_DEVICE_HELD);
    else if (j->device_percent >= MOSTLY_PERCENT)
        state_verdict(j, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    else
        state_verdict(j, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
}

/* Judges work on a server, or on other storage without a device to watch. */
static void judge_storage(struct judgement *j)
{
    bool wants_cpu = j->computed_percent + waited_percent_of(j) >= MOSTLY_PERCENT;
    if (!source_is_server(j->source))
        state_verdict(j, LIMITED_UNKNOWN, REASON_STORAGE_MOVED);
    else if (wants_cpu)
        state_verdict(j, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
    else
        state_verdict(j, LIMITED_SERVER, REASON_SERVER_MOVED);
}

/*
 * Copying to and from memory takes CPU time, too. So where data was only copied, a busy CPU proves
 * nothing, and limit_judge() first checks where the data was.
 */
void limit_judge(struct judgement *j, const struct evidence *e)
{
    weigh_limit(j, e);
    bool cpu = wants_cpu_most(j);
    bool in_memory = !e->device.known && e->filesystem && filesystem_is_memory(e->filesystem);
    bool is_seen = has_data(e) && j->source != SOURCE_NONE;
    if (!e->is_stored)
        state_verdict(j, LIMITED_CPU, REASON_NOTHING_MOVED);
    else if (cpu && (e->computes || !(has_data(e) || in_memory)))
        judge_cpu(j, e);
    else if (in_memory)
        state_verdict(j, LIMITED_PAGE_CACHE, REASON_IN_MEMORY);
    else if (has_data(e) && e->direct.asked && e->direct.seen == DIRECT_NO)
        state_verdict(j, LIMITED_PAGE_CACHE, REASON_NOT_DIRECT);
    else if (is_seen && j->moved_percent < CACHED_BELOW_PERCENT)
        state_verdict(j, LIMITED_PAGE_CACHE,
                      reads_most(e) ? REASON_READ_FROM_CACHE : REASON_NOT_WRITTEN);
    else if (cpu && (is_seen || e->device.known || waited_percent_of(j) >= WAITED_PERCENT))
        judge_cpu(j, e);
    else if (e->device.known)
        judge_device(j);
    else if (is_seen)
        judge_storage(j);
    else
        state_verdict(j, LIMITED_UNKNOWN, REASON_NO_DEVICE);
}

const char *limit_name(enum limited_by by)
{
    static const char *const names[] = {
        [LIMITED_UNKNOWN] = "unknown",
        [LIMITED_DEVICE] = "device",
        [LIMITED_PAGE_CACHE] = "page cache",
        [LIMITED_SERVER] = "server",
        [LIMITED_CPU] = "cpu",
    };
    return names[by];
}
