// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boncut/log.h"
#include "boncut/methods/method.h"
#include "measure/device.h"
#include "measure/durability.h"
#include "measure/mount_info.h"
#include "storage/sync_trial.h"
#include "sys/path.h"
#include "sys/program.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/err.h"
#include "util/printable.h"
#include "util/units.h"

/*
 * The drives at the bottom of a filesystem: neither volumes nor partitions. The kernel counts
 * flushes only for these (Documentation/block/stat.rst), not for device mapper and md.
 */
enum write_cache { CACHE_UNKNOWN, CACHE_BACK, CACHE_THROUGH };

struct leaf_counts {
    bool known;
    uint64_t writes;
    uint64_t flushes;
    uint64_t loop_flushes; /* of the loop device that the drive stores, or `flushes` again */
};

struct leaf {
    const struct device *device;
    enum write_cache cache; /* what the drive says about its cache, in queue/write_cache */
    int fua; /* 1: the drive accepts writes with FUA; 0: it does not; -1: not known */
    bool is_persistent_memory; /* it syncs in no time, without a request to a device */
    bool is_virtual;           /* by its name, a hypervisor, a file or memory emulates this drive */
    struct leaf_counts before; /* the trial */
    struct leaf_counts after;
};

/* Number of fsyncs in a trial. */
#define TRIAL_SYNCS SYNC_TRIAL_MOST

struct audit {
    struct mount_info mount;
    struct durability durability;
    struct device_set devices;
    struct leaf leaves[DEVICE_MOST];
    unsigned leaf_count;
    struct sync_trial trial;
    struct whole_sizes whole; /* of writes that the filesystem promises to make whole */
    bool is_known;            /* something says how a drive answers what is flushed */
    char not_durable[160];    /* why what fsync promises is certain not to last; "": it is not */
};

static void find_leaves(struct audit *a)
{
    for (unsigned i = 0; i < a->devices.count; i++) {
        const struct device *device = &a->devices.devices[i];
        char cache[64];
        char fua[64];
        if (!device->is_drive)
            continue;
        device_fact(&a->devices, device, "queue/write_cache", cache, sizeof cache);
        device_fact(&a->devices, device, "queue/fua", fua, sizeof fua);
        a->leaves[a->leaf_count++] = (struct leaf){
            .device = device,
            .cache = strcmp(cache, "write back") == 0      ? CACHE_BACK
                     : strcmp(cache, "write through") == 0 ? CACHE_THROUGH
                                                           : CACHE_UNKNOWN,
            .fua = *fua == '\0' ? -1 : *fua == '1',
            .is_persistent_memory = strncmp(device->name, "pmem", strlen("pmem")) == 0,
            .is_virtual = device_is_virtual(&a->devices, device)};
    }
}

/* Reads fields 5 (writes) and 16 (flushes) of `stat`. Linux before 5.5 has no field 16. */
static bool read_counts(const struct device_set *devices, const struct device *device,
                        uint64_t *writes, uint64_t *flushes)
{
    char text[512]; /* 17 numbers of up to 20 digits */
    device_fact(devices, device, "stat", text, sizeof text);
    return sscanf(text,
                  "%*u %*u %*u %*u %" SCNu64 " %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64,
                  writes, flushes) == 2;
}

static struct leaf_counts leaf_count(const struct device_set *devices, const struct leaf *leaf)
{
    struct leaf_counts c = {.known = false};
    const struct device *top = &devices->devices[leaf->device->top];
    uint64_t ignored;
    c.known = read_counts(devices, leaf->device, &c.writes, &c.flushes);
    if (!*top->below || !read_counts(devices, top, &ignored, &c.loop_flushes))
        c.loop_flushes = c.flushes;
    return c;
}

/* Only persistent memory is that fast: a call that returns sooner has not waited for a drive. */
#define TOO_FAST_NS 10000

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

static void print_time(uint64_t nanoseconds)
{
    if (nanoseconds < MILLION)
        printf("%.3g us", (double)nanoseconds / 1000);
    else
        printf("%.3g ms", (double)nanoseconds / MILLION);
}

static void judge_leaf(struct audit *a, const struct leaf *l)
{
    const char *name = l->device->name;
    a->is_known |= l->is_persistent_memory || l->cache == CACHE_THROUGH;
    if (l->is_persistent_memory) {
        printf("  %s: persistent memory, where fsync needs no request\n", name);
        return;
    }
    if (!l->before.known || !l->after.known) {
        printf("  %s: the kernel does not count its flushes\n", name);
        return;
    }
    uint64_t flushes = l->after.flushes - l->before.flushes;
    /* Other programs flush the drive, too: what the loop did not pass on is not the trial's. */
    if (flushes > l->after.loop_flushes - l->before.loop_flushes)
        flushes = l->after.loop_flushes - l->before.loop_flushes;
    /* Each fsync of the trial needs a flush of its own; so few flushes come from other programs. */
    if (flushes < TRIAL_SYNCS / 2)
        flushes = 0;
    uint64_t writes = l->after.writes - l->before.writes;
    a->is_known |= flushes > 0;
    if (flushes > 0) {
        printf("  flushes reach %s, %.3g for each fsync\n", name, (double)flushes / TRIAL_SYNCS);
    } else if (writes == 0) {
        printf("  nothing reaches %s\n", name);
    } else if (l->cache == CACHE_THROUGH) {
        printf("  no flush reaches %s: it says write through, so none is needed; only a cut can "
               "tell\n",
               name);
    } else if (l->cache == CACHE_BACK) {
        bool is_certain = a->devices.filesystem == 1 && a->leaf_count == 1;
        printf("  no flush reaches %s, whose cache is write back%s\n", name,
               is_certain ? ": what fsync promises is not durable" : "");
        if (is_certain)
            snprintf(a->not_durable, sizeof a->not_durable,
                     "no flush of %d fsyncs reaches %s, whose cache is write back", TRIAL_SYNCS,
                     name);
    } else {
        printf("  no flush reaches %s\n", name);
    }
}

