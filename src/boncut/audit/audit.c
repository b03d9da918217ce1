#include "boncut/audit/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "boncut/audit/fua_trace.h"
#include "boncut/audit/leaves.h"
#include "boncut/audit/trial.h"
#include "measure/durability.h"
#include "measure/mount_info.h"
#include "sys/path.h"
#include "sys/stop.h"
#include "util/printable.h"
#include "util/units.h"

/* The exit status when the audit is certain that the directory is not durable. */
#define STATUS_NOT_DURABLE 2

/* Only persistent memory is that fast: a call that returns sooner has waited for no other drive. */
#define TOO_FAST_NS 10000

/* What the audit has found out about a directory. */
struct audit {
    struct mount_info mount;
    struct durability durability;
    struct device_set devices;
    struct leaf leaves[LEAVES_MOST];
    unsigned leaf_count;
    struct leaf_counts before[LEAVES_MOST];
    struct leaf_counts after[LEAVES_MOST];
    struct trial trial;
    bool knows_fua[LEAVES_MOST];
    uint64_t fua_writes[LEAVES_MOST];
    bool is_not_durable;
};

/* ---- how it is mounted ----------------------------------------------------------------------- */

static void print_mount(const struct audit *a)
{
    static const char *const endings[] = {
        [DURABILITY_OPEN] = "",
        [DURABILITY_HIDDEN] = " cannot be seen from here",
        [DURABILITY_NONE] = ": nothing written here survives a crash",
    };
    const char *options = a->mount.options;
    printf("Filesystem: %s",
           *a->mount.filesystem ? printable(a->mount.filesystem).text : "not known");
    printf("%s%s%s\n", *options ? " (" : "", printable(options).text, *options ? ")" : "");
    if (a->durability.why)
        printf("  %s: %s%s\n", printable(a->durability.what).text, a->durability.why,
               endings[a->durability.kind]);
    if (a->mount.lacks_journal)
        puts("  without a journal: after a cut it needs fsck, which may lose names");
}

/* ---- the drives ------------------------------------------------------------------------------ */

static void print_drives(const struct audit *a)
{
    static const char *const caches[] = {[CACHE_UNKNOWN] = "not known",
                                         [CACHE_BACK] = "write back",
                                         [CACHE_THROUGH] = "write through"};
    if (a->leaf_count == 0)
        puts("Drives: none is known below it");
    for (unsigned i = 0; i < a->leaf_count; i++) {
        const struct leaf *l = &a->leaves[i];
        printf("Drive %s: cache %s, FUA %s%s\n", l->device->name, caches[l->cache],
               l->fua < 0 ? "not known"
               : l->fua   ? "yes"
                          : "no",
               l->is_virtual ? "; virtual: its cache is another system's" : "");
    }
}

/* ---- what reaches the drives ----------------------------------------------------------------- */

static void read_counts(const struct audit *a, struct leaf_counts counts[])
{
    for (unsigned i = 0; i < a->leaf_count; i++)
        counts[i] = leaf_count(&a->leaves[i]);
}

static void print_time(uint64_t nanoseconds)
{
    if (nanoseconds < MILLION)
        printf("%.3g us", (double)nanoseconds / 1000);
    else
        printf("%.3g ms", (double)nanoseconds / MILLION);
}

/*
 * The number of flushes that the trial's fsyncs have sent. They come one after the other, so each
 * needs a flush of its own; fewer than one for two are somebody else's.
 */
static uint64_t flushes_of_trial(const struct audit *a, unsigned i)
{
    uint64_t flushes = a->after[i].flushes - a->before[i].flushes;
    return flushes >= TRIAL_SYNCS / 2 ? flushes : 0;
}

