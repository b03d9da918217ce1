// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/device.h"

#include <glob.h>

#include "util/kernel_file.h"
#include "util/units.h"

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

bool device_is_virtual(const struct device_set *devices, const struct device *device)
{
    /* names of drivers and of models */
    static const char *const names[] = {"vd",      "xvd",    "loop",           "nbd",    "zram",
                                        "ram",     "rbd",    "QEMU",           "VBOX",   "VMware",
                                        "Virtual", "Amazon", "PersistentDisk", "Google", "MSFT"};
    char model[64];
    bool is_virtual = false;
    device_fact(devices, device, "device/model", model, sizeof model);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        is_virtual |= strncmp(device->name, names[i], strlen(names[i])) == 0 ||
                      strncmp(model, names[i], strlen(names[i])) == 0;
    return is_virtual;
}

bool device_parse_number(const char *text, unsigned *major, unsigned *minor)
{
    return sscanf(text, "%u:%u", major, minor) == 2;
}

bool device_set_has(const struct device_set *d, unsigned major, unsigned minor)
{
    for (unsigned i = 0; i < d->count; i++)
        if (d->devices[i].major == major && d->devices[i].minor == minor)
            return true;
    return false;
}

/* Adds the device `new`, unless the set has its number. Returns false when that is impossible. */
static bool add_device(struct device_set *d, struct device new)
{
    if (device_set_has(d, new.major, new.minor))
        return true;
    char path[PATH_MAX], target[PATH_MAX];
    path_of(d, &new, "", path);
    if (d->count == MAX_DEVICES || !kernel_file_link(path, target, sizeof target))
        return false;
    const char *slash = strrchr(target, '/'); /* the link's target ends in the kernel's name */
    snprintf(new.name, sizeof new.name, "%.*s", DEVICE_NAME - 1, slash ? slash + 1 : target);
    d->devices[d->count++] = new;
    return true;
}

/* Adds the devices to which a directory of sysfs has links, as devices of the kind that *kind
 * describes, sorted by name, so that all runs give the set the same name. Returns their number, or
 * -1 when a device cannot be added. */
static int add_all(struct device_set *d, const char *directory, const struct device *kind)
{
    glob_t links;
    char path[PATH_MAX], text[32];
    bool complete = snprintf(path, sizeof path, "%s/*", directory) < PATH_MAX;
    if (glob(path, 0, NULL, &links) != 0)
        return 0;
    for (size_t i = 0; i < links.gl_pathc; i++) {
        struct device new = *kind;
        complete &= snprintf(path, sizeof path, "%s/dev", links.gl_pathv[i]) < PATH_MAX &&
                    kernel_file_text(path, text, sizeof text) &&
                    device_parse_number(text, &new.major, &new.minor) && add_device(d, new);
    }
    int count = complete ? (int)links.gl_pathc : -1;
    globfree(&links);
    return count;
}

/* Finds the directory of a btrfs in sysfs; if its UUID is not known, by the mounted device. */
static bool find_btrfs(const struct mount_info *p, char uuid[static 37])
{
    glob_t found;
    char path[PATH_MAX];
    const char *device = strrchr(p->source, '/');
    strcpy(uuid, p->uuid);
    snprintf(path, sizeof path, "%s/sys/fs/btrfs/*/devices%s", p->root, device ? device : "");
    if (!*uuid && device && glob(path, 0, NULL, &found) == 0) {
        sscanf(found.gl_pathv[0] + strlen(p->root), "/sys/fs/btrfs/%36[^/]", uuid);
        globfree(&found);
    }
    return *uuid;
}

/* Adds the devices that a filesystem was made on, as devices of the kind that *kind describes.
 * Returns false when there are none, or when some of them cannot be found. */
