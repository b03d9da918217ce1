// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/device.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/kernel_file.h"
#include "util/units.h"

/* The unit of the counters, whatever the device's own sectors are (stat.rst). */
#define SECTOR_BYTES 512
#define STAT_TEXT    512 /* 17 numbers of up to 20 digits */

/* ---- the tree of /sys ---- */

/* Writes the path of a file in a device's directory of sysfs, or of its entry, which is a link. */
static void path_of(const struct device_set *d, const struct device *device, const char *name,
                    char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/sys/dev/block/%u:%u%s%s", d->root, device->major, device->minor,
             *name ? "/" : "", name);
}

bool device_fact(const struct device_set *d, const struct device *device, const char *name,
                 char *text, size_t size)
{
    char path[PATH_MAX];
    path_of(d, device, name, path);
    bool is_there = kernel_file_text(path, text, size);
    size_t length = strcspn(text, "\n");
    while (length > 0 && strchr(" \t", text[length - 1])) /* models are padded */
        length--;
    text[length] = '\0';
    memmove(text, text + strspn(text, " \t"), length + 1 - strspn(text, " \t"));
    return is_there;
}

static bool begins_with(const char *text, const char *const words[])
{
    for (; *words; words++)
        if (strncmp(text, *words, strlen(*words)) == 0)
            return true;
    return false;
}

bool device_is_virtual(const struct device_set *devices, const struct device *device)
{
    static const char *const names[] = {"vd", "xvd", "loop", "nbd", "zram", "ram", "rbd", NULL};
    static const char *const models[] = {"QEMU",           "VBOX",   "VMware", "Virtual", "Amazon",
                                         "PersistentDisk", "Google", "MSFT",   NULL};
    char model[64];
    device_fact(devices, device, "device/model", model, sizeof model);
    return begins_with(device->name, names) || begins_with(model, models);
}

bool device_parse_number(const char *text, unsigned *major, unsigned *minor)
{
    return sscanf(text, "%u:%u", major, minor) == 2;
}

/* Adds the device `new`, unless the set has its number. Returns false when that is impossible. */
static bool add_device(struct device_set *d, struct device new)
{
    for (unsigned i = 0; i < d->count; i++)
        if (d->devices[i].major == new.major && d->devices[i].minor == new.minor)
            return true;
    char path[PATH_MAX];
    char target[PATH_MAX];
    path_of(d, &new, "", path);
    if (d->count == DEVICE_MOST || !kernel_file_link(path, target, sizeof target))
        return false;
    const char *slash = strrchr(target, '/'); /* the link's target ends in the kernel's name */
    snprintf(new.name, sizeof new.name, "%.*s", DEVICE_NAME - 1, slash ? slash + 1 : target);
    d->devices[d->count++] = new;
    return true;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/*
 * Adds the devices to which a directory of sysfs has links, as devices of the kind that *kind
 * describes. Sorts them by name, so that all runs give the set the same name. Returns their number,
 * or -1 when the directory cannot be read or a device cannot be added.
 */
static int add_all(struct device_set *d, const char *directory, const struct device *kind)
{
    struct dirent **links;
    int count = scandir(directory, &links, is_visible, alphasort);
    bool complete = count >= 0;
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        char text[32];
        struct device new = *kind;
        int length = snprintf(path, sizeof path, "%s/%s/dev", directory, links[i]->d_name);
        complete &= length < PATH_MAX && kernel_file_text(path, text, sizeof text) &&
                    device_parse_number(text, &new.major, &new.minor) && add_device(d, new);
        free(links[i]);
    }
    if (count >= 0)
        free(links);
    return complete ? count : -1;
}

/* ---- finding the devices ---- */

/*
 * Writes the path of the directory that has the devices of a btrfs. If its UUID is not known, it is
 * that of the device which is mounted.
 */