static void judge_leaf(struct audit *a, unsigned i)
{
    const struct leaf *l = &a->leaves[i];
    const char *name = l->device->name;
    if (l->is_persistent_memory) {
        printf("  %s: persistent memory, where fsync needs no request\n", name);
        return;
    }
    if (!a->before[i].known || !a->after[i].known) {
        printf("  %s: the kernel does not count its flushes\n", name);
        return;
    }
    uint64_t flushes = flushes_of_trial(a, i);
    uint64_t writes = a->after[i].writes - a->before[i].writes;
    if (flushes > 0) {
        double each = (double)flushes / TRIAL_SYNCS;
        printf("  flushes reach %s, %.3g for each fsync\n", name, each);
    } else if (writes == 0) {
        printf("  nothing reaches %s\n", name);
    } else if (l->cache == CACHE_THROUGH) {
        printf("  no flush reaches %s: it says write through, so none is needed; only a cut can "
               "tell\n",
               name);
    } else if (l->cache == CACHE_BACK) {
        printf("  no flush reaches %s, whose cache is write back: what fsync promises is not "
               "durable\n",
               name);
    } else {
        printf("  no flush reaches %s\n", name);
    }
    a->is_not_durable |= flushes == 0 && writes > 0 && a->fua_writes[i] == 0 &&
                         l->cache == CACHE_BACK && a->devices.filesystem == 1 && a->leaf_count == 1;
}

/* Prints the number of writes that need no flush. */
static void print_fua(const struct audit *a, unsigned i)
{
    const char *name = a->leaves[i].device->name;
    if (!a->knows_fua[i])
        printf("  writes with FUA to %s: not known; counting them needs root and tracefs\n", name);
    else
        printf("  writes with FUA to %s: %.3g for each fsync\n", name,
               (double)a->fua_writes[i] / TRIAL_SYNCS);
}

/*
 * Whether any drive received a write or a flush when files were synced; true when this is unknown.
 */
static bool reaches_any(const struct audit *a)
{
    for (unsigned i = 0; i < a->leaf_count; i++)
        if (a->leaves[i].is_persistent_memory || !a->before[i].known || !a->after[i].known ||
            a->after[i].writes > a->before[i].writes || a->after[i].flushes > a->before[i].flushes)
            return true;
    return a->leaf_count == 0;
}

static void print_trial(struct audit *a)
{
    printf("%d fsyncs after one block each: median ", TRIAL_SYNCS);
    print_time(a->trial.median_ns);
    printf(", slowest ");
    print_time(a->trial.slowest_ns);
    putchar('\n');
    for (unsigned i = 0; i < a->leaf_count; i++) {
        judge_leaf(a, i);
        print_fua(a, i);
    }
    if (!reaches_any(a)) {
        printf("  fsync takes ");
        print_time(a->trial.median_ns);
        puts(" and nothing reaches the device: nothing here is durable");
        a->is_not_durable = true;
    } else if (a->leaf_count == 0 && a->trial.median_ns < TOO_FAST_NS) {
        puts("  only persistent memory answers that fast: no other drive was waited for");
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static int find_facts(struct audit *a, const char *path, struct err *e)
{
    int fd = path_open_to_list(path, PATH_FAILS, e);
    if (fd < 0)
        return fd;
    mount_info_find(&a->mount, fd);
    durability_find(&a->durability, fd);
    a->is_not_durable = a->durability.kind == DURABILITY_NONE;
    close(fd);
    device_find(&a->devices, &a->mount);
    a->leaf_count = leaves_find(a->leaves, &a->devices);
    struct fua_trace trace;
    fua_trace_begin(&trace);
    read_counts(a, a->before);
    int rc = trial_run(&a->trial, path, e);
    read_counts(a, a->after);
    for (unsigned i = 0; i < a->leaf_count; i++)
        a->knows_fua[i] = fua_trace_count(&trace, a->leaves[i].device, &a->fua_writes[i]);
    fua_trace_end(&trace);
    return rc;
}

int boncut_audit(const struct settings *s, int *status, struct err *e)
{
    struct audit a = {.is_not_durable = false};
    int rc = stop_init(e);
    if (rc == 0)
        rc = find_facts(&a, s->directory, e);
    if (rc != 0)
        return rc;
    print_mount(&a);
    print_drives(&a);
    print_trial(&a);
    printf("\n%s\n", a.is_not_durable
                         ? "NOT DURABLE: what fsync promises here does not survive a power cut."
                         : "Nothing here rules out durability, but only a cut can show it.");
    *status = a.is_not_durable ? STATUS_NOT_DURABLE : 0;
    return 0;
}