static bool add_filesystem(struct device_set *d, const struct mount_info *p,
                           const struct device *kind)
{
    /* the further copies that a btrfs makes, by the profiles that are in use */
    static const struct {
        const char *profile;
        unsigned copies;
        bool is_parity;
    } profiles[] = {{"dup", 1, false},     {"raid1", 1, false}, {"raid10", 1, false},
                    {"raid1c3", 2, false}, {"raid5", 1, true},  {"raid6", 2, true},
                    {"raid1c4", 3, false}};
    char path[PATH_MAX], uuid[sizeof p->uuid];
    if (strcmp(p->filesystem, "btrfs") == 0 && find_btrfs(p, uuid)) {
        snprintf(path, sizeof path, "%s/sys/fs/btrfs/%s/devices", p->root, uuid);
        int count = add_all(d, path, kind);
        if (kind->leaf || count <= 0) /* below a loop, whose bytes are counted once */
            return count > 0;
        for (size_t i = 0; i < 2 * COUNT_OF(profiles); i++) {
            bool is_data = i % 2 == 0;
            unsigned *most = is_data ? &d->copies.data : &d->copies.metadata;
            snprintf(path, sizeof path, "%s/sys/fs/btrfs/%s/allocation/%s/%s", p->root, uuid,
                     is_data ? "data" : "metadata", profiles[i / 2].profile);
            if (!kernel_file_exists(path))
                continue;
            *most = MAX(*most, profiles[i / 2].copies);
            d->copies.stripe = profiles[i / 2].is_parity ? (unsigned)count : d->copies.stripe;
        }
        return true;
    }
    /* A bcachefs has the device number of one of its devices, however many it has. */
    if (p->major == 0 || strcmp(p->filesystem, "bcachefs") == 0)
        return false;
    struct device new = *kind;
    new.major = p->major;
    new.minor = p->minor;
    return add_device(d, new);
}

