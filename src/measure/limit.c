// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/limit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/durability.h"
#include "measure/mount_info.h"
#include "util/units.h"

/* A worker limits the figure if it wants a CPU for more than this share of the time. */
#define CPU_BOUND_PERCENT 90

/* A lower share, for a CPU if the device was less busy, for waiting, and for device and limit. */
#define MOSTLY_PERCENT 50

/* From these percentages on, others count. limit.h has the reasons. */
#define OTHERS_PERCENT        25 /* of the CPUs, or of the time that a worker waits for one */
#define OTHERS_DEVICE_PERCENT 10
#define THROTTLED_PERCENT     1

/* More workers than CPUs wait for each other if they use more than this share of all CPUs. */
#define OWN_PERCENT 67

/*
 * A filesystem writes more than what its users ask for: everything may be in the journal as well,
 * and a request may change a few blocks of metadata, which the kernel may have to read for it. This
 * much of it counts as our own. Further copies of a btrfs do, and what it reads to write parities:
 * a stripe has 64 KiB of each device.
 */
#define COPIES              2
#define METADATA_BYTES      (64 * KIB)
#define METADATA_READ_BYTES (4 * KIB)

/* If storage moved less than this share of the bytes asked for, the cache moved the rest. */
#define CACHED_BELOW_PERCENT 90

/* From this share of what a link carries on, the link is the limit. */
#define LINK_PERCENT 90

/* A request takes longer than this on any device that is not memory itself (dax). */
#define INSTANT_NS 10000

/*
 * The kernel lets a group exceed its limit a little before it holds the group back, but not by this
 * much: a group that moves more is not held to the limit.
 */
#define NOT_HELD_PERCENT 150

static double percent_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* ---- others ---------------------------------------------------------------------------------- */

static double rest_of(double whole, double part)
{
    return whole > part ? whole - part : 0;
}

/* On a partition, the others may use the rest of the disk. */
static double others_on_device(const struct reading *r)
{
    const struct device_counters *d = &r->device;
    double own = (double)r->own_bytes[WAY_WRITTEN];
    double metadata = (double)METADATA_BYTES * (double)r->changes;
    double written = (COPIES + d->copies.data) * own + (1 + d->copies.metadata) * metadata;
    double read = (double)r->own_bytes[WAY_READ] +
                  (double)METADATA_READ_BYTES * (double)r->changes +
                  d->copies.stripe * (own + metadata);
    double beside = rest_of((double)d->disk_bytes, (double)d->part_bytes);
    double foreign =
        rest_of((double)d->read_bytes, read) + rest_of((double)d->written_bytes, written) + beside;
    return r->knows_own && d->known
               ? percent_of(foreign, (double)(d->read_bytes + d->written_bytes) + beside)
               : -1;
}

struct others others_of(const struct reading *spent, unsigned cpus, unsigned workers)
{
    double elapsed = (double)spent->ns;
    double all = elapsed * cpus;
    bool knows_cpus = spent->cpus > 0;
    return (struct others){
        .cpus = cpus,
        .workers = workers,
        .own_percent = fmin(percent_of((double)spent->own_ns, all), 100),
        .used_percent =
            knows_cpus
                ? fmin(percent_of(rest_of((double)spent->used_ns, (double)spent->own_ns), all), 100)
                : -1,
        .stolen_percent = knows_cpus ? fmin(percent_of((double)spent->stolen_ns, all), 100) : -1,
        .waited_percent = spent->busiest.waited_unknown
                              ? -1
                              : fmin(percent_of((double)spent->busiest.waited_ns, elapsed), 100),
        .throttled_percent = fmin(percent_of((double)reading_throttled_ns(spent), elapsed), 100),
        .device_percent = others_on_device(spent),
    };
}

/* Whether the threads of this process take the CPUs from each other. */
static bool fills_cpus(const struct others *o)
{
    return o->own_percent >= OWN_PERCENT && (o->workers == 0 || o->workers > o->cpus);
}

static bool others_take_cpus(const struct others *o)
{
    return o->used_percent + o->stolen_percent >= OTHERS_PERCENT;
}

static bool has_waited(const struct others *o)
{
    return o->waited_percent >= OTHERS_PERCENT;
}

