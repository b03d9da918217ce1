// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/limit.h"

#include <math.h>

#include "measure/durability.h"
#include "util/units.h"

#define CPU_BOUND_PERCENT    90 /* a worker that wants a CPU for more of the time is the limit */
#define MOSTLY_PERCENT       50 /* the same if the device was less busy; of waiting, device, limit */
#define CACHED_BELOW_PERCENT 90 /* if storage moved less of the bytes, the cache moved the rest */
#define LINK_PERCENT         90 /* of what a link carries: from here on, it is the limit */
#define OWN_PERCENT          67 /* of all CPUs: more workers than CPUs wait for each other */
#define INSTANT_NS           10000 /* takes any device that is not memory itself (dax) */

/* From these percentages on, others count. limit.h has the reasons. */
#define OTHERS_PERCENT        25 /* of the CPUs, or of the time that a worker waits for one */
#define OTHERS_DEVICE_PERCENT 10
#define THROTTLED_PERCENT     1
#define TOLD_PERCENT          1 /* a shorter wait for a CPU is not mentioned */

/* A filesystem writes more than what its users ask for: what was cached may be in the journal, too,
 * and a request may change a few blocks of metadata, which the kernel may have to read for it. This
 * much of it counts as our own. Further copies of a btrfs do, and what it reads to write parities:
 * a stripe has 64 KiB of each device. */
#define COPIES              2
#define METADATA_BYTES      (64 * KIB)
#define METADATA_READ_BYTES (4 * KIB)

/* The kernel lets a group exceed its limit a little before it holds the group back, but not by this
 * much: a group that moves more is not held. Nor are the writes of each second for a journal. */
#define NOT_HELD_PERCENT 150
#define JOURNAL_OPS      2

/* What each reason names as the limit, and its sentence around one text; NULL: it has several. */
static const struct {
    enum limited_by by;
    const char *before, *after;
} reasons[REASON_COUNT] = {
    [REASON_DOUBT] = {LIMITED_UNKNOWN, "", "."},
    [REASON_DEVICE_BUSY] = {LIMITED_DEVICE, NULL, NULL},
    [REASON_DEVICE_HELD] = {LIMITED_LIMIT, NULL, NULL},
    [REASON_LINK_FULL] = {LIMITED_LINK, "The link to the drive was full.", ""},
    [REASON_IN_MEMORY] = {LIMITED_PAGE_CACHE, NULL, NULL},
    [REASON_READ_FROM_CACHE] = {LIMITED_PAGE_CACHE, NULL, NULL},
    [REASON_NOT_DIRECT] = {LIMITED_PAGE_CACHE, "O_DIRECT was not direct: ", "."},
    [REASON_NOT_WRITTEN] = {LIMITED_PAGE_CACHE, NULL, NULL},
    [REASON_NOT_SYNCED] = {LIMITED_PAGE_CACHE, "Syncs reached no drive: nothing is durable.", ""},
    [REASON_INSTANT] = {LIMITED_PAGE_CACHE, "Half took ", " or less: no device is so fast."},
    [REASON_SERVER_MOVED] = {LIMITED_SERVER, NULL, NULL},
    [REASON_NOTHING_MOVED] = {LIMITED_CPU, "No data was moved: this is the program alone.", ""},
    [REASON_COMPUTED] = {LIMITED_CPU, NULL, NULL},
    [REASON_CPUS_FULL] = {LIMITED_CPU, NULL, NULL},
    [REASON_QUOTA] = {LIMITED_LIMIT, NULL, NULL},
    [REASON_OTHERS_COMPUTED] = {LIMITED_OTHERS, "Waiting for a CPU ",
                                " of the time: others used it."},
    [REASON_OTHERS_MOVED] = {LIMITED_OTHERS, "Others moved ", " of the device's bytes."},
    [REASON_HOST_TOOK] = {LIMITED_OTHERS, "The host took ", " of the time of the CPUs."},
};

static double percent_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

const struct others others_unknown = {.own_percent = -1,
                                      .used_percent = -1,
                                      .stolen_percent = -1,
                                      .waited_percent = -1,
                                      .throttled_percent = -1,
                                      .device_percent = -1};