static bool find_btrfs(const struct mount_info *p, char path[PATH_MAX])
{
    struct dirent **uuids = NULL;
    const char *device = strrchr(p->source, '/');
    snprintf(path, PATH_MAX, "%s/sys/fs/btrfs/%s/devices", p->root, p->uuid);
    if (*p->uuid)
        return true;
    snprintf(path, PATH_MAX, "%s/sys/fs/btrfs", p->root);
    int count = device ? scandir(path, &uuids, is_visible, alphasort) : 0;
    bool is_found = false;
    for (int i = 0; i < count; i++) {
        char file[PATH_MAX];
        snprintf(file, sizeof file, "%s/sys/fs/btrfs/%s/devices%s", p->root, uuids[i]->d_name,
                 device);
        if (!is_found && kernel_file_exists(file)) {
            is_found = true;
            snprintf(path, PATH_MAX, "%.*s", (int)(strlen(file) - strlen(device)), file);
        }
        free(uuids[i]);
    }
    free(uuids);
    return is_found;
}

/* The further copies that a btrfs makes of one kind ("data"), by the profiles that are in use. */
static unsigned find_copies(const char *devices_path, const char *kind, bool *has_parity)
{
    static const struct {
        const char *profile;
        unsigned copies;
        bool is_parity;
    } profiles[] = {{"dup", 1, false},     {"raid1", 1, false}, {"raid10", 1, false},
                    {"raid1c3", 2, false}, {"raid5", 1, true},  {"raid6", 2, true},
                    {"raid1c4", 3, false}};
    unsigned most = 0;
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        char path[2 * PATH_MAX];
        snprintf(path, sizeof path, "%s/../allocation/%s/%s", devices_path, kind,
                 profiles[i].profile);
        if (!kernel_file_exists(path))
            continue;
        most = profiles[i].copies > most ? profiles[i].copies : most;
        *has_parity |= profiles[i].is_parity;
    }
    return most;
}

/*
 * Adds the devices that a filesystem was made on, as devices of the kind that *kind describes.
 * Returns false when there are none, or when some of them cannot be found.
 */
static bool add_filesystem(struct device_set *d, const struct mount_info *p,
                           const struct device *kind)
{
    struct device new = *kind;
    char path[PATH_MAX];
    if (strcmp(p->filesystem, "btrfs") == 0 && find_btrfs(p, path)) {
        int count = add_all(d, path, kind);
        bool has_parity = false;
        if (kind->leaf || count <= 0) /* below a loop, whose bytes are counted once */
            return count > 0;
        d->copies.data = find_copies(path, "data", &has_parity);
        d->copies.metadata = find_copies(path, "metadata", &has_parity);
        d->copies.stripe = has_parity ? (unsigned)count : 0;
        return true;
    }
    /* A bcachefs has the device number of one of its devices, however many it has. */
    if (p->major == 0 || strcmp(p->filesystem, "bcachefs") == 0)
        return false;
    new.major = p->major;
    new.minor = p->minor;
    return add_device(d, new);
}

/* Adds the devices that a loop device's file is on, or the device that it is. */
static void find_below_loop(struct device_set *d, struct device *loop)
{
    const struct device below = {.top = loop->top, .leaf = true};
    struct device device = below;
    struct mount_info mount = {.root = d->root};
    char file[PATH_MAX];
    char path[PATH_MAX];
    char text[32];
    if (!device_fact(d, loop, "loop/backing_file", file, sizeof file))
        return;
    loop->is_cached = !device_fact(d, loop, "loop/dio", text, sizeof text) || *text == '0';
    mount_info_of_path(&mount, file);
    for (unsigned i = 0; i < OVERLAYS_MOST && *mount.upper_layer; i++) {
        snprintf(file, sizeof file, "%s", mount.upper_layer);
        mount_info_of_path(&mount, file);
    }
    snprintf(loop->below, sizeof loop->below, "%s", mount.filesystem);
    const char *name = strrchr(file, '/');
    if (snprintf(path, sizeof path, "%s/sys/class/block%s/dev", d->root, name ? name : "") <
            (int)sizeof path &&
        strcmp(mount.filesystem, "devtmpfs") == 0 && kernel_file_text(path, text, sizeof text) &&
        device_parse_number(text, &device.major, &device.minor))
        loop->stacked = add_device(d, device);
    else
        loop->stacked = add_filesystem(d, &mount, &below);
}

/*
 * Adds the devices below a device: the members of a volume or RAID, or the disk of a partition. If
 * one cannot be found, only the busiest device is less certain.
 */