bool others_are_busy(const struct others *o)
{
    return others_take_cpus(o) || (has_waited(o) && !fills_cpus(o)) ||
           o->throttled_percent >= THROTTLED_PERCENT || o->device_percent >= OTHERS_DEVICE_PERCENT;
}

const struct others others_unknown = {.own_percent = -1,
                                      .used_percent = -1,
                                      .stolen_percent = -1,
                                      .waited_percent = -1,
                                      .throttled_percent = -1,
                                      .device_percent = -1};

void others_among(struct others *o, unsigned processes)
{
    double beside = (processes - 1) * o->own_percent;
    if (o->used_percent < 0)
        return;
    o->own_percent = fmin(100, o->own_percent + beside);
    o->used_percent = rest_of(o->used_percent, beside);
}

void others_keep_busier(struct others *most, const struct others *other)
{
    bool is_alike = others_are_busy(other) == others_are_busy(most);
    if (is_alike ? other->used_percent > most->used_percent : others_are_busy(other))
        *most = *other;
}

/* ---- the limit ------------------------------------------------------------------------------- */

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
    uint64_t moved = reads ? e->spent.device.read_bytes : e->spent.device.written_bytes;
    double missing = reads ? 100 - e->resident_percent : 100;
    j->way = reads ? WAY_READ : WAY_WRITTEN;
    j->source = e->spent.moved.by[j->way];
    if (j->source != SOURCE_DEVICE && j->source != SOURCE_BELOW)
        moved = e->spent.moved.bytes[j->way];
    else if (!e->spent.device.known)
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
        [IO_LIMIT_READ_BYTES] = {e->spent.device.read_bytes, e->read_bytes},
        [IO_LIMIT_WRITTEN_BYTES] = {e->spent.device.written_bytes, e->written_bytes},
        [IO_LIMIT_READ_OPS] = {e->spent.device.read_ops, e->read_bytes},
        [IO_LIMIT_WRITE_OPS] = {e->spent.device.write_ops, e->written_bytes},
    };
    bool counts_bytes = kind == IO_LIMIT_READ_BYTES || kind == IO_LIMIT_WRITTEN_BYTES;
    double allowed = (double)e->limit.per_second[kind] * (double)e->spent.ns / 1e9;
    double held = percent_of((double)moved[kind].done, allowed);
    if (has_data(e) && moved[kind].asked == 0)
        return 0;
    if (has_data(e) && counts_bytes && held > 100 && moved[kind].asked < moved[kind].done)
        held = percent_of((double)moved[kind].asked, allowed);
    return held > NOT_HELD_PERCENT ? 0 : fmin(held, 100);
}

static void weigh_limit(struct judgement *j, const struct evidence *e)
{
    double elapsed = (double)e->spent.ns;
    double computed = percent_of((double)e->spent.busiest.computed_ns, elapsed);
    *j = (struct judgement){
        .others = others_of(&e->spent, e->cpus, e->workers),
        .instant_ns = e->instant_ns,
        .doubt = e->doubt,
        .direct = e->direct,
        .device_known = e->spent.device.known,
        .computed_percent = e->workers > 0 ? fmin(computed, 100) : -1,
    };
    j->quota_percent = reading_quota_percent(&e->spent, &j->quota_cpus);
    snprintf(j->filesystem, sizeof j->filesystem, "%s", e->filesystem ? e->filesystem : "");
    if (e->workers > 0) /* both are of the same worker */
        j->others.waited_percent = fmin(j->others.waited_percent, 100 - j->computed_percent);
    weigh_bytes(j, e);
    if (!e->spent.device.known)
        return;
    j->device_percent = device_busy_percent(&e->spent.device, e->spent.ns);
    j->in_flight = elapsed > 0 ? (double)e->spent.device.queue_ns / elapsed : 0;
    for (enum io_limit_kind kind = 0; kind < IO_LIMIT_KINDS; kind++) {
        double held = held_percent(e, kind);
        if (held <= j->held_percent) /* more of another limit was used */
            continue;
        j->held_by = kind;
        j->held_to = e->limit.per_second[kind];
        j->held_percent = held;
    }
}

/* The shares of the time for which the busiest worker wanted a CPU. */
static double waited_percent(const struct judgement *j)
{
    return fmax(j->others.waited_percent, 0);
}