struct others others_of(const struct reading *spent, unsigned cpus, unsigned workers)
{
    const struct device_counters *d = &spent->device;
    double elapsed = (double)spent->ns;
    double all = elapsed * cpus;
    double own_written = (double)spent->own_bytes[WAY_WRITTEN];
    double metadata = (double)METADATA_BYTES * (double)spent->changes;
    double written = ((spent->is_direct ? 1 : COPIES) + d->copies.data) * own_written +
                     (1 + d->copies.metadata) * metadata;
    double read = (double)spent->own_bytes[WAY_READ] +
                  (double)METADATA_READ_BYTES * (double)spent->changes +
                  d->copies.stripe * (own_written + metadata);
    /* on a partition, the others may use the rest of the disk */
    double beside = fdim((double)d->disk_bytes, (double)d->part_bytes);
    double foreign =
        fdim((double)d->read_bytes, read) + fdim((double)d->written_bytes, written) + beside;
    struct others o = others_unknown;
    o.cpus = cpus;
    o.workers = workers;
    o.own_percent = fmin(percent_of((double)spent->own_ns, all), 100);
    o.throttled_percent = fmin(percent_of((double)reading_throttled_ns(spent), elapsed), 100);
    if (spent->cpus > 0) {
        double others = fdim((double)spent->used_ns, (double)spent->own_ns);
        o.used_percent = fmin(percent_of(others, all), 100);
        o.stolen_percent = fmin(percent_of((double)spent->stolen_ns, all), 100);
    }
    if (!spent->busiest.waited_unknown)
        o.waited_percent = fmin(percent_of((double)spent->busiest.waited_ns, elapsed), 100);
    if (spent->knows_own && d->known)
        o.device_percent = percent_of(foreign, (double)(d->read_bytes + d->written_bytes) + beside);
    return o;
}

/* Whether the threads of this process take the CPUs from each other. */
static bool fills_cpus(const struct others *o)
{
    return o->own_percent >= OWN_PERCENT && (o->workers == 0 || o->workers > o->cpus);
}

/* Whether a thread waited for a CPU that others had, or threads of this process. */
static bool has_waited(const struct others *o)
{
    return o->waited_percent >= OTHERS_PERCENT;
}

bool others_move_data(const struct others *o)
{
    return o->device_percent >= OTHERS_DEVICE_PERCENT;
}

bool others_are_busy(const struct others *o)
{
    return o->used_percent + o->stolen_percent >= OTHERS_PERCENT ||
           (has_waited(o) && !fills_cpus(o)) || o->throttled_percent >= THROTTLED_PERCENT ||
           others_move_data(o);
}

void others_among(struct others *o, unsigned processes)
{
    double beside = (processes - 1) * o->own_percent;
    if (o->used_percent < 0)
        return;
    o->own_percent = fmin(100, o->own_percent + beside);
    o->used_percent = fdim(o->used_percent, beside);
}

void others_keep_busier(struct others *most, const struct others *other)
{
    bool is_alike = others_are_busy(other) == others_are_busy(most);
    if (is_alike ? other->used_percent > most->used_percent : others_are_busy(other))
        *most = *other;
}

static bool reads_most(const struct evidence *e)
{
    return e->read_bytes >= e->written_bytes;
}

static bool has_data(const struct evidence *e)
{
    return e->read_bytes + e->written_bytes > 0;
}

/* The share of a limit that was used, by what the device did. If the device did more than the limit
 * allows, other programs or the journal must have contributed; then it is computed from what the
 * work asked for. Work on names asks for no bytes. */
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
    double journal = kind == IO_LIMIT_WRITE_OPS ? JOURNAL_OPS * (double)e->spent.ns / 1e9 : 0;
    double held = percent_of((double)moved[kind].done, allowed);
    if (percent_of((double)moved[kind].done - journal, allowed) <= 100 && held > 100)
        held = 100;
    if (has_data(e) && moved[kind].asked == 0)
        return 0;
    if (has_data(e) && counts_bytes && held > 100 && moved[kind].asked < moved[kind].done)
        held = percent_of((double)moved[kind].asked, allowed);
    if (has_data(e) && kind == IO_LIMIT_WRITE_OPS && held > NOT_HELD_PERCENT)
        held = percent_of((double)e->spent.changes * (double)e->written_bytes /
                              (double)(e->written_bytes + e->read_bytes),
                          allowed); /* reads end as writes do, and change nothing */
    return held > NOT_HELD_PERCENT ? 0 : fmin(held, 100);
}

static enum limit_reason cpu_reason(const struct judgement *j)
{
    bool waited = has_waited(&j->others);
    if (j->quota_percent >= MOSTLY_PERCENT)
        return REASON_QUOTA;
    if (j->others.stolen_percent >= OTHERS_PERCENT)
        return REASON_HOST_TOOK;
    if ((waited && fills_cpus(&j->others)) || j->others.own_percent >= CPU_BOUND_PERCENT)
        return REASON_CPUS_FULL;
    return waited ? REASON_OTHERS_COMPUTED : REASON_COMPUTED;
}