static void find_below(struct device_set *d, unsigned index)
{
    char path[PATH_MAX];
    char text[32];
    struct device *device = &d->devices[index];
    device_fact(d, device, "queue/iostats", text, sizeof text);
    device->counts = strcmp(text, "0") != 0 && strncmp(device->name, "pmem", strlen("pmem")) != 0;
    path_of(d, device, "slaves", path);
    const struct device slave = {.top = device->top, .leaf = true};
    device->stacked = add_all(d, path, &slave) > 0;
    if (!device->stacked)
        find_below_loop(d, device);
    if (device->stacked)
        device->leaf = false;

    path_of(d, device, "partition", path);
    bool is_partition = kernel_file_exists(path);
    device->is_drive = !device->stacked && !is_partition;
    if (!is_partition)
        return;
    struct device disk = {.top = device->top, .has_parts = true};
    device->is_part = device_fact(d, device, "../dev", text, sizeof text) && /* above the target */
                      device_parse_number(text, &disk.major, &disk.minor) && add_device(d, disk);
}

/* ---- their name ---- */

/* Appends to the name of the set. A name that does not fit ends in dots. */
static void append_to_name(struct device_set *d, const char *before, const char *text)
{
    size_t used = strlen(d->name);
    size_t room = sizeof d->name - used;
    if ((size_t)snprintf(d->name + used, room, "%s%s", before, text) >= room)
        strcpy(d->name + sizeof d->name - sizeof "...", "...");
}

static void make_name(struct device_set *d)
{
    for (unsigned i = 0; i < d->filesystem; i++) {
        append_to_name(d, i == 0 ? "" : ", ", d->devices[i].name);
        bool any = false;
        for (unsigned k = d->filesystem; k < d->count; k++) {
            if (d->devices[k].top != i || !d->devices[k].leaf)
                continue;
            append_to_name(d, any ? ", " : " (", d->devices[k].name);
            any = true;
        }
        if (any)
            append_to_name(d, ")", "");
    }
}

void device_find(struct device_set *d, const struct mount_info *p)
{
    *d = (struct device_set){.root = p->root};
    const struct device top = {0};
    if (!add_filesystem(d, p, &top)) {
        /* an incomplete set would be worse than none, because bytes would be missing */
        d->count = 0;
        return;
    }
    d->filesystem = d->count;
    for (unsigned i = 0; i < d->filesystem; i++)
        d->devices[i].top = i;
    for (unsigned i = 0; i < d->count; i++) /* adds devices until nothing lies below the last one */
        find_below(d, i);
    make_name(d);
}

/* ---- what they are ---- */

void device_models(const struct device_set *d, char models[static DEVICE_MODELS])
{
    *models = '\0';
    for (unsigned i = 0; i < d->count; i++) {
        char text[DEVICE_MODELS];
        if (d->devices[i].stacked ||
            !device_fact(d, &d->devices[i], "device/model", text, sizeof text) || !*text)
            continue;
        size_t length = strlen(models);
        if (length + strlen(text) + sizeof ", " <= DEVICE_MODELS)
            snprintf(models + length, DEVICE_MODELS - length, "%s%s", length > 0 ? ", " : "", text);
    }
}

/* ---- their counters ---- */

bool device_stat(const struct device_set *d, const struct device *device, struct device_stat *s)
{
    char text[STAT_TEXT];
    *s = (struct device_stat){.knows_flushes = false};
    device_fact(d, device, "stat", text, sizeof text);
    int fields = sscanf(text,
                        "%" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64
                        " %*u %*u %" SCNu64 " %" SCNu64 " %*u %*u %*u %*u %" SCNu64,
                        &s->reads, &s->read_bytes, &s->writes, &s->written_bytes, &s->busy_ms,
                        &s->queue_ms, &s->flushes);
    s->read_bytes *= SECTOR_BYTES;
    s->written_bytes *= SECTOR_BYTES;
    s->knows_flushes = fields == 7;
    return fields >= 6;
}

