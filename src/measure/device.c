#include "measure/device.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTOR_BYTES 512 /* of the counters, whatever the device's own are: stat.rst */
#define NS_PER_MS    1000000
#define STAT_TEXT    512 /* 17 numbers of up to 20 digits */

/* ---- the tree of /sys ---- */

/* The path of what sysfs keeps of a device; a symbolic link, but for what follows it. */
static void path_of(const struct device_set *d, const struct device *device, const char *what,
                    char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/sys/dev/block/%u:%u%s", d->root, device->major, device->minor,
             what);
}

/* Reads the text of a file of sysfs, cut at the room for it. */
static bool read_text(const char *path, char *text, size_t size)
{
    FILE *in = fopen(path, "re");
    if (!in)
        return false;
    size_t length = fread(text, 1, size - 1, in);
    text[length] = '\0';
    fclose(in);
    return length > 0;
}

bool device_parse_number(const char *text, unsigned *major, unsigned *minor)
{
    return sscanf(text, "%u:%u", major, minor) == 2;
}

static bool read_number(const char *path, struct device *device)
{
    char text[32];
    return read_text(path, text, sizeof text) &&
           device_parse_number(text, &device->major, &device->minor);
}

/* The kernel's name of a device is the last part of where the link by its number points to. */
static bool read_name(const struct device_set *d, struct device *device)
{
    char path[PATH_MAX];
    char target[PATH_MAX];
    path_of(d, device, "", path);
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0)
        return false;
    target[length] = '\0';
    const char *slash = strrchr(target, '/');
    snprintf(device->name, sizeof device->name, "%.*s", DEVICE_NAME - 1,
             slash ? slash + 1 : target);
    return true;
}

static bool is_there(const struct device_set *d, const struct device *new)
{
    for (unsigned i = 0; i < d->count; i++)
        if (d->devices[i].major == new->major && d->devices[i].minor == new->minor)
            return true;
    return false;
}

/* Adds the device of new's number and kind, once. False when that cannot be. */
static bool add(struct device_set *d, struct device new)
{
    if (is_there(d, &new))
        return true;
    if (d->count == DEVICE_MOST || !read_name(d, &new))
        return false;
    d->devices[d->count++] = new;
    return true;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/*
 * Adds the devices that a directory of sysfs has links to, as what `kind` says, in the order of
 * their names: several runs give the same name. Returns how many there are, or -1 when one of them
 * could not be added or the directory could not be read.
 */
static int add_all(struct device_set *d, const char *directory, const struct device *kind)
{
    struct dirent **links;
    int count = scandir(directory, &links, is_visible, alphasort);
    bool complete = count >= 0;
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        struct device new = *kind;
        int length = snprintf(path, sizeof path, "%s/%s/dev", directory, links[i]->d_name);
        complete &= length < PATH_MAX && read_number(path, &new) && add(d, new);
        free(links[i]);
    }
    if (count >= 0)
        free(links);
    return complete ? count : -1;
}

/* ---- finding the devices ---- */

/* Adds those that the filesystem is on. False when there are none or not all of them were found. */
static bool find_top(struct device_set *d, const struct mount_info *p)
{
    const struct device top = {0};
    if (p->btrfs_uuid[0] != '\0') {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/sys/fs/btrfs/%s/devices", p->root, p->btrfs_uuid);
        return add_all(d, path, &top) > 0;
    }
    /* The number of a bcachefs is that of one of its devices, however many it has. */
    if (p->major == 0 || strcmp(p->filesystem, "bcachefs") == 0)
        return false;
    return add(d, (struct device){.major = p->major, .minor = p->minor});
}

/* Adds what the device stands on: the slaves of a volume or RAID, or the disk of a partition. One
 * that is missing only makes the busiest device a little less sure. */
static void find_below(struct device_set *d, unsigned index)
{
    char path[PATH_MAX];
    struct device *device = &d->devices[index];
    path_of(d, device, "/slaves", path);
    const struct device slave = {.top = device->top, .leaf = true};
    device->stacked = add_all(d, path, &slave) > 0;
    if (device->stacked)
        device->leaf = false;

    path_of(d, device, "/partition", path);
    if (access(path, F_OK) != 0)
        return;
    struct device disk = {.top = device->top};
    path_of(d, device, "/../dev", path); /* the parent of what the link points to */
    if (read_number(path, &disk))
        (void)add(d, disk);
}

/* ---- their name ---- */

/* Adds to the name; one that does not fit ends in dots. */
static void say(struct device_set *d, const char *before, const char *text)
{
    size_t used = strlen(d->name);
    size_t room = sizeof d->name - used;
    if ((size_t)snprintf(d->name + used, room, "%s%s", before, text) >= room)
        strcpy(d->name + sizeof d->name - sizeof "...", "...");
}

