#include "boncut/header.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "boncut/log_line.h"
#include "boncut/methods/method.h"
#include "measure/device.h"
#include "measure/mount_info.h"
#include "sys/host.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/units.h"

#define FORMAT "boncut-log "
#define LATEST 2

/*
 * Key of the header's checksum. It is a constant, because a reader learns the run's number only
 * from the header.
 */
#define HEADER_KEY 0

uint32_t header_units_of_worker(const struct header *h, unsigned method)
{
    return methods[method].is_control ? 1 : h->units + methods[method].tails;
}

uint32_t header_units(const struct header *h, unsigned method)
{
    return methods[method].is_control ? 1 : h->workers * header_units_of_worker(h, method);
}

static void read_boot_id(char text[HEADER_TEXT])
{
    int fd = kernel_file_open("/proc/sys/kernel/random/boot_id", O_RDONLY);
    ssize_t length = fd >= 0 ? read(fd, text, HEADER_TEXT - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

/* The beginning of the kernel's struct statx, of which C libraries may have an older one. */
struct statx_facts {
    uint32_t mask;
    uint32_t unused[7];
    uint64_t inode;
    uint64_t unused_sizes[5];
    int64_t birth_seconds;
    uint32_t birth_nanoseconds;
    uint32_t unused_times[13];
    uint64_t mount_id;
    uint64_t unused_alignment;
    uint64_t subvolume;
    uint64_t rest[11];
};
_Static_assert(sizeof(struct statx_facts) == 256, "the size of struct statx");

#define STATX_FACTS_UNIQUE_MOUNT 0x4000U /* since Linux 6.8 */
#define STATX_FACTS_SUBVOLUME    0x8000U /* since Linux 6.10 */

/*
 * A directory has the same inode number and time of birth after a power cut; the root directories
 * of all subvolumes of a btrfs have the same number.
 */
static void describe_directory(struct header *h, int fd)
{
    struct statx_facts facts = {0};
    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH,
                STATX_BASIC_STATS | STATX_BTIME | STATX_FACTS_UNIQUE_MOUNT | STATX_FACTS_SUBVOLUME,
                &facts) != 0)
        return;
    if (facts.mask & STATX_INO)
        snprintf(h->parent, sizeof h->parent, "%" PRIu64 ":%" PRId64 ".%09" PRIu32 ":%" PRIu64,
                 facts.inode, facts.birth_seconds, facts.birth_nanoseconds, facts.subvolume);
    h->mount_id = facts.mask & STATX_FACTS_UNIQUE_MOUNT ? facts.mount_id : 0;
}

/*
 * The kernel makes a directory in sysfs for each superblock of these filesystems, and never gives
 * one of a later superblock the same inode number.
 */
static uint64_t superblock_of(const struct mount_info *mount)
{
    char path[PATH_MAX];
    char target[PATH_MAX];
    struct stat st;
    const char *name = mount->uuid; /* of a btrfs */
    if (strcmp(mount->filesystem, "btrfs") != 0) {
        snprintf(path, sizeof path, "/sys/dev/block/%u:%u", mount->major, mount->minor);
        if (!kernel_file_link(path, target, sizeof target))
            return 0;
        const char *slash = strrchr(target, '/');
        name = slash ? slash + 1 : target;
    }
    if (snprintf(path, sizeof path, "/sys/fs/%s/%s", mount->filesystem, name) >= (int)sizeof path)
        return 0;
    int fd = kernel_file_open(path, O_RDONLY | O_DIRECTORY);
    uint64_t inode = fd >= 0 && fstat(fd, &st) == 0 ? st.st_ino : 0;
    descriptor_close(&fd);
    return inode;
}

void header_describe_place(struct header *h, int directory_fd)
{
    struct mount_info mount = {.root = ""};
    struct device_set devices;
    struct host host;
    mount_info_find(&mount, directory_fd);
    device_find(&devices, &mount);
    host_detect(&host);
    snprintf(h->device, sizeof h->device, "%s", devices.name);
    snprintf(h->filesystem, sizeof h->filesystem, "%s", mount.filesystem);
    snprintf(h->options, sizeof h->options, "%s", mount.options);
    snprintf(h->kernel, sizeof h->kernel, "%s", host.kernel);
    snprintf(h->uuid, sizeof h->uuid, "%s", mount.uuid);
    read_boot_id(h->boot_id);
    describe_directory(h, directory_fd);
    h->superblock = superblock_of(&mount);
}

bool header_is_same_mount(const struct header *before, const struct header *now)
{
    if (!*now->boot_id || strcmp(before->boot_id, now->boot_id) != 0)
        return false;
    if (before->superblock && now->superblock)
        return before->superblock == now->superblock;
    return !before->mount_id || !now->mount_id || before->mount_id == now->mount_id;
}

/* ---- writing --------------------------------------------------------------------------------- */

struct text {
    char *to;
    size_t length;
};

static void put_word(struct text *t, const char *key, const char *value)
{
    t->length += (size_t)sprintf(t->to + t->length, " %s=", key);
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        if (c > ' ' && c < 127 && c != '%')
            t->to[t->length++] = *value;
        else
            t->length += (size_t)sprintf(t->to + t->length, "%%%02x", c);
    }
}

static void put_number(struct text *t, const char *key, uint64_t number)
{
    t->length += (size_t)sprintf(t->to + t->length, " %s=%" PRIu64, key, number);
}

static void put_methods(struct text *t, unsigned used)
{
    char names[HEADER_TEXT] = "";
    for (unsigned i = 0; i < method_count; i++) {
        if (!(used & 1U << i))
            continue;
        if (*names)
            strcat(names, ",");
        strcat(names, methods[i].name);
    }
    put_word(t, "methods", names);
}