void device_read(const struct device_set *d, struct device_counters *now)
{
    unsigned lowest = 0;
    *now =
        (struct device_counters){.known = d->count > 0, .knows_stores = true, .copies = d->copies};
    for (unsigned i = 0; i < d->count && now->known; i++) {
        const struct device *device = &d->devices[i];
        struct device_stat s;
        now->known = device_stat(d, device, &s);
        if (!now->known)
            return;
        /* a mounted device that has counted nothing counts nothing: a multipath head before 6.3 */
        if (device->is_drive || i < d->filesystem)
            now->knows_stores = now->knows_stores && device->counts && s.reads + s.writes > 0;
        uint64_t bytes = s.read_bytes + s.written_bytes;
        now->busy_ns[i] = s.busy_ms * MILLION;
        now->part_bytes += device->is_part ? bytes : 0;
        now->disk_bytes += device->has_parts ? bytes : 0;
        if (!device->stacked && !device->has_parts) {
            lowest++;
            now->lowest_busy_ns += now->busy_ns[i];
            now->queue_ns += s.queue_ms * MILLION;
        }
        if (device->is_drive) {
            now->drive_read_bytes += s.read_bytes;
            now->drive_written_bytes += s.written_bytes;
            now->knows_stores = now->knows_stores && s.knows_flushes;
            now->drive_stores += s.knows_flushes ? s.writes + s.flushes : 0;
        }
        if (i >= d->filesystem)
            continue;
        now->read_ops += s.reads;
        now->write_ops += s.writes;
        now->read_bytes += s.read_bytes;
        now->written_bytes += s.written_bytes;
    }
    now->lowest_busy_ns /= lowest > 0 ? lowest : 1;
}

static uint64_t grown(uint64_t now, uint64_t before, bool *known)
{
    *known = *known && now >= before;
    return now - before;
}

struct device_counters device_since(const struct device_counters *now,
                                    const struct device_counters *before)
{
    struct device_counters d = {.known = now->known && before->known, .copies = now->copies};
    d.read_bytes = grown(now->read_bytes, before->read_bytes, &d.known);
    d.written_bytes = grown(now->written_bytes, before->written_bytes, &d.known);
    d.read_ops = grown(now->read_ops, before->read_ops, &d.known);
    d.write_ops = grown(now->write_ops, before->write_ops, &d.known);
    d.drive_read_bytes = grown(now->drive_read_bytes, before->drive_read_bytes, &d.known);
    d.drive_written_bytes = grown(now->drive_written_bytes, before->drive_written_bytes, &d.known);
    d.knows_stores = now->knows_stores && before->knows_stores;
    d.drive_stores = grown(now->drive_stores, before->drive_stores, &d.known);
    d.disk_bytes = grown(now->disk_bytes, before->disk_bytes, &d.known);
    d.part_bytes = grown(now->part_bytes, before->part_bytes, &d.known);
    d.queue_ns = now->queue_ns > before->queue_ns ? now->queue_ns - before->queue_ns : 0;
    d.lowest_busy_ns = grown(now->lowest_busy_ns, before->lowest_busy_ns, &d.known);
    for (unsigned i = 0; i < DEVICE_MOST; i++)
        d.busy_ns[i] = grown(now->busy_ns[i], before->busy_ns[i], &d.known);
    return d.known ? d : (struct device_counters){0};
}

void device_add(struct device_counters *sum, const struct device_counters *part)
{
    sum->known = sum->known && part->known;
    sum->read_bytes += part->read_bytes;
    sum->written_bytes += part->written_bytes;
    sum->read_ops += part->read_ops;
    sum->write_ops += part->write_ops;
    sum->drive_read_bytes += part->drive_read_bytes;
    sum->drive_written_bytes += part->drive_written_bytes;
    sum->knows_stores = sum->knows_stores && part->knows_stores;
    sum->drive_stores += part->drive_stores;
    sum->disk_bytes += part->disk_bytes;
    sum->part_bytes += part->part_bytes;
    sum->queue_ns += part->queue_ns;
    sum->lowest_busy_ns += part->lowest_busy_ns;
    for (unsigned i = 0; i < DEVICE_MOST; i++)
        sum->busy_ns[i] += part->busy_ns[i];
}

double device_busy_percent(const struct device_counters *spent, uint64_t elapsed_ns)
{
    uint64_t busiest = 0;
    for (unsigned i = 0; i < DEVICE_MOST; i++)
        busiest = spent->busy_ns[i] > busiest ? spent->busy_ns[i] : busiest;
    double percent = elapsed_ns > 0 ? 100.0 * (double)busiest / (double)elapsed_ns : 0;
    return percent < 100 ? percent : 100; /* the counters grow in steps */
}
