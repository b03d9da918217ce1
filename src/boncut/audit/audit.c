// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/options.h"

#include "boncut/log.h"
#include "measure/clock.h"
#include "report/document.h"
#include "report/json_object.h"
#include "storage/sync_trial.h"
#include "sys/program.h"

/* The drives at the bottom of a filesystem: neither volumes nor partitions. The kernel counts
 * flushes only for these (Documentation/block/stat.rst), not for device mapper and md. */
struct leaf_counts {
    bool known;
    uint64_t writes;
    uint64_t flushes;
    uint64_t loop_flushes; /* of the loop device that the drive stores, or `flushes` again */
};

struct leaf {
    const struct device *device;
    char cache[64]; /* what queue/write_cache says: "write back", "write through"; "": not known */
    int fua;        /* 1: the drive accepts writes with FUA; 0: it does not; -1: not known */
    bool is_persistent_memory; /* it syncs in no time, without a request to a device */
    struct leaf_counts before; /* the trial */
    bool knows_flushes;        /* flushes and writes are those of the trial */
    uint64_t flushes;
    uint64_t writes;
};

/* Number of fsyncs in a trial. */
#define TRIAL_SYNCS MAX_SYNC_TRIAL

struct audit {
    struct mount_info mount;
    struct durability durability;
    struct device_set devices;
    struct facts facts; /* what stands in the way, before the trial and after it */
    struct leaf leaves[MAX_DEVICES];
    unsigned leaf_count;
    struct sync_trial trial;
    /* what the filesystem promises to write whole: up to the drive's own size, by the drive's word;
     * the rest by writing elsewhere first. Sizes of 0: there are none */
    struct whole_sizes by_drive, by_filesystem;
    int status;              /* the exit status, which says which of three answers it is */
    const struct leaf *told; /* whose flushes the reason counts; NULL: none */
    char reason[200];        /* why the verdict is what it is, in words */
    uint64_t begun_ns;
};

static struct leaf_counts leaf_count(const struct device_set *devices, const struct leaf *leaf)
{
    const struct device *top = &devices->devices[leaf->device->top];
    struct device_stat drive, loop;
    bool is_known = device_stat(devices, leaf->device, &drive) && drive.knows_flushes;
    bool has_loop = *top->below && device_stat(devices, top, &loop) && loop.knows_flushes;
    return (struct leaf_counts){.known = is_known,
                                .writes = drive.writes,
                                .flushes = drive.flushes,
                                .loop_flushes = has_loop ? loop.flushes : drive.flushes};
}

static void judge(struct audit *a, const char *directory)
{
    const struct leaf *least = a->leaves; /* which says least: a flush says more than its word */
    bool is_known = false;                /* something says how a drive answers what is flushed */
    for (struct leaf *l = a->leaves; l < a->leaves + a->leaf_count; l++) {
        const struct leaf_counts after = leaf_count(&a->devices, l);
        l->knows_flushes = l->before.known && after.known;
        if (l->knows_flushes) {
            uint64_t passed_on = after.loop_flushes - l->before.loop_flushes;
            l->writes = after.writes - l->before.writes;
            l->flushes = after.flushes - l->before.flushes;
            /* others flush the drive, too: what the loop did not pass on is theirs */
            if (l->flushes > passed_on)
                l->flushes = passed_on;
            /* each fsync of the trial needs a flush of its own; so few come from other programs */
            if (l->flushes < TRIAL_SYNCS / 2)
                l->flushes = 0;
        }
        least = l->flushes < least->flushes ? l : least;
        is_known |=
            l->is_persistent_memory || strcmp(l->cache, "write through") == 0 || l->flushes > 0;
        if (l->knows_flushes && l->writes > 0 && l->flushes == 0 &&
            strcmp(l->cache, "write back") == 0 && !l->is_persistent_memory &&
            a->devices.filesystem == 1 && a->leaf_count == 1)
            snprintf(a->reason, sizeof a->reason,
                     "no flush of %d fsyncs reaches %s, whose cache is write back", TRIAL_SYNCS,
                     l->device->name);
    }
    if (a->trial.is_pretended)
        snprintf(a->reason, sizeof a->reason, "none of %d fsyncs reaches the device", TRIAL_SYNCS);
    if (a->durability.kind == DURABILITY_NONE)
        snprintf(a->reason, sizeof a->reason, "%s: %s: nothing written here survives a crash",
                 a->durability.what, a->durability.why);
    is_known &= a->durability.kind != DURABILITY_HIDDEN;
    a->status = *a->reason ? STATUS_NO : is_known ? 0 : STATUS_NOT_KNOWN;
    a->told = a->status == 0 && least->flushes > 0 ? least : NULL;
    if (a->told)
        snprintf(a->reason, sizeof a->reason,
                 "flushes reach %.64s (%.3g for each fsync); a cut can show more",
                 least->device->name, (double)least->flushes / TRIAL_SYNCS);
    else if (a->status == 0)
        snprintf(a->reason, sizeof a->reason, "%.64s %s; only a cut can show it",
                 least->device->name,
                 least->is_persistent_memory ? "is persistent memory, where fsync needs no request"
                 : strcmp(least->cache, "write through") == 0
                     ? "says write through, which needs no flush"
                     : "is not seen to get flushes, although another drive does");
    else if (a->status == STATUS_NOT_KNOWN && a->leaf_count == 0)
        snprintf(a->reason, sizeof a->reason, "no drive is known below %.150s", directory);
    else if (a->status == STATUS_NOT_KNOWN)
        snprintf(a->reason, sizeof a->reason, "no flush of %d fsyncs is seen to reach %s",
                 TRIAL_SYNCS, a->leaves[0].device->name);
}