static void find_below_loop(struct device_set *d, struct device *loop)
{
    const struct device below = {.top = loop->top, .leaf = true};
    struct device device = below;
    struct mount_info mount = {.root = d->root};
    char file[PATH_MAX], path[PATH_MAX], text[32];
    if (!device_fact(d, loop, "loop/backing_file", file, sizeof file))
        return;
    loop->is_cached = !device_fact(d, loop, "loop/dio", text, sizeof text) || *text == '0';
    mount_info_of_path(&mount, file);
    for (unsigned i = 0; i < MAX_OVERLAYS && *mount.upper_layer; i++) {
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

/* Appends to a list. One that does not fit ends in dots. */
static void append(char *list, size_t size, const char *before, const char *text)
{
    size_t used = strlen(list);
    if ((size_t)snprintf(list + used, size - used, "%s%s", before, text) >= size - used)
        strcpy(list + size - sizeof "...", "...");
}

void device_find(struct device_set *d, const struct mount_info *p)
{
    *d = (struct device_set){.root = p->root};
    if (!add_filesystem(d, p, &(struct device){0})) {
        d->count = 0; /* an incomplete set would be worse: bytes would be missing */
        return;
    }
    d->filesystem = d->count;
    for (unsigned i = 0; i < d->filesystem; i++)
        d->devices[i].top = i;
    /* Adds what is below each device: the members of a volume or RAID, or the disk of a partition.
     * If one cannot be found, only the busiest device is less certain. */
    for (unsigned i = 0; i < d->count; i++) {
        char path[PATH_MAX], text[32];
        struct device *device = &d->devices[i];
        device_fact(d, device, "queue/iostats", text, sizeof text);
        device->counts =
            strcmp(text, "0") != 0 && strncmp(device->name, "pmem", strlen("pmem")) != 0;
        path_of(d, device, "slaves", path);
        device->stacked = add_all(d, path, &(struct device){.top = device->top, .leaf = true}) > 0;
        if (!device->stacked)
            find_below_loop(d, device);
        device->leaf = device->leaf && !device->stacked;
        path_of(d, device, "partition", path);
        bool is_partition = kernel_file_exists(path);
        device->is_drive = !device->stacked && !is_partition;
        struct device disk = {.top = device->top, .has_parts = true};
        device->is_part =
            is_partition && device_fact(d, device, "../dev", text, sizeof text) && /* of the disk */
            device_parse_number(text, &disk.major, &disk.minor) && add_device(d, disk);
    }
    for (unsigned i = 0; i < d->filesystem; i++) { /* the name: "dm-0 (nvme0n1, nvme1n1)" */
        bool any = false;
        append(d->name, sizeof d->name, i == 0 ? "" : ", ", d->devices[i].name);
        for (unsigned k = d->filesystem; k < d->count; k++) {
            if (d->devices[k].top != i || !d->devices[k].leaf)
                continue;
            append(d->name, sizeof d->name, any ? ", " : " (", d->devices[k].name);
            any = true;
        }
        append(d->name, sizeof d->name, any ? ")" : "", "");
    }
}

void device_models(const struct device_set *d, char models[static DEVICE_MODELS])
{
    *models = '\0';
    for (unsigned i = 0; i < d->count; i++) {
        char text[DEVICE_MODELS];
        if (!d->devices[i].stacked &&
            device_fact(d, &d->devices[i], "device/model", text, sizeof text) && *text)
            append(models, DEVICE_MODELS, *models ? ", " : "", text);
    }
}

bool device_stat(const struct device_set *d, const struct device *device, struct device_stat *s)
{
    char text[512]; /* 17 numbers of up to 20 digits */
    *s = (struct device_stat){.knows_flushes = false};
    device_fact(d, device, "stat", text, sizeof text);
    int fields = sscanf(text,
                        "%" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64
                        " %*u %*u %" SCNu64 " %" SCNu64 " %*u %*u %*u %*u %" SCNu64,
                        &s->reads, &s->read_bytes, &s->writes, &s->written_bytes, &s->busy_ms,
                        &s->queue_ms, &s->flushes);
    s->read_bytes *= 512; /* which is the unit, whatever the device's own sectors are */
    s->written_bytes *= 512;
    s->knows_flushes = fields == 7;
    return fields >= 6;
}

void device_read(const struct device_set *d, struct device_counters *now)
{
    unsigned lowest = 0;
    *now =
        (struct device_counters){.known = d->count > 0, .knows_stores = true, .copies = d->copies};
    for (unsigned i = 0; i < d->count; i++) {
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
            /* a loop device whose file is in memory stores nothing */
            if (s.knows_flushes && !filesystem_is_memory(device->below))
                now->drive_stores += s.writes + s.flushes;
        }
        if (i < d->filesystem) {
            now->read_ops += s.reads;
            now->write_ops += s.writes;
            now->read_bytes += s.read_bytes;
            now->written_bytes += s.written_bytes;
        }
    }
    now->lowest_busy_ns /= lowest > 0 ? lowest : 1;
}

_Static_assert(sizeof(struct device_counters) ==
                   offsetof(struct device_counters, sums) + DEVICE_SUMS * sizeof(uint64_t),
               "sums[] has all counters");

struct device_counters device_since(const struct device_counters *now,
                                    const struct device_counters *before)
{
    struct device_counters d = *now;
    d.known = now->known && before->known;
    d.knows_stores = now->knows_stores && before->knows_stores;
    for (unsigned i = 0; i < DEVICE_SUMS; i++) {
        d.sums[i] -= before->sums[i];
        d.known = d.known && (now->sums[i] >= before->sums[i] || &d.sums[i] == &d.queue_ns);
    }
    d.queue_ns = now->queue_ns > before->queue_ns ? d.queue_ns : 0; /* the kernel estimates it */
    return d.known ? d : (struct device_counters){0};
}

void device_add(struct device_counters *sum, const struct device_counters *part)
{
    sum->known = sum->known && part->known;
    sum->knows_stores = sum->knows_stores && part->knows_stores;
    for (unsigned i = 0; i < DEVICE_SUMS; i++)
        sum->sums[i] += part->sums[i];
}

double device_busy_percent(const struct device_counters *spent, uint64_t elapsed_ns)
{
    uint64_t busiest = 0;
    for (unsigned i = 0; i < MAX_DEVICES; i++)
        busiest = MAX(spent->busy_ns[i], busiest);
    double percent = elapsed_ns > 0 ? 100.0 * (double)busiest / (double)elapsed_ns : 0;
    return MIN(percent, 100); /* the counters grow in steps */
}