size_t header_format(char text[static HEADER_LINE_MOST], const struct header *h)
{
    struct text t = {.to = text, .length = (size_t)sprintf(text, FORMAT "%d", LATEST)};
    put_number(&t, "seed", h->seed);
    put_number(&t, "run", h->run);
    put_number(&t, "block", h->block_bytes);
    put_number(&t, "units", h->units);
    put_number(&t, "workers", h->workers);
    put_methods(&t, h->methods);
    put_word(&t, "directory", h->directory);
    put_word(&t, "device", h->device);
    put_word(&t, "filesystem", h->filesystem);
    put_word(&t, "options", h->options);
    put_word(&t, "boot", h->boot_id);
    put_word(&t, "kernel", h->kernel);
    put_number(&t, "mount", h->mount_id);
    put_number(&t, "time", (uint64_t)h->time);
    put_word(&t, "uuid", h->uuid);
    put_word(&t, "parent", h->parent);
    put_number(&t, "superblock", h->superblock);
    put_number(&t, "in_place", h->drive_is_in_place);
    t.length = log_checksum_append(text, t.length, HEADER_KEY);
    text[t.length] = '\n';
    return t.length + 1;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads " KEY=" and the word after it, and moves *text past them: the reverse of put_word(). */
static bool take_word(const char **text, const char *end, const char *key,
                      char value[static HEADER_TEXT])
{
    size_t length = strlen(key);
    size_t used = 0;
    const char *at = *text;
    if ((size_t)(end - at) < length + 2 || *at != ' ' || memcmp(at + 1, key, length) != 0 ||
        at[length + 1] != '=')
        return false;
    for (at += length + 2; at < end && *at != ' '; at++) {
        unsigned byte = (unsigned char)*at;
        if (byte == '%') {
            if (end - at < 3 || sscanf(at, "%%%2x", &byte) != 1 || byte == 0)
                return false;
            at += 2;
        }
        if (used == HEADER_TEXT - 1)
            return false;
        value[used++] = (char)byte;
    }
    value[used] = '\0';
    *text = at;
    return true;
}

static bool take_number(const char **text, const char *end, const char *key, uint64_t least,
                        uint64_t most, uint64_t *number)
{
    char value[HEADER_TEXT];
    return take_word(text, end, key, value) && units_parse_count(value, number) == 0 &&
           *number >= least && *number <= most;
}

static bool take_methods(const char **text, const char *end, unsigned *used)
{
    char names[HEADER_TEXT];
    unsigned method;
    if (!take_word(text, end, "methods", names))
        return false;
    *used = 0;
    for (const char *name = names; *name;) {
        size_t length = strcspn(name, ",");
        if (!method_find(name, length, &method))
            return false;
        *used |= 1U << method;
        name += length + (name[length] == ',');
    }
    return true;
}

static bool take_all(struct header *h, const char *text, const char *end)
{
    char directory[HEADER_TEXT];
    uint64_t block, units, workers, time;
    uint64_t in_place = 0;
    int version = *text++ - '0';
    if (version < 1 || version > LATEST)
        return false;
    if (!take_number(&text, end, "seed", 0, UINT64_MAX, &h->seed) ||
        !take_number(&text, end, "run", 0, UINT64_MAX, &h->run) ||
        !take_number(&text, end, "block", HEADER_BLOCK_LEAST, HEADER_BLOCK_MOST, &block) ||
        !take_number(&text, end, "units", 1, HEADER_UNITS_MOST, &units) ||
        !take_number(&text, end, "workers", 1, HEADER_WORKERS_MOST, &workers) ||
        !take_methods(&text, end, &h->methods) || !take_word(&text, end, "directory", directory) ||
        !take_word(&text, end, "device", h->device) ||
        !take_word(&text, end, "filesystem", h->filesystem) ||
        !take_word(&text, end, "options", h->options) ||
        !take_word(&text, end, "boot", h->boot_id) || !take_word(&text, end, "kernel", h->kernel) ||
        !take_number(&text, end, "mount", 0, UINT64_MAX, &h->mount_id) ||
        !take_number(&text, end, "time", 0, INT64_MAX, &time))
        return false;
    if (version == 1)
        h->mount_id = 0; /* one that is used again after an unmount */
    else if (!take_word(&text, end, "uuid", h->uuid) ||
             !take_word(&text, end, "parent", h->parent) ||
             !take_number(&text, end, "superblock", 0, UINT64_MAX, &h->superblock) ||
             !take_number(&text, end, "in_place", 0, 1, &in_place))
        return false;
    h->block_bytes = (uint32_t)block;
    h->units = (uint32_t)units;
    h->workers = (unsigned)workers;
    h->time = (int64_t)time;
    h->drive_is_in_place = in_place;
    snprintf(h->directory, sizeof h->directory, "%.*s", PRIVATE_NAME_SIZE - 1, directory);
    return text == end && block % HEADER_BLOCK_LEAST == 0 && units * workers <= HEADER_UNITS_MOST &&
           is_private_name(h->directory);
}

int header_parse(struct header *h, const char *text, size_t length, struct err *e)
{
    size_t format = strlen(FORMAT);
    *h = (struct header){0};
    if (length <= format || memcmp(text, FORMAT, format) != 0)
        return err_say(e, "standard input is not a log of boncut: it does not begin with \"%s%d\"",
                       FORMAT, LATEST);
    if (!log_checksum_is_right(text, &length, HEADER_KEY))
        return err_say(e, "the first line of the log is damaged: its checksum is wrong");
    if (!take_all(h, text + format, text + length))
        return err_say(e, "the first line of the log is not one that this version can read");
    return 0;
}
