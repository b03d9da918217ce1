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

void log_checksum_put(char to[static LOG_CHECKSUM_LENGTH], const char *text, size_t length,
                      uint64_t key)
{
    uint64_t hash = rng_mix(key ^ length);
    for (; length >= sizeof hash; text += sizeof hash, length -= sizeof hash) {
        uint64_t word;
        memcpy(&word, text, sizeof word);
        hash = rng_mix(hash ^ le64toh(word));
    }
    uint64_t rest = 0;
    memcpy(&rest, text, length);
    uint32_t sum = (uint32_t)(rng_mix(hash ^ le64toh(rest)) >> 32);
    to[0] = ' ';
    for (int digit = 0; digit < 8; digit++)
        to[1 + digit] = "0123456789abcdef"[sum >> (28 - 4 * digit) & 15];
}

/* Whether the text ends in its checksum. If so, *length becomes that of the text before both. */
static bool log_checksum_is_right(const char *text, size_t *length, uint64_t key)
{
    char right[LOG_CHECKSUM_LENGTH];
    if (*length < LOG_CHECKSUM_LENGTH)
        return false;
    size_t before = *length - LOG_CHECKSUM_LENGTH;
    log_checksum_put(right, text, before, key);
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

size_t log_line_format(char text[static MAX_LOG_LINE], const struct log_line *line, uint64_t run)
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
    log_checksum_put(to, text, (size_t)(to - text), run);
    to += LOG_CHECKSUM_LENGTH;
    *to++ = '\n';
    return (size_t)(to - text);
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

bool log_line_parse(struct log_line *line, const char *text, size_t length, uint64_t run)
{
    uint64_t unit;
    const char *end = end_of(text, length);
    const char *from = end;
    for (unsigned words = 5; from > text && (from[-1] != ' ' || --words > 0);)
        from--;
    /* what a console puts before a line may be without a blank at its end */
    for (text = from;; text++) {
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

/* ---- the place ------------------------------------------------------------------------------- */

/* The kernel makes a directory in sysfs for each superblock of these filesystems, and never gives
 * one of a later superblock the same inode number. */
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
    struct portable_statx facts = {0};
    mount_info_find(&mount, directory_fd);
    device_find(&devices, &mount);
    host_detect(&host);
    snprintf(h->device, sizeof h->device, "%s", devices.name);
    snprintf(h->filesystem, sizeof h->filesystem, "%s", mount.filesystem);
    snprintf(h->options, sizeof h->options, "%s", mount.options);
    snprintf(h->kernel, sizeof h->kernel, "%s", host.kernel);
    snprintf(h->uuid, sizeof h->uuid, "%s", mount.uuid);
    snprintf(h->boot_id, sizeof h->boot_id, "%s", host.boot_id);
    h->superblock = superblock_of(&mount);
    if (!portable_statx(directory_fd,
                        PORTABLE_STATX_BASIC | PORTABLE_STATX_BIRTH | PORTABLE_STATX_UNIQUE_MOUNT |
                            PORTABLE_STATX_SUBVOLUME,
                        &facts))
        return;
    /* A directory has the same inode number and time of birth after a power cut; the root
     * directories of all subvolumes of a btrfs have the same number. */
    if (facts.mask & PORTABLE_STATX_INODE)
        snprintf(h->parent, sizeof h->parent, "%" PRIu64 ":%" PRId64 ".%09" PRIu32 ":%" PRIu64,
                 facts.inode, facts.birth_seconds, facts.birth_nanoseconds, facts.subvolume);
    h->mount_id = facts.mask & PORTABLE_STATX_UNIQUE_MOUNT ? facts.mount_id : 0;
}

/* ---- the header's line ----------------------------------------------------------------------- */

#define FORMAT "boncut-log "
#define LATEST "2"

/* Key of the header's checksum: a constant, as only the header tells a reader the run's number. */
#define HEADER_KEY 0

/* The fields of the header, in their order in its line: " KEY=VALUE". */
struct field {
    const char *key;
    size_t offset;
    enum { NUMBER_32, NUMBER_64, TEXT, METHOD_NAMES } kind;
    uint64_t least; /* of a number */
    uint64_t most;  /* of a number; of a text, the size of its field */
};

#define FIELD(member)      offsetof(struct header, member)
#define TEXT_FIELD(member) FIELD(member), TEXT, 0, sizeof(((struct header *)0)->member)

static const struct field fields[] = {
    {"seed", FIELD(seed), NUMBER_64, 0, UINT64_MAX},
    {"run", FIELD(run), NUMBER_64, 0, UINT64_MAX},
    {"block", FIELD(block_bytes), NUMBER_32, HEADER_BLOCK_LEAST, MAX_HEADER_BLOCK},
    {"units", FIELD(units), NUMBER_32, 1, MAX_HEADER_UNITS},
    {"workers", FIELD(workers), NUMBER_32, 1, MAX_HEADER_WORKERS},
    {"methods", FIELD(methods), METHOD_NAMES, 0, 0},
    {"directory", TEXT_FIELD(directory)},
    {"device", TEXT_FIELD(device)},
    {"filesystem", TEXT_FIELD(filesystem)},
    {"options", TEXT_FIELD(options)},
    {"boot", TEXT_FIELD(boot_id)},
    {"kernel", TEXT_FIELD(kernel)},
    {"mount", FIELD(mount_id), NUMBER_64, 0, UINT64_MAX},
    {"time", FIELD(time), NUMBER_64, 0, INT64_MAX},
    {"uuid", TEXT_FIELD(uuid)},
    {"parent", TEXT_FIELD(parent)},
    {"superblock", FIELD(superblock), NUMBER_64, 0, UINT64_MAX},
    {"in_place", FIELD(drive_is_in_place), NUMBER_32, 0, 1},
    {"whole_least", FIELD(whole.least), NUMBER_32, 0, MAX_HEADER_BLOCK},
    {"whole_most", FIELD(whole.most), NUMBER_32, 0, MAX_HEADER_BLOCK},
};
static const size_t field_count = sizeof fields / sizeof *fields;

size_t header_format(char text[static MAX_HEADER_LINE], const struct header *h)
{
    char *to = text + sprintf(text, FORMAT LATEST);
    for (const struct field *f = fields; f < fields + field_count; f++) {
        const void *from = (const char *)h + f->offset;
        const char *comma = "";
        to += sprintf(to, " %s=", f->key);
        if (f->kind == NUMBER_32)
            to += sprintf(to, "%" PRIu32, *(const uint32_t *)from);
        if (f->kind == NUMBER_64)
            to += sprintf(to, "%" PRIu64, *(const uint64_t *)from);
        for (unsigned i = 0; f->kind == METHOD_NAMES && i < METHODS; i++)
            if (h->methods & 1U << i) {
                to += sprintf(to, "%s%s", comma, methods[i].name);
                comma = ",";
            }
        for (const char *c = from; f->kind == TEXT && *c; c++)
            if (*c > ' ' && *c < 127 && *c != '%')
                *to++ = *c;
            else
                to += sprintf(to, "%%%02x", (unsigned char)*c);
    }
    log_checksum_put(to, text, (size_t)(to - text), HEADER_KEY);
    to += LOG_CHECKSUM_LENGTH;
    *to++ = '\n';
    return (size_t)(to - text);
}

static bool take_field(struct header *h, const struct field *f, const char **text, const char *end)
{
    char value[HEADER_TEXT];
    size_t length = strlen(f->key);
    size_t used = 0;
    uint64_t number;
    unsigned method;
    void *to = (char *)h + f->offset;
    const char *at = *text;
    if ((size_t)(end - at) < length + 2 || *at != ' ' || memcmp(at + 1, f->key, length) != 0 ||
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
    for (char *name = value; f->kind == METHOD_NAMES && *name; name += *name == ',') {
        length = strcspn(name, ",");
        if (!method_find(name, length, &method))
            return false;
        h->methods |= 1U << method;
        name += length;
    }
    if (f->kind == METHOD_NAMES)
        return true;
    if (f->kind == TEXT) {
        snprintf(to, f->most, "%s", value);
        return used < f->most;
    }
    if (units_parse_count(value, &number) != 0 || number < f->least || number > f->most)
        return false;
    if (f->kind == NUMBER_32)
        *(uint32_t *)to = (uint32_t)number;
    else
        *(uint64_t *)to = number;
    return true;
}

int header_parse(struct header *h, const char *text, size_t length, struct err *e)
{
    size_t format = strlen(FORMAT);
    const char *end = end_of(text, length);
    const struct whole_sizes *whole = &h->whole;
    *h = (struct header){0};
    text = memmem(text, (size_t)(end - text), FORMAT, format);
    if (!text)
        return e->code
                   ? -e->code
                   : err_say(e,
                             "standard input is not a log of boncut: no line has \"" FORMAT LATEST
                             "\"");
    length = (size_t)(end - text);
    err_init(e);
    if (!log_checksum_is_right(text, &length, HEADER_KEY))
        return err_say(e,
                       "the line of the log with \"" FORMAT "\" is damaged: its checksum is wrong");
    end = text + length;
    bool is_valid = length > format && text[format] == *LATEST;
    text += format + 1;
    for (size_t i = 0; is_valid && i < field_count; i++)
        is_valid = take_field(h, &fields[i], &text, end);
    /* sizes are powers of two; both are 0 if no method needs them */
    bool needs_whole = h->methods & (1U << METHOD_ATOMIC | 1U << METHOD_PLAIN);
    if (!is_valid || text != end || h->block_bytes % HEADER_BLOCK_LEAST != 0 ||
        h->units * h->workers > MAX_HEADER_UNITS || !is_private_name(h->directory) ||
        whole->least > whole->most || (whole->least & (whole->least - 1)) != 0 ||
        (whole->most & (whole->most - 1)) != 0 ||
        (whole->least < HEADER_BLOCK_LEAST && (needs_whole || whole->most > 0)))
        return err_say(e, "the line of the log with \"" FORMAT
                          "\" is not one that this version can read");
    return 0;
}