static double demand_percent(const struct judgement *j)
{
    return fmax(j->computed_percent, 0) + waited_percent(j);
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
    double demand = demand_percent(j);
    bool can_compare = j->device_known && demand > device_demand(j);
    return is_held || demand >= CPU_BOUND_PERCENT || waited_percent(j) >= MOSTLY_PERCENT ||
           (demand >= MOSTLY_PERCENT && can_compare);
}

static void state_verdict(struct judgement *j, enum limited_by by, enum limit_reason reason)
{
    j->by = by;
    j->reason = reason;
}

static bool host_took_cpus(const struct judgement *j)
{
    return j->others.stolen_percent >= OTHERS_PERCENT;
}

static void judge_cpu(struct judgement *j)
{
    bool waited = has_waited(&j->others);
    bool for_each_other = waited && fills_cpus(&j->others);
    if (j->quota_percent >= MOSTLY_PERCENT)
        state_verdict(j, LIMITED_LIMIT, REASON_QUOTA);
    else if (host_took_cpus(j))
        state_verdict(j, LIMITED_OTHERS, REASON_HOST_TOOK);
    else if (for_each_other || j->others.own_percent >= CPU_BOUND_PERCENT)
        state_verdict(j, LIMITED_CPU, REASON_CPUS_FULL);
    else if (waited)
        state_verdict(j, LIMITED_OTHERS, REASON_OTHERS_COMPUTED);
    else
        state_verdict(j, LIMITED_CPU, REASON_COMPUTED);
}

/* A link carries a rate each way; USB and SATA share it, so that less than this may fill them. */
static bool fills_link(const struct evidence *e)
{
    const struct device_counters *d = &e->spent.device;
    uint64_t bytes = d->read_bytes > d->written_bytes ? d->read_bytes : d->written_bytes;
    return d->known && e->link_per_second > 0 && e->spent.ns > 0 &&
           (double)bytes * 1e9 / (double)e->spent.ns >=
               (double)e->link_per_second / 100 * LINK_PERCENT;
}