static const char *const answers[] = {[0] = "Durability is not ruled out",
                                      [STATUS_NO] = "Not durable",
                                      [STATUS_NOT_KNOWN] = "Durability is not known"};

/* The first line is the answer; below it stands what decides it, each fact once. */
static void print_report(const struct audit *a)
{
    struct label_text text = {""};
    label_add(&text, "%s: %s.", answers[a->status], a->reason);
    label_print(stdout, "", &text);
    putchar('\n');
    label_add(&text, "%s", *a->mount.filesystem ? a->mount.filesystem : "not known");
    label_add(&text, "%s", *a->mount.options ? ": " : "");
    label_add_list(&text, a->mount.options);
    if (a->mount.lacks_journal)
        label_add(&text, "; without a journal: after a cut it needs fsck, which may lose names");
    label_print(stdout, "filesystem", &text);
    if (a->durability.why && a->durability.kind != DURABILITY_NONE) /* which is the answer */
        label_add(&text, "%s: %s%s", a->durability.what, a->durability.why,
                  a->durability.kind == DURABILITY_HIDDEN ? " cannot be seen from here" : "");
    label_print(stdout, "durability", &text);
    for (const struct leaf *l = a->leaves; l < a->leaves + a->leaf_count; l++) {
        label_add(&text, "%s: cache %s, FUA %s", l->device->name,
                  *l->cache ? l->cache : "not known",
                  l->fua < 0 ? "not known"
                  : l->fua   ? "yes"
                             : "no");
        if (l->is_persistent_memory)
            label_add(&text, "; persistent memory, where fsync needs no request");
        else if (!l->knows_flushes)
            label_add(&text, "; the kernel does not count its flushes");
        else if (l->flushes > 0 && l != a->told)
            label_add(&text, "; %.3g flushes for each fsync", (double)l->flushes / TRIAL_SYNCS);
        else if (l->flushes == 0)
            label_add(&text, "; no %s reaches it", l->writes > 0 ? "flush" : "write");
        label_print(stdout, "drive", &text);
    }
    facts_print(stdout, "in the way", &a->facts);
    label_add(&text, "p50 %s, max %s, of %d after one block each",
              units_time(a->trial.median_ns).text, units_time(a->trial.slowest_ns).text,
              TRIAL_SYNCS);
    if (a->leaf_count == 0 && a->trial.median_ns < 10000)
        label_add(&text, "; only persistent memory answers that fast: no other drive was waited "
                         "for");
    label_print(stdout, "fsync", &text);
    if (a->by_drive.most > 0)
        label_add(&text, "Writes of %s are whole, by the word of %s",
                  whole_sizes_words(&a->by_drive).text, a->leaves[0].device->name);
    else if (a->by_filesystem.most == 0)
        label_add(&text, "no size of write is promised to be whole after a cut");
    label_print(stdout, "whole", &text);
    if (a->by_filesystem.most > 0)
        label_add(&text, "Writes of %s are whole, by the filesystem (copy on write)",
                  whole_sizes_words(&a->by_filesystem).text);
    label_print(stdout, "whole", &text);
}

static json_t *whole_json(const struct whole_sizes *sizes)
{
    json_t *object = json_object();
    put_known_count(&object, "min_bytes", sizes->least);
    put_known_count(&object, "max_bytes", sizes->most);
    return object;
}

