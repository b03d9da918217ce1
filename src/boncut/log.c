// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/log.h"

#include <endian.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boncut/methods/method.h"
#include "measure/device.h"
#include "measure/mount_info.h"
#include "sys/host.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/portable.h"
#include "util/rng.h"
#include "util/units.h"

/* Number of words of a line, and the length of its checksum: eight digits and a blank. */
#define LINE_WORDS          5
#define LOG_CHECKSUM_LENGTH 9

static uint32_t checksum(const char *text, size_t length, uint64_t key)
{
    uint64_t hash = rng_mix(key ^ length);
    for (; length >= sizeof hash; text += sizeof hash, length -= sizeof hash) {
        uint64_t word;
        memcpy(&word, text, sizeof word);
        hash = rng_mix(hash ^ le64toh(word));
    }
    uint64_t rest = 0;
    memcpy(&rest, text, length);
    return (uint32_t)(rng_mix(hash ^ le64toh(rest)) >> 32);
}

/* Stores a blank and the checksum of the text. */
static void put_checksum(char to[LOG_CHECKSUM_LENGTH], const char *text, size_t length,
                         uint64_t key)
{
    uint32_t sum = checksum(text, length, key);
    to[0] = ' ';
    for (int digit = 0; digit < 8; digit++)
        to[1 + digit] = "0123456789abcdef"[sum >> (28 - 4 * digit) & 15];
}

size_t log_checksum_append(char *text, size_t length, uint64_t key)
{
    put_checksum(text + length, text, length, key);
    return length + LOG_CHECKSUM_LENGTH;
}

/* Whether the text ends in its checksum. If so, *length becomes that of the text before both. */
static bool log_checksum_is_right(const char *text, size_t *length, uint64_t key)
{
    char right[LOG_CHECKSUM_LENGTH];
    if (*length < LOG_CHECKSUM_LENGTH)
        return false;
    size_t before = *length - LOG_CHECKSUM_LENGTH;
    put_checksum(right, text, before, key);
    if (memcmp(text + before, right, sizeof right) != 0)
        return false;
    *length = before;
    return true;
}

static char *put_number(char *to, uint64_t number)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    *to++ = ' ';
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

size_t log_line_format(char text[static LOG_LINE_MOST], const struct log_line *line, uint64_t run)
{
    char *to = text;
    const char *name = methods[line->method].name;
    size_t length = strlen(name);
    if (line->is_failure)
        *to++ = '!';
    memcpy(to, name, length);
    to = put_number(to + length, line->unit);
    to = put_number(to, line->version);
    to = put_number(to, line->time_us);
    length = log_checksum_append(text, (size_t)(to - text), run);
    text[length] = '\n';
    return length + 1;
}