/* By the figures in *j. */
static enum limit_reason find_reason(const struct judgement *j, const struct evidence *e)
{
    const struct device_counters *d = &e->spent.device;
    bool in_memory = !d->known && e->filesystem && filesystem_is_memory(e->filesystem);
    bool is_seen = has_data(e) && j->source != SOURCE_NONE;
    /* the shares of the time for which the busiest worker wanted a CPU, and the work a device */
    double waited = fmax(j->others.waited_percent, 0);
    double demand = fmax(j->computed_percent, 0) + waited;
    double device_demand = fmax(j->device_percent, j->held_percent);
    /* some kernels do not count the time for which a quota held a worker back as waiting */
    bool cpu = (j->quota_percent >= MOSTLY_PERCENT && j->quota_percent > device_demand) ||
               demand >= CPU_BOUND_PERCENT || waited >= MOSTLY_PERCENT ||
               (demand >= MOSTLY_PERCENT && d->known && demand > device_demand);
    if (!e->is_stored)
        return REASON_NOTHING_MOVED;
    if (e->doubt)
        return REASON_DOUBT;
    if (durability_is_pretended(d, e->syncs, e->in_flight))
        return REASON_NOT_SYNCED;
    /* Copying to and from memory takes CPU time, too. So where data was only copied, a busy CPU
     * proves nothing, and where the data was comes first. */
    if (cpu && (e->computes || !(has_data(e) || in_memory)))
        return cpu_reason(j);
    if (in_memory)
        return REASON_IN_MEMORY;
    if (has_data(e) && e->direct.asked && e->direct.seen == DIRECT_NO)
        return REASON_NOT_DIRECT;
    if (is_seen && j->moved_percent < CACHED_BELOW_PERCENT)
        return reads_most(e) ? REASON_READ_FROM_CACHE : REASON_NOT_WRITTEN;
    if (d->known && e->instant_ns > 0 && e->instant_ns < INSTANT_NS)
        return REASON_INSTANT;
    if (cpu && (is_seen || d->known || has_waited(&j->others)))
        return cpu_reason(j);
    if (!d->known && !is_seen)
        return REASON_NO_DEVICE;
    if (!d->known && !(source_rows[j->source].of & SOURCE_OF_SERVER))
        return REASON_STORAGE_MOVED;
    if (!d->known)
        return demand >= MOSTLY_PERCENT ? REASON_NOTHING_EXPLAINS : REASON_SERVER_MOVED;
    if (j->held_percent >= MOSTLY_PERCENT && j->held_percent > j->device_percent)
        return REASON_DEVICE_HELD;
    /* a link carries a rate each way; USB and SATA share it, so less than this may fill them */
    uint64_t bytes = MAX(d->read_bytes, d->written_bytes);
    if (e->link_per_second > 0 && e->spent.ns > 0 &&
        (double)bytes * 1e9 / (double)e->spent.ns >=
            (double)e->link_per_second / 100 * LINK_PERCENT)
        return REASON_LINK_FULL;
    if (j->others.stolen_percent >= OTHERS_PERCENT)
        return REASON_HOST_TOOK;
    if (j->device_percent < MOSTLY_PERCENT && !(e->is_paced && is_seen))
        return REASON_NOTHING_EXPLAINS;
    /* what others did on the device counts only if the work waited for that device */
    if (others_move_data(&j->others))
        return REASON_OTHERS_MOVED;
    /* a device that waits for requests is not busy, and still what took their time */
    bool is_idle = e->is_paced && j->device_percent < MOSTLY_PERCENT;
    return is_idle || (e->is_paced && j->source != SOURCE_DEVICE) ? REASON_STORAGE_MOVED
                                                                  : REASON_DEVICE_BUSY;
}