static void print_trial(struct audit *a)
{
    printf("%d fsyncs after one block each: median ", TRIAL_SYNCS);
    print_time(a->trial.median_ns);
    printf(", slowest ");
    print_time(a->trial.slowest_ns);
    putchar('\n');
    for (unsigned i = 0; i < a->leaf_count; i++) {
        const struct leaf *l = &a->leaves[i];
        judge_leaf(a, l);
    }
    if (a->trial.is_pretended) {
        printf("  fsync takes ");
        print_time(a->trial.median_ns);
        puts(" and nothing reaches the device: nothing here is durable");
        snprintf(a->not_durable, sizeof a->not_durable, "nothing of %d fsyncs reaches the device",
                 TRIAL_SYNCS);
    } else if (a->leaf_count == 0 && a->trial.median_ns < TOO_FAST_NS) {
        puts("  only persistent memory answers that fast: no other drive was waited for");
    }
}

/* ---- writes that are promised whole ---------------------------------------------------------- */

/*
 * Up to the size that the drive itself writes whole, that is the drive's word; larger sizes, and
 * all of them where the drive gives no word, the filesystem makes whole by writing elsewhere first.
 */
static void print_whole(const struct audit *a)
{
    char text[2 * UNITS_TEXT] = "";
    uint64_t word = 0; /* the largest size that the drive writes whole */
    if (a->whole.most == 0) {
        puts("No size of write is promised to be whole after a cut");
        return;
    }
    if (a->leaf_count == 1 && device_fact(&a->devices, a->leaves[0].device,
                                          "queue/atomic_write_unit_max_bytes", text, sizeof text))
        units_parse_count(text, &word);
    struct whole_sizes by_drive = a->whole;
    struct whole_sizes by_filesystem = a->whole;
    by_drive.most = (uint32_t)(word < a->whole.most ? word : a->whole.most);
    if (by_drive.most >= a->whole.least)
        by_filesystem.least = by_drive.most * 2;
    if (by_drive.most >= by_drive.least) {
        whole_sizes_format(text, &by_drive);
        printf("Writes of %s are whole, by the word of %s\n", text,
               printable(a->leaves[0].device->name).text);
    }
    if (by_filesystem.least <= by_filesystem.most) {
        whole_sizes_format(text, &by_filesystem);
        printf("Writes of %s are whole, by the filesystem (copy on write)\n", text);
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static int find_facts(struct audit *a, const char *path, bool trusts, struct err *e)
{
    int fd = path_open_to_list(path, PATH_FAILS, e);
    if (fd < 0)
        return fd;
    mount_info_find(&a->mount, fd);
    durability_find(&a->durability, fd);
    if (a->durability.kind == DURABILITY_NONE)
        snprintf(a->not_durable, sizeof a->not_durable, "%s: %s", a->durability.what,
                 a->durability.why);
    int file_fd = openat(fd, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (file_fd >= 0)
        a->whole = whole_sizes_of(file_fd);
    descriptor_close(&file_fd);
    close(fd);
    device_find(&a->devices, &a->mount);
    find_leaves(a);
    for (unsigned i = 0; i < a->leaf_count; i++)
        a->leaves[i].before = leaf_count(&a->devices, &a->leaves[i]);
    int rc = sync_trial_run(&a->trial, path, &a->devices, TRIAL_SYNCS, trusts, e);
    for (unsigned i = 0; i < a->leaf_count; i++)
        a->leaves[i].after = leaf_count(&a->devices, &a->leaves[i]);
    return rc;
}

int boncut_audit(const struct settings *s, struct err *e)
{
    struct audit a = {.is_known = false};
    int rc = find_facts(&a, s->directory, s->trusts_directory, e);
    if (rc != 0)
        return rc;
    print_mount(&a);
    print_drives(&a);
    print_trial(&a);
    print_whole(&a);
    a.is_known &= a.durability.kind != DURABILITY_HIDDEN;
    printf("\n%s\n", *a.not_durable ? "NOT DURABLE: what fsync promises here does not survive a "
                                      "power cut."
                     : a.is_known
                         ? "Nothing here rules out durability, but only a cut can show it."
                         : "NOT KNOWN: nothing here says whether what is flushed reaches a "
                           "drive.");
    if (*a.not_durable)
        err_say(e, "not durable: %s", a.not_durable);
    else if (a.leaf_count == 0)
        err_say(e, "not known: no drive is known below %s", s->directory);
    else
        err_say(e, "not known: no flush of %d fsyncs is seen to reach %s", TRIAL_SYNCS,
                a.leaves[0].device->name);
    return *a.not_durable ? STATUS_NO : a.is_known ? 0 : STATUS_NOT_KNOWN;
}