/* Reads a blank and a number of at most `most` from *at, and moves *at past them. */
static bool take_number(const char **at, const char *end, uint64_t most, uint64_t *number)
{
    const char *from = *at;
    uint64_t value = 0;
    if (from == end || *from++ != ' ')
        return false;
    const char *first = from;
    for (; from < end && *from >= '0' && *from <= '9'; from++) {
        unsigned digit = (unsigned)(*from - '0');
        if (value > (most - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *at = from;
    *number = value;
    return from > first;
}

/* The end of a line without what a terminal adds: carriage returns and blanks. */
static const char *end_of(const char *text, size_t length)
{
    while (length > 0 && (unsigned char)text[length - 1] <= ' ')
        length--;
    return text + length;
}

/* Where the last `count` words of a text begin, or earlier, if no blank is before the first. */
static const char *last_words(const char *text, const char *end, unsigned count)
{
    while (end > text && (end[-1] != ' ' || --count > 0))
        end--;
    return end;
}

bool log_line_parse(struct log_line *line, const char *text, size_t length, uint64_t run)
{
    uint64_t unit;
    const char *end = end_of(text, length);
    /* what a console puts before a line may be without a blank at its end */
    for (text = last_words(text, end, LINE_WORDS);; text++) {
        length = (size_t)(end - text);
        if (length == 0 || *text == ' ')
            return false;
        if (log_checksum_is_right(text, &length, run))
            break;
    }
    end = text + length;
    line->is_failure = length > 0 && *text == '!';
    text += line->is_failure;
    const char *blank = memchr(text, ' ', (size_t)(end - text));
    if (!blank || !method_find(text, (size_t)(blank - text), &line->method))
        return false;
    if (!take_number(&blank, end, UINT32_MAX, &unit) ||
        !take_number(&blank, end, INT64_MAX, &line->version) ||
        !take_number(&blank, end, INT64_MAX, &line->time_us))
        return false;
    line->unit = (uint32_t)unit;
    return blank == end;
}

#define FORMAT "boncut-log "
#define LATEST 2

/* Key of the header's checksum: a constant, as only the header tells a reader the run's number. */
#define HEADER_KEY 0

/*
 * A directory has the same inode number and time of birth after a power cut; the root directories
 * of all subvolumes of a btrfs have the same number.
 */
static void describe_directory(struct header *h, int fd)
{
    struct portable_statx facts = {0};
    if (!portable_statx(fd,
                        PORTABLE_STATX_BASIC | PORTABLE_STATX_BIRTH | PORTABLE_STATX_UNIQUE_MOUNT |
                            PORTABLE_STATX_SUBVOLUME,
                        &facts))
        return;
    if (facts.mask & PORTABLE_STATX_INODE)
        snprintf(h->parent, sizeof h->parent, "%" PRIu64 ":%" PRId64 ".%09" PRIu32 ":%" PRIu64,
                 facts.inode, facts.birth_seconds, facts.birth_nanoseconds, facts.subvolume);
    h->mount_id = facts.mask & PORTABLE_STATX_UNIQUE_MOUNT ? facts.mount_id : 0;
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
    snprintf(h->boot_id, sizeof h->boot_id, "%s", host.boot_id);
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

/* The functions that put something return the end of the text. */

static char *put_word(char *to, const char *key, const char *value)
{
    to += sprintf(to, " %s=", key);
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        if (c > ' ' && c < 127 && c != '%')
            *to++ = *value;
        else
            to += sprintf(to, "%%%02x", c);
    }
    return to;
}

static char *put_methods(char *to, unsigned used)
{
    char names[HEADER_TEXT] = "";
    for (unsigned i = 0; i < METHODS; i++) {
        if (!(used & 1U << i))
            continue;
        if (*names)
            strcat(names, ",");
        strcat(names, methods[i].name);
    }
    return put_word(to, "methods", names);
}

size_t header_format(char text[static HEADER_LINE_MOST], const struct header *h)
{
    char *to = text;
    to += sprintf(to, FORMAT "%d seed=%" PRIu64 " run=%" PRIu64 " block=%u units=%u workers=%u",
                  LATEST, h->seed, h->run, h->block_bytes, h->units, h->workers);
    to = put_methods(to, h->methods);
    to = put_word(to, "directory", h->directory);
    to = put_word(to, "device", h->device);
    to = put_word(to, "filesystem", h->filesystem);
    to = put_word(to, "options", h->options);
    to = put_word(to, "boot", h->boot_id);
    to = put_word(to, "kernel", h->kernel);
    to += sprintf(to, " mount=%" PRIu64 " time=%" PRId64, h->mount_id, h->time);
    to = put_word(to, "uuid", h->uuid);
    to = put_word(to, "parent", h->parent);
    to += sprintf(to, " superblock=%" PRIu64 " in_place=%d whole_least=%u whole_most=%u",
                  h->superblock, h->drive_is_in_place, h->whole.least, h->whole.most);
    size_t length = log_checksum_append(text, (size_t)(to - text), HEADER_KEY);
    text[length] = '\n';
    return length + 1;
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

static bool take_number_field(const char **text, const char *end, const char *key, uint64_t least,
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

/* Powers of two; both are 0 if no method needs them. */
static bool whole_sizes_are_valid(const struct header *h)
{
    const struct whole_sizes *s = &h->whole;
    bool are_needed = h->methods & (1U << METHOD_ATOMIC | 1U << METHOD_PLAIN);
    return s->least <= s->most && (s->least & (s->least - 1)) == 0 &&
           (s->most & (s->most - 1)) == 0 &&
           (s->least >= HEADER_BLOCK_LEAST || (!are_needed && s->most == 0));
}

static bool take_all(struct header *h, const char *text, const char *end)
{
    char directory[HEADER_TEXT];
    uint64_t block, units, workers, time;
    uint64_t in_place = 0;
    uint64_t whole_least = 0;
    uint64_t whole_most = 0;
    int version = *text++ - '0';
    if (version < 1 || version > LATEST)
        return false;
    if (!take_number_field(&text, end, "seed", 0, UINT64_MAX, &h->seed) ||
        !take_number_field(&text, end, "run", 0, UINT64_MAX, &h->run) ||
        !take_number_field(&text, end, "block", HEADER_BLOCK_LEAST, HEADER_BLOCK_MOST, &block) ||
        !take_number_field(&text, end, "units", 1, HEADER_UNITS_MOST, &units) ||
        !take_number_field(&text, end, "workers", 1, HEADER_WORKERS_MOST, &workers) ||
        !take_methods(&text, end, &h->methods) || !take_word(&text, end, "directory", directory) ||
        !take_word(&text, end, "device", h->device) ||
        !take_word(&text, end, "filesystem", h->filesystem) ||
        !take_word(&text, end, "options", h->options) ||
        !take_word(&text, end, "boot", h->boot_id) || !take_word(&text, end, "kernel", h->kernel) ||
        !take_number_field(&text, end, "mount", 0, UINT64_MAX, &h->mount_id) ||
        !take_number_field(&text, end, "time", 0, INT64_MAX, &time))
        return false;
    if (version == 1)
        h->mount_id = 0; /* this id is used again after an unmount */
    else if (!take_word(&text, end, "uuid", h->uuid) ||
             !take_word(&text, end, "parent", h->parent) ||
             !take_number_field(&text, end, "superblock", 0, UINT64_MAX, &h->superblock) ||
             !take_number_field(&text, end, "in_place", 0, 1, &in_place) ||
             !take_number_field(&text, end, "whole_least", 0, HEADER_BLOCK_MOST, &whole_least) ||
             !take_number_field(&text, end, "whole_most", 0, HEADER_BLOCK_MOST, &whole_most))
        return false;
    h->block_bytes = (uint32_t)block;
    h->units = (uint32_t)units;
    h->workers = (unsigned)workers;
    h->time = (int64_t)time;
    h->drive_is_in_place = in_place;
    h->whole = (struct whole_sizes){(uint32_t)whole_least, (uint32_t)whole_most};
    snprintf(h->directory, sizeof h->directory, "%.*s", PRIVATE_NAME_SIZE - 1, directory);
    return text == end && block % HEADER_BLOCK_LEAST == 0 && whole_sizes_are_valid(h) &&
           units * workers <= HEADER_UNITS_MOST && is_private_name(h->directory);
}

int header_parse(struct header *h, const char *text, size_t length, struct err *e)
{
    size_t format = strlen(FORMAT);
    const char *end = end_of(text, length);
    *h = (struct header){0};
    text = memmem(text, (size_t)(end - text), FORMAT, format);
    if (!text)
        return e->code ? -e->code
                       : err_say(e, "standard input is not a log of boncut: no line has \"%s%d\"",
                                 FORMAT, LATEST);
    length = (size_t)(end - text);
    err_init(e);
    if (!log_checksum_is_right(text, &length, HEADER_KEY))
        return err_say(e,
                       "the line of the log with \"" FORMAT "\" is damaged: its checksum is wrong");
    if (!take_all(h, text + format, text + length))
        return err_say(e, "the line of the log with \"" FORMAT
                          "\" is not one that this version can read");
    return 0;
}