static void make_name(struct device_set *d)
{
    for (unsigned i = 0; i < d->filesystem; i++) {
        say(d, i == 0 ? "" : ", ", d->devices[i].name);
        bool any = false;
        for (unsigned k = d->filesystem; k < d->count; k++) {
            if (d->devices[k].top != i || !d->devices[k].leaf)
                continue;
            say(d, any ? ", " : " (", d->devices[k].name);
            any = true;
        }
        if (any)
            say(d, ")", "");
    }
}

void device_find(struct device_set *d, const struct mount_info *p)
{
    *d = (struct device_set){.root = p->root};
    if (!find_top(d, p)) {
        d->count = 0; /* some of them would be worse than none: bytes would be missing */
        return;
    }
    d->filesystem = d->count;
    for (unsigned i = 0; i < d->filesystem; i++)
        d->devices[i].top = i;
    for (unsigned i = 0; i < d->count; i++) /* grows on the way, until there is nothing below */
        find_below(d, i);
    make_name(d);
}

/* ---- what they are ---- */

/* Adds a fact to those of other devices, without blanks around it; what does not fit is left out.
 */
static void add_fact(char facts[DEVICE_FACT], const char *text, size_t length)
{
    size_t used = strlen(facts);
    while (length > 0 && strchr(" \t\n", *text)) {
        text++;
        length--;
    }
    while (length > 0 && strchr(" \t\n", text[length - 1]))
        length--;
    if (length > 0 && used + length + sizeof ", " <= DEVICE_FACT)
        snprintf(facts + used, DEVICE_FACT - used, "%s%.*s", used > 0 ? ", " : "", (int)length,
                 text);
}

/* The one in use is in brackets: "none [mq-deadline] kyber". */
static void add_scheduler(char facts[DEVICE_FACT], const char *text)
{
    const char *open = strchr(text, '[');
    if (open)
        add_fact(facts, open + 1, strcspn(open + 1, "]"));
}

void device_describe(const struct device_set *d, struct device_facts *facts)
{
    *facts = (struct device_facts){0};
    for (unsigned i = 0; i < d->count; i++) {
        const struct device *device = &d->devices[i];
        char path[PATH_MAX];
        char text[DEVICE_FACT];
        if (device->stacked)
            continue;
        path_of(d, device, "/device/model", path);
        if (read_text(path, text, sizeof text))
            add_fact(facts->model, text, strlen(text));
        path_of(d, device, "/queue/scheduler", path);
        if (read_text(path, text, sizeof text))
            add_scheduler(facts->scheduler, text);
    }
}

/* ---- their counters ---- */

bool device_parse_stat(const char *text, struct device_stat *s)
{
    return sscanf(
               text, "%" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64 " %*u %*u %" SCNu64,
               &s->read_ops, &s->read_sectors, &s->write_ops, &s->write_sectors, &s->busy_ms) == 5;
}

static bool read_stat(const struct device_set *d, const struct device *device,
                      struct device_stat *s)
{
    char path[PATH_MAX];
    char text[STAT_TEXT];
    path_of(d, device, "/stat", path);
    return read_text(path, text, sizeof text) && device_parse_stat(text, s);
}

void device_read(const struct device_set *d, struct device_counters *now)
{
    *now = (struct device_counters){.known = d->count > 0};
    for (unsigned i = 0; i < d->count && now->known; i++) {
        struct device_stat s;
        now->known = read_stat(d, &d->devices[i], &s);
        if (!now->known)
            return;
        now->busy_ns[i] = s.busy_ms * NS_PER_MS;
        if (i >= d->filesystem)
            continue;
        now->read_ops += s.read_ops;
        now->write_ops += s.write_ops;
        now->read_bytes += s.read_sectors * SECTOR_BYTES;
        now->written_bytes += s.write_sectors * SECTOR_BYTES;
    }
}

static bool grew(uint64_t before, uint64_t after, uint64_t *by)
{
    *by = after - before;
    return after >= before;
}

bool device_difference(const struct device_counters *before, const struct device_counters *after,
                       uint64_t elapsed_ns, struct device_use *use)
{
    *use = (struct device_use){0};
    if (!before->known || !after->known ||
        !grew(before->read_bytes, after->read_bytes, &use->read_bytes) ||
        !grew(before->written_bytes, after->written_bytes, &use->written_bytes) ||
        !grew(before->read_ops, after->read_ops, &use->read_ops) ||
        !grew(before->write_ops, after->write_ops, &use->write_ops))
        return false;
    uint64_t busiest = 0;
    for (unsigned i = 0; i < DEVICE_MOST; i++) {
        uint64_t busy;
        if (!grew(before->busy_ns[i], after->busy_ns[i], &busy))
            return false;
        busiest = busy > busiest ? busy : busiest;
    }
    if (elapsed_ns > 0)
        use->busy_percent = 100.0 * (double)busiest / (double)elapsed_ns;
    if (use->busy_percent > 100) /* the counter moves in steps */
        use->busy_percent = 100;
    use->known = true;
    return true;
}