static json_t *report_json(const struct audit *a, const struct settings *s)
{
    json_t *settings = json_object();
    json_t *drives = json_array();
    json_t *sync = json_object();
    put_text(&settings, "directory", s->directory);
    put_flag(&settings, "trust_directory", s->trusts_directory);
    json_t *object = document_begin(&(struct document){
        .format = "boncut-audit",
        .elapsed_seconds = (double)(clock_ns() - a->begun_ns) / BILLION,
        .storage = storage_json(&a->mount, &a->devices, &a->facts),
        .settings = settings,
        .verdict = a->status == STATUS_NO ? "not_durable"
                   : a->status == 0       ? "not_ruled_out"
                                          : "not_known",
        .reason = a->reason,
    });
    put_durability(&object, &a->durability);
    put_flag(&object, "lacks_journal", a->mount.lacks_journal);
    PUT_COUNTS(&sync, {"count", TRIAL_SYNCS}, {"p50", a->trial.median_ns},
               {"max", a->trial.slowest_ns});
    put_value(&object, "sync_ns", sync);
    for (const struct leaf *l = a->leaves; l < a->leaves + a->leaf_count; l++) {
        json_t *drive = json_object();
        put_text(&drive, "name", l->device->name);
        put_known(&drive, "write_cache", l->cache);
        put_value(&drive, "fua", l->fua < 0 ? json_null() : json_boolean(l->fua));
        put_flag(&drive, "virtual", device_is_virtual(&a->devices, l->device));
        put_flag(&drive, "persistent_memory", l->is_persistent_memory);
        put_known_real(&drive, "flushes_per_sync",
                       l->knows_flushes ? (double)l->flushes / TRIAL_SYNCS : -1);
        append_value(&drives, drive);
    }
    put_value(&object, "drives", drives);
    put_value(&object, "whole_by_drive", whole_json(&a->by_drive));
    put_value(&object, "whole_by_filesystem", whole_json(&a->by_filesystem));
    return object;
}

int boncut_audit(const struct settings *s, struct err *e)
{
    struct audit a = {.begun_ns = clock_ns()};
    struct sources below;
    char text[UNITS_TEXT] = "";
    uint64_t word = 0; /* the largest size that the drive writes whole */
    int fd = path_open_to_list(s->directory, PATH_FAILS, e);
    if (fd < 0)
        return fd;
    sources_find(&below, fd);
    a.mount = below.mount;
    a.devices = below.devices; /* of the lowest layer of overlays */
    durability_find(&a.durability, fd);
    const struct whole_sizes whole = whole_sizes_of(fd);
    close(fd);
    facts_look(&a.facts, &a.mount, &a.devices, false);
    for (unsigned i = 0; i < a.devices.count; i++) {
        const struct device *device = &a.devices.devices[i];
        if (!device->is_drive)
            continue;
        struct leaf *l = &a.leaves[a.leaf_count++];
        device_fact(&a.devices, device, "queue/fua", text, sizeof text);
        *l = (struct leaf){.device = device,
                           .fua = *text == '\0' ? -1 : *text == '1',
                           .is_persistent_memory = strncmp(device->name, "pmem", 4) == 0};
        device_fact(&a.devices, device, "queue/write_cache", l->cache, sizeof l->cache);
        l->before = leaf_count(&a.devices, l);
    }
    if (a.leaf_count == 1 && device_fact(&a.devices, a.leaves[0].device,
                                         "queue/atomic_write_unit_max_bytes", text, sizeof text))
        units_parse_count(text, &word);
    a.by_drive = a.by_filesystem = whole;
    a.by_drive.most = (uint32_t)MIN(word, whole.most);
    if (a.by_drive.most < whole.least)
        a.by_drive = (struct whole_sizes){0};
    else if (a.by_drive.most == whole.most)
        a.by_filesystem = (struct whole_sizes){0};
    else
        a.by_filesystem.least = a.by_drive.most * 2;
    int rc =
        sync_trial_run(&a.trial, s->directory, &a.devices, TRIAL_SYNCS, s->trusts_directory, e);
    if (rc != 0)
        return rc;
    judge(&a, s->directory);
    facts_look(&a.facts, &a.mount, &a.devices, false);
    if (s->json)
        rc = document_print(report_json(&a, s), e);
    else
        print_report(&a);
    if (rc != 0)
        return rc;
    if (!answer_is_shown(!s->json))
        err_say(e, "%s: %s", answers[a.status], a.reason);
    return a.status;
}