/* What others did on the device counts only if the work waited for that device. */
static void judge_device(struct judgement *j, const struct evidence *e)
{
    bool is_held = j->held_percent >= MOSTLY_PERCENT && j->held_percent > j->device_percent;
    bool is_limit = j->device_percent >= MOSTLY_PERCENT ||
                    (e->is_paced && j->source != SOURCE_NONE && has_data(e));
    if (is_held)
        state_verdict(j, LIMITED_LIMIT, REASON_DEVICE_HELD);
    else if (fills_link(e))
        state_verdict(j, LIMITED_LINK, REASON_LINK_FULL);
    else if (host_took_cpus(j))
        state_verdict(j, LIMITED_OTHERS, REASON_HOST_TOOK);
    else if (is_limit && j->others.device_percent >= OTHERS_DEVICE_PERCENT)
        state_verdict(j, LIMITED_OTHERS, REASON_OTHERS_MOVED);
    else if (is_limit)
        state_verdict(j, LIMITED_DEVICE,
                      e->is_paced && j->source != SOURCE_DEVICE ? REASON_STORAGE_MOVED
                                                                : REASON_DEVICE_BUSY);
    else
        state_verdict(j, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
}

/* Judges work on a server, or on other storage without a device to watch. */
static void judge_storage(struct judgement *j, const struct evidence *e)
{
    if (!source_is_server(j->source))
        state_verdict(j, e->is_paced ? LIMITED_DEVICE : LIMITED_UNKNOWN, REASON_STORAGE_MOVED);
    else if (demand_percent(j) >= MOSTLY_PERCENT)
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
    bool in_memory = !e->spent.device.known && e->filesystem && filesystem_is_memory(e->filesystem);
    bool is_seen = has_data(e) && j->source != SOURCE_NONE;
    if (!e->is_stored)
        state_verdict(j, LIMITED_CPU, REASON_NOTHING_MOVED);
    else if (e->doubt)
        state_verdict(j, LIMITED_UNKNOWN, REASON_DOUBT);
    else if (durability_is_pretended(&e->spent.device, e->syncs, e->in_flight))
        state_verdict(j, LIMITED_PAGE_CACHE, REASON_NOT_SYNCED);
    else if (cpu && (e->computes || !(has_data(e) || in_memory)))
        judge_cpu(j);
    else if (in_memory)
        state_verdict(j, LIMITED_PAGE_CACHE, REASON_IN_MEMORY);
    else if (has_data(e) && e->direct.asked && e->direct.seen == DIRECT_NO)
        state_verdict(j, LIMITED_PAGE_CACHE, REASON_NOT_DIRECT);
    else if (is_seen && j->moved_percent < CACHED_BELOW_PERCENT)
        state_verdict(j, LIMITED_PAGE_CACHE,
                      reads_most(e) ? REASON_READ_FROM_CACHE : REASON_NOT_WRITTEN);
    else if (e->spent.device.known && e->instant_ns > 0 && e->instant_ns < INSTANT_NS)
        state_verdict(j, LIMITED_PAGE_CACHE, REASON_INSTANT);
    else if (cpu && (is_seen || e->spent.device.known || has_waited(&j->others)))
        judge_cpu(j);
    else if (e->spent.device.known)
        judge_device(j, e);
    else if (is_seen)
        judge_storage(j, e);
    else
        state_verdict(j, LIMITED_UNKNOWN, REASON_NO_DEVICE);
}

/* Whether the judgement is about the bytes that a source of evidence has counted. */
static bool is_about_bytes(const struct judgement *j)
{
    return j->reason == REASON_READ_FROM_CACHE || j->reason == REASON_NOT_WRITTEN ||
           j->reason == REASON_SERVER_MOVED || j->reason == REASON_STORAGE_MOVED;
}

bool limit_is_alike(const struct judgement *a, const struct judgement *b)
{
    return a->reason == b->reason && a->device_known == b->device_known &&
           a->held_by == b->held_by && a->held_to == b->held_to &&
           (!is_about_bytes(a) || (a->source == b->source && a->way == b->way));
}

void limit_pick(struct judgement *j, const struct judgement *other, double (*pick)(double, double))
{
    struct others *o = &j->others;
    j->device_percent = pick(j->device_percent, other->device_percent);
    j->computed_percent = pick(j->computed_percent, other->computed_percent);
    j->moved_percent = pick(j->moved_percent, other->moved_percent);
    j->held_percent = pick(j->held_percent, other->held_percent);
    j->quota_percent = pick(j->quota_percent, other->quota_percent);
    o->own_percent = pick(o->own_percent, other->others.own_percent);
    o->waited_percent = pick(o->waited_percent, other->others.waited_percent);
    o->stolen_percent = pick(o->stolen_percent, other->others.stolen_percent);
    o->device_percent = pick(o->device_percent, other->others.device_percent);
}

/* ---- words ----------------------------------------------------------------------------------- */

const char *limit_name(enum limited_by by)
{
    static const char *const names[LIMITED_COUNT] = {
        [LIMITED_UNKNOWN] = "unknown",
        [LIMITED_DEVICE] = "device",
        [LIMITED_PAGE_CACHE] = "page cache",
        [LIMITED_SERVER] = "server",
        [LIMITED_CPU] = "cpu",
        [LIMITED_OTHERS] = "others",
        [LIMITED_LIMIT] = "limit",
        [LIMITED_LINK] = "link",
    };
    return names[by];
}

/* A shorter wait for a CPU is not mentioned. */
#define WORTH_TELLING_PERCENT 1

/* "100-100 %" */
#define RANGE_TEXT 16

/* Formats "41 %", or "41-74 %" for several tests. */
static const char *percent_range(char text[static RANGE_TEXT], double least, double most)
{
    char first[8] = "";
    double low = nearbyint(least);
    if (low < nearbyint(most))
        snprintf(first, sizeof first, "%.0f-", low < 0 ? 0 : low);
    snprintf(text, RANGE_TEXT, "%s%.0f %%", first, most);
    return text;
}

/* Replaces the full stop at the end by the words and the figure. */
static void append_words(char text[static LIMIT_SENTENCE], const char *words, const char *figure)
{
    size_t used = strlen(text) - strlen(".");
    snprintf(text + used, LIMIT_SENTENCE - used, "; %s %s.", words, figure);
}

/*
 * Adds that no CPU was free, if that was the case for at least `worth` percent of the time, or how
 * much of a quota was used.
 */
static void add_waiting(char text[static LIMIT_SENTENCE], const struct judgement *least,
                        const struct judgement *most, double worth)
{
    char figure[RANGE_TEXT];
    if (least->quota_percent > 0)
        append_words(text, "CPU quota used",
                     percent_range(figure, least->quota_percent, most->quota_percent));
    else if (most->others.waited_percent >= worth)
        append_words(
            text, "no CPU free",
            percent_range(figure, least->others.waited_percent, most->others.waited_percent));
}

static void describe_limit(char text[static LIMIT_SENTENCE], const struct judgement *j,
                           const char *used)
{
    static const char *const verbs[IO_LIMIT_KINDS] = {
        [IO_LIMIT_READ_BYTES] = "reads",
        [IO_LIMIT_WRITTEN_BYTES] = "writes",
        [IO_LIMIT_READ_OPS] = "reads",
        [IO_LIMIT_WRITE_OPS] = "writes",
    };
    bool counts_bytes = j->held_by == IO_LIMIT_READ_BYTES || j->held_by == IO_LIMIT_WRITTEN_BYTES;
    if (counts_bytes)
        snprintf(text, LIMIT_SENTENCE, "Control group: %s of %.1f MiB/s; %s used.",
                 verbs[j->held_by], (double)j->held_to / (double)MIB, used);
    else
        snprintf(text, LIMIT_SENTENCE, "Control group: %" PRIu64 " %s/s; %s used.", j->held_to,
                 verbs[j->held_by], used);
}

/*
 * Describes how much storage moved, or how much the page cache had. Rounds down, because the rule
 * is "less than 90 %".
 */
static void describe_bytes(char text[static LIMIT_SENTENCE], const struct judgement *low,
                           const struct judgement *high)
{
    bool is_rest = low->source == SOURCE_RESIDENT;
    double least = is_rest ? 100 - high->moved_percent : low->moved_percent;
    double most = is_rest ? 100 - low->moved_percent : high->moved_percent;
    char figure[RANGE_TEXT];
    if (most <= 0)
        snprintf(figure, sizeof figure, "none");
    else if (most < 1)
        snprintf(figure, sizeof figure, "<1 %%");
    else if (least >= 100)
        snprintf(figure, sizeof figure, "all");
    else
        percent_range(figure, floor(least), floor(most));
    source_sentence(text, low->source, low->way, figure);
}

/* Describes how busy the device and the busiest worker were. */
static void describe_times(char text[static LIMIT_SENTENCE], const struct judgement *least,
                           const struct judgement *most)
{
    char computed[RANGE_TEXT];
    char busy[RANGE_TEXT];
    percent_range(computed, least->computed_percent, most->computed_percent);
    percent_range(busy, least->device_percent, most->device_percent);
    if (!least->device_known)
        snprintf(text, LIMIT_SENTENCE, "Computing %s.", computed);
    else if (least->computed_percent < 0)
        snprintf(text, LIMIT_SENTENCE, "Device busy %s.", busy);
    else
        snprintf(text, LIMIT_SENTENCE, "Device busy %s; computing %s.", busy, computed);
}

void limit_sentence(char text[static LIMIT_SENTENCE], const struct judgement *least,
                    const struct judgement *most)
{
    const struct others *o = &least->others;
    char used[RANGE_TEXT];
    double worth = OTHERS_PERCENT; /* no device was measured, so that a CPU matters less */
    text[0] = '\0';
    switch (least->reason) {
    case REASON_NO_DEVICE:
    case REASON_IN_MEMORY:
        snprintf(text, LIMIT_SENTENCE,
                 least->reason == REASON_IN_MEMORY ? "%s is memory and has no device."
                                                   : "%s has no block device to watch.",
                 least->filesystem[0] ? least->filesystem : "This filesystem");
        break;
    case REASON_READ_FROM_CACHE:
    case REASON_NOT_WRITTEN:
    case REASON_SERVER_MOVED:
    case REASON_STORAGE_MOVED:
        describe_bytes(text, least, most);
        break;
    case REASON_NOTHING_EXPLAINS:
    case REASON_DEVICE_BUSY:
    case REASON_COMPUTED:
    case REASON_COUNT:
        describe_times(text, least, most);
        worth = WORTH_TELLING_PERCENT;
        break;
    case REASON_DEVICE_HELD:
        describe_limit(text, least, percent_range(used, least->held_percent, most->held_percent));
        return;
    case REASON_LINK_FULL:
        snprintf(text, LIMIT_SENTENCE, "The link to the drive was full.");
        return;
    case REASON_NOT_DIRECT:
        snprintf(text, LIMIT_SENTENCE, "O_DIRECT was not direct: %s.", least->direct.reason);
        return;
    case REASON_INSTANT:
        snprintf(text, LIMIT_SENTENCE, "Half took %s or less: no device is so fast.",
                 units_time(least->instant_ns).text);
        return;
    case REASON_DOUBT:
        snprintf(text, LIMIT_SENTENCE, "%s.", least->doubt);
        return;
    case REASON_NOT_SYNCED:
        snprintf(text, LIMIT_SENTENCE, "Syncs reached no drive: nothing is durable.");
        return;
    case REASON_NOTHING_MOVED:
        snprintf(text, LIMIT_SENTENCE, "No data was moved: this is the program alone.");
        return;
    case REASON_CPUS_FULL:
        snprintf(text, LIMIT_SENTENCE, "The test used %s of the time of %u CPU%s.",
                 percent_range(used, o->own_percent, most->others.own_percent), o->cpus,
                 o->cpus == 1 ? "" : "s");
        return;
    case REASON_QUOTA:
        snprintf(text, LIMIT_SENTENCE, "Control group: %.2f CPUs; %s used.", least->quota_cpus,
                 percent_range(used, least->quota_percent, most->quota_percent));
        return;
    case REASON_OTHERS_COMPUTED:
        snprintf(text, LIMIT_SENTENCE, "Waiting for a CPU %s of the time: others used it.",
                 percent_range(used, o->waited_percent, most->others.waited_percent));
        return;
    case REASON_OTHERS_MOVED:
        snprintf(text, LIMIT_SENTENCE, "Others moved %s of the device's bytes.",
                 percent_range(used, o->device_percent, most->others.device_percent));
        return;
    case REASON_HOST_TOOK:
        snprintf(text, LIMIT_SENTENCE, "The host took %s of the time of the CPUs.",
                 percent_range(used, o->stolen_percent, most->others.stolen_percent));
        return;
    }
    add_waiting(text, least, most, worth);
}

static void print_mark(FILE *out, bool is_busy, int from)
{
    if (is_busy)
        fprintf(out, " (busy from %d %%)", from);
}

void others_words(char text[static OTHERS_TEXT], const struct others *o)
{
    const struct {
        double percent;
        bool is_busy;
        int from;
        const char *what, *of;
    } figures[] = {
        {o->waited_percent, has_waited(o) && !fills_cpus(o), OTHERS_PERCENT,
         "a thread waited for a CPU", "of the time"},
        {o->throttled_percent, o->throttled_percent >= THROTTLED_PERCENT, THROTTLED_PERCENT,
         "a quota held the program back", "of the time"},
        {o->device_percent, o->device_percent >= OTHERS_DEVICE_PERCENT, OTHERS_DEVICE_PERCENT,
         "others moved", "of the device's bytes"},
    };
    text[0] = '\0';
    FILE *out = fmemopen(text, OTHERS_TEXT, "w");
    if (!out)
        return;
    fprintf(out, "%s: others used ", others_are_busy(o) ? "busy" : "not busy");
    if (o->used_percent < 0)
        fputs("an unknown share of the CPUs", out);
    else
        fprintf(out, "%.0f %%", floor(o->used_percent));
    if (o->stolen_percent >= 1)
        fprintf(out, " and the host took %.0f %%", floor(o->stolen_percent));
    if (o->used_percent >= 0)
        fprintf(out, " of %u CPU%s", o->cpus, o->cpus == 1 ? "" : "s");
    print_mark(out, others_take_cpus(o), OTHERS_PERCENT);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        if (figures[i].percent < 1)
            continue;
        fprintf(out, "; %s %.0f %% %s", figures[i].what, floor(figures[i].percent), figures[i].of);
        print_mark(out, figures[i].is_busy, figures[i].from);
    }
    fclose(out);
}