void limit_judge(struct judgement *j, const struct evidence *e)
{
    const struct device_counters *d = &e->spent.device;
    double elapsed = (double)e->spent.ns;
    double computed = percent_of((double)e->spent.busiest.computed_ns, elapsed);
    bool reads = reads_most(e);
    enum way way = reads ? WAY_READ : WAY_WRITTEN;
    *j = (struct judgement){
        .others = others_of(&e->spent, e->cpus, e->workers),
        .instant_ns = e->instant_ns,
        .doubt = e->doubt,
        .direct = e->direct,
        .device_known = d->known,
        .way = way,
        .source = e->spent.moved.by[way],
        .computed_percent = e->workers > 0 ? fmin(computed, 100) : -1,
    };
    j->quota_percent = reading_quota_percent(&e->spent, &j->quota_cpus);
    snprintf(j->filesystem, sizeof j->filesystem, "%s", e->filesystem ? e->filesystem : "");
    if (e->workers > 0) /* both are of the same worker */
        j->others.waited_percent = fmin(j->others.waited_percent, 100 - j->computed_percent);
    /* The share of the requested bytes that storage moved, and the source that says so; readahead
     * and other programs may make it larger. Bytes that were in the page cache did not come from
     * storage, whatever others read from it meanwhile. The page cache alone shows only what it had.
     *
     * A source proves nothing if what it counts may have been compressed; nor if it has seen none
     * of what the page cache did not have: that came from where nothing counts it. */
    uint64_t moved = reads ? d->read_bytes : d->written_bytes;
    double missing = reads ? 100 - e->resident_percent : 100;
    if (j->source != SOURCE_DEVICE && j->source != SOURCE_BELOW)
        moved = e->spent.moved.bytes[way];
    else if (!d->known)
        j->source = SOURCE_NONE;
    double share = percent_of((double)moved, (double)(reads ? e->read_bytes : e->written_bytes));
    bool is_from_nowhere = reads && e->is_cold && !(source_rows[j->source].of & SOURCE_OF_CACHE);
    if (moved > 0 ? e->compresses && share < CACHED_BELOW_PERCENT : is_from_nowhere)
        j->source = SOURCE_NONE;
    j->moved_percent = j->source == SOURCE_NONE ? missing : fmin(share, missing);
    if (j->source == SOURCE_NONE && missing < CACHED_BELOW_PERCENT)
        j->source = SOURCE_RESIDENT;
    if (d->known) {
        j->device_percent = device_busy_percent(d, e->spent.ns);
        j->in_flight = elapsed > 0 ? (double)d->queue_ns / elapsed : 0;
    }
    for (enum io_limit_kind kind = 0; d->known && kind < IO_LIMIT_KINDS; kind++) {
        double held = held_percent(e, kind);
        if (held <= j->held_percent) /* more of another limit was used */
            continue;
        j->held_by = kind;
        j->held_to = e->limit.per_second[kind];
        j->held_percent = held;
    }
    j->reason = find_reason(j, e);
    /* a load that waits by itself measures what moved its bytes */
    j->by =
        j->reason == REASON_STORAGE_MOVED && e->is_paced ? LIMITED_DEVICE : reasons[j->reason].by;
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

const char *const limit_names[LIMITED_COUNT] = {
    [LIMITED_UNKNOWN] = "unknown", [LIMITED_DEVICE] = "device", [LIMITED_PAGE_CACHE] = "page cache",
    [LIMITED_SERVER] = "server",   [LIMITED_CPU] = "cpu",       [LIMITED_OTHERS] = "others",
    [LIMITED_LIMIT] = "limit",     [LIMITED_LINK] = "link",
};

const char *limit_text(enum limited_by by)
{
    return by == LIMITED_UNKNOWN ? "not known" : limit_names[by];
}

/* Formats "41 %", or "41-74 %" for several tests: percent_range(41, 74).text. Shares are rounded
 * down everywhere, because what counts is "at least 10 %". */
static struct units_text percent_range(double least, double most)
{
    struct units_text range;
    char first[8] = "";
    if (floor(least) < floor(most))
        snprintf(first, sizeof first, "%.0f-", fmax(0, floor(least)));
    snprintf(range.text, sizeof range.text, "%s%.0f %%", first, floor(most));
    return range;
}

void limit_sentence(char text[static LIMIT_SENTENCE], const struct judgement *least,
                    const struct judgement *most)
{
    const struct others *o = &least->others;
    const struct units_text waited = percent_range(o->waited_percent, most->others.waited_percent);
    const struct units_text held = percent_range(least->held_percent, most->held_percent);
    const struct units_text busy = percent_range(least->device_percent, most->device_percent);
    const struct units_text computed =
        percent_range(least->computed_percent, most->computed_percent);
    bool is_write =
        least->held_by == IO_LIMIT_WRITTEN_BYTES || least->held_by == IO_LIMIT_WRITE_OPS;
    bool is_bytes =
        least->held_by == IO_LIMIT_READ_BYTES || least->held_by == IO_LIMIT_WRITTEN_BYTES;
    /* how much storage moved, or the page cache had */
    bool is_rest = least->source == SOURCE_RESIDENT;
    double low = is_rest ? 100 - most->moved_percent : least->moved_percent;
    double high = is_rest ? 100 - least->moved_percent : most->moved_percent;
    const struct units_text moved = percent_range(low, high);
    const char *share = high <= 0 ? "none" : high < 1 ? "<1 %" : low >= 100 ? "all" : moved.text;
    double worth = OTHERS_PERCENT; /* no device was measured, so that a CPU matters less */
    const struct units_text stolen = percent_range(o->stolen_percent, most->others.stolen_percent);
    const struct units_text beside = percent_range(o->device_percent, most->others.device_percent);
    const struct units_text instant = units_time(least->instant_ns);
    const struct source_row *source = &source_rows[least->source];
    const char *to = least->way == WAY_READ ? " from storage" : " to storage";
    const char *const figures[REASON_COUNT] = {
        [REASON_DOUBT] = least->doubt,       [REASON_NOT_DIRECT] = least->direct.reason,
        [REASON_INSTANT] = instant.text,     [REASON_OTHERS_COMPUTED] = waited.text,
        [REASON_OTHERS_MOVED] = beside.text, [REASON_HOST_TOOK] = stolen.text};
    if (reasons[least->reason].before) {
        const char *figure = figures[least->reason];
        snprintf(text, LIMIT_SENTENCE, "%s%s%s", reasons[least->reason].before,
                 figure ? figure : "", reasons[least->reason].after);
        return;
    }
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
        snprintf(text, LIMIT_SENTENCE, "%s %s %s of the data%s.", source->subject,
                 source->verbs[least->way], share, source->of & SOURCE_OF_STORAGE ? to : "");
        break;
    case REASON_DEVICE_HELD:
        if (is_bytes)
            snprintf(text, LIMIT_SENTENCE, "Control group: %s of %s/s; %s used.",
                     is_write ? "writes" : "reads",
                     units_scaled((double)least->held_to, UNITS_BYTES).text, held.text);
        else
            snprintf(text, LIMIT_SENTENCE, "Control group: %" PRIu64 " %s/s; %s used.",
                     least->held_to, is_write ? "writes" : "reads", held.text);
        return;
    case REASON_CPUS_FULL:
        snprintf(text, LIMIT_SENTENCE, "The test used %s of the time of %u CPU%s.",
                 percent_range(o->own_percent, most->others.own_percent).text, o->cpus,
                 o->cpus == 1 ? "" : "s");
        return;
    case REASON_QUOTA:
        snprintf(text, LIMIT_SENTENCE, "Control group: %.2f CPUs; %s used.", least->quota_cpus,
                 percent_range(least->quota_percent, most->quota_percent).text);
        return;
    default: /* REASON_DEVICE_BUSY, REASON_COMPUTED and REASON_NOTHING_EXPLAINS */
        worth = TOLD_PERCENT;
        if (!least->device_known)
            snprintf(text, LIMIT_SENTENCE, "Computing %s.", computed.text);
        else if (least->computed_percent < 0)
            snprintf(text, LIMIT_SENTENCE, "Device busy %s.", busy.text);
        else
            snprintf(text, LIMIT_SENTENCE, "Device busy %s; computing %s.", busy.text,
                     computed.text);
    }
    /* how much of a quota was used, or that no CPU was free, takes the place of the full stop */
    size_t used = strlen(text) - strlen(".");
    if (least->quota_percent > 0)
        snprintf(text + used, LIMIT_SENTENCE - used, "; CPU quota used %s.",
                 percent_range(least->quota_percent, most->quota_percent).text);
    else if (most->others.waited_percent >= worth)
        snprintf(text + used, LIMIT_SENTENCE - used, "; no CPU free %s.", waited.text);
}

struct label_text others_words(const struct others *o)
{
    struct label_text words = {""};
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
        {o->device_percent, others_move_data(o), OTHERS_DEVICE_PERCENT, "others moved",
         "of the device's bytes"},
    };
    label_add(&words, "%s: others used ",
              others_are_busy(o)    ? "busy"
              : o->used_percent < 0 ? "not known"
                                    : "not busy");
    if (o->used_percent < 0)
        label_add(&words, "a share of the CPUs that /proc/stat does not tell");
    else {
        label_add(&words, "%.0f %%", floor(o->used_percent));
        if (o->stolen_percent >= 1)
            label_add(&words, " and the host took %.0f %%", floor(o->stolen_percent));
        label_add(&words, " of %u CPU%s", o->cpus, o->cpus == 1 ? "" : "s");
    }
    if (o->used_percent + o->stolen_percent >= OTHERS_PERCENT)
        label_add(&words, " (busy from %d %%)", OTHERS_PERCENT);
    for (size_t i = 0; i < COUNT_OF(figures); i++) {
        if (figures[i].percent < 1)
            continue;
        label_add(&words, "; %s %.0f %% %s", figures[i].what, floor(figures[i].percent),
                  figures[i].of);
        if (figures[i].is_busy)
            label_add(&words, " (busy from %d %%)", figures[i].from);
    }
    return words;
}
