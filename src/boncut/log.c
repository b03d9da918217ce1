// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/log.h"

#include <endian.h>

#include "sys/host.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/portable.h"
#include "util/rng.h"

void log_checksum_put(char to[static LOG_CHECKSUM_LENGTH + 1], const char *text, size_t length,
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
    sprintf(to, " %08" PRIx32, (uint32_t)(rng_mix(hash ^ le64toh(rest)) >> 32));
}

/* Ends a text in its checksum and a newline. Returns the length with both. */
static size_t log_line_end(char *text, size_t length, uint64_t key)
{
    log_checksum_put(text + length, text, length, key);
    strcat(text + length, "\n");
    return length + LOG_CHECKSUM_LENGTH + 1;
}

size_t log_line_format(char text[static MAX_LOG_LINE], const struct log_line *line, uint64_t run)
{
    int length = sprintf(text, "%s%s %" PRIu32 " %" PRIu64 " %" PRIu64, line->is_failure ? "!" : "",
                         methods[line->method].name, line->unit, line->version, line->time_us);
    return log_line_end(text, (size_t)length, run);
}

/* The end of a line without what a terminal adds: carriage returns and blanks. */
static const char *end_of(const char *text, size_t length)
{
    while (length > 0 && (unsigned char)text[length - 1] <= ' ')
        length--;
    return text + length;
}

/* Whether the bytes from `text` to `end` end in `right`. */
static bool ends_in(const char *text, const char *end, const char *right, size_t length)
{
    return (size_t)(end - text) >= length && memcmp(end - length, right, length) == 0;
}

bool log_line_parse(struct log_line *line, const char *text, size_t length, uint64_t run)
{
    char right[MAX_LOG_LINE];
    int64_t version, time_us;
    const char *end = end_of(text, length);
    const char *blank = end; /* before the numbers */
    for (unsigned words = 4; blank > text && (*--blank != ' ' || --words > 0);)
        continue;
    snprintf(right, sizeof right, "%.*s", (int)(end - blank), blank);
    if (sscanf(right, "%" SCNu32 "%" SCNd64 "%" SCNd64, &line->unit, &version, &time_us) != 3 ||
        version < 0 || time_us < 0)
        return false;
    line->version = (uint64_t)version;
    line->time_us = (uint64_t)time_us;
    /* what a console puts before a line may be without a blank at its end, so what decides is
     * whether the text ends in the line that says the same */
    for (line->method = 0; line->method < METHODS; line->method++) {
        const char *name = methods[line->method].name;
        for (int failure = 1; failure >= 0 && ends_in(text, blank, name, strlen(name)); failure--) {
            line->is_failure = failure;
            if (ends_in(text, end, right, log_line_format(right, line, run) - 1))
                return true;
        }
    }
    return false;
}

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

size_t header_format(char text[static MAX_HEADER_LINE], const struct header *h)
{
    char *to = text + sprintf(text, FORMAT LATEST);
    for (const struct field *f = fields; f < fields + COUNT_OF(fields); f++) {
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
    return log_line_end(text, (size_t)(to - text), HEADER_KEY);
}

static bool take_field(struct header *h, const struct field *f, char *word)
{
    size_t length = strlen(f->key);
    uint64_t number;
    unsigned method;
    void *to = (char *)h + f->offset;
    if (!word || strncmp(word, f->key, length) != 0 || word[length] != '=')
        return false;
    char *value = word + length + 1;
    char *end = value;
    for (const char *from = value; (*end = *from) != '\0'; from++, end++)
        if (*from == '%') {
            unsigned byte = 0;
            int used = 0;
            if (sscanf(from, "%%%2x%n", &byte, &used) != 1 || used != 3 || byte == 0)
                return false;
            *end = (char)byte;
            from += 2;
        }
    if (f->kind == TEXT)
        return snprintf(to, f->most, "%s", value) < (int)f->most;
    if (f->kind == METHOD_NAMES) {
        for (const char *name; (name = strsep(&value, ",")); h->methods |= 1U << method)
            if (!method_find(name, &method))
                return *name == '\0';
        return true;
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
    char line[MAX_HEADER_LINE];
    char right[LOG_CHECKSUM_LENGTH + 1];
    const char *end = end_of(text, length);
    const struct whole_sizes *whole = &h->whole;
    *h = (struct header){0};
    text = memmem(text, (size_t)(end - text), FORMAT, strlen(FORMAT));
    if (!text && e->code != 0)
        return -e->code;
    if (!text)
        return err_say(e,
                       "standard input is not a log of boncut: no line has \"" FORMAT LATEST "\"");
    err_init(e);
    length = (size_t)(end - text);
    length -= length < LOG_CHECKSUM_LENGTH ? length : LOG_CHECKSUM_LENGTH;
    log_checksum_put(right, text, length, HEADER_KEY);
    if (!ends_in(text, end, right, LOG_CHECKSUM_LENGTH))
        return err_say(e,
                       "the line of the log with \"" FORMAT "\" is damaged: its checksum is wrong");
    snprintf(line, sizeof line, "%-*.*s", (int)strlen(FORMAT), (int)length, text);
    char *rest = line + strlen(FORMAT);
    bool is_valid = strcmp(strsep(&rest, " "), LATEST) == 0;
    for (size_t i = 0; is_valid && i < COUNT_OF(fields); i++)
        is_valid = take_field(h, &fields[i], strsep(&rest, " "));
    /* sizes are powers of two; both are 0 if no method needs them */
    bool needs_whole = h->methods & (1U << METHOD_ATOMIC | 1U << METHOD_PLAIN);
    if (!is_valid || rest || h->block_bytes % HEADER_BLOCK_LEAST != 0 ||
        h->units * h->workers > MAX_HEADER_UNITS || !is_private_name(h->directory) ||
        whole->least > whole->most || (whole->least & (whole->least - 1)) != 0 ||
        (whole->most & (whole->most - 1)) != 0 ||
        (whole->least < HEADER_BLOCK_LEAST && (needs_whole || whole->most > 0)))
        return err_say(e, "the line of the log with \"" FORMAT
                          "\" is not one that this version can read");
    return 0;
}

static int take_text(struct ledger *l, const char *text, size_t length, struct err *e)
{
    struct log_line line;
    struct header other;
    struct err ignored = {0};
    if (l->header.workers == 0) {
        /* what a terminal has shown before the header is not the log's; ledger_read() fails */
        if (header_parse(&other, text, length, e) != 0)
            return 0;
        l->header = other;
        for (unsigned method = 0; method < METHODS; method++) {
            if (!(other.methods & 1U << method))
                continue;
            l->units[method] = calloc(method_units(&other, method), sizeof *l->units[method]);
            if (!l->units[method])
                return err_system(e, ENOMEM, "allocate promises of %s", methods[method].name);
        }
        return 0;
    }
    l->lines++;
    if (log_line_parse(&line, text, length, l->header.run) &&
        (l->header.methods & 1U << line.method) &&
        (methods[line.method].is_canary || line.unit < method_units(&l->header, line.method))) {
        bool is_canary = methods[line.method].is_canary;
        struct promise *p = &l->units[line.method][is_canary ? 0 : line.unit];
        l->last_us = MAX(l->last_us, line.time_us);
        if (line.is_failure) {
            p->failed = MAX(p->failed, line.version);
        } else if (line.version <= p->version) {
            l->repeated++;
        } else {
            if (line.method == METHOD_CACHED)
                l->cached_from = line.unit;
            l->promises[line.method] = is_canary ? line.version : l->promises[line.method] + 1;
            l->promised += method_promises(line.method);
            p->version = line.version;
            p->time_us = line.time_us;
        }
    } else if (header_parse(&other, text, length, &ignored) != 0) {
        l->damaged++;
    } else {
        l->repeated++;
        /* all lines of another run would count as damaged */
        if (other.run != l->header.run || other.seed != l->header.seed)
            return err_say(e, "the log has the promises of more than one run");
    }
    return 0;
}

int ledger_read(struct ledger *l, int fd, struct err *e)
{
    const size_t most = 1 << 17; /* longer than any header: a line that does not fit is not ours */
    size_t length = 0;           /* of what has been read and not been processed yet */
    bool is_skipping = false;    /* the current line is too long, so the rest of it is skipped */
    int rc = 0;
    ssize_t got = 1;
    *l = (struct ledger){0};
    char *text = malloc(most);
    if (!text)
        return err_system(e, ENOMEM, "allocate memory for reading the log");
    while (rc == 0 && (got = read(fd, text + length, most - length)) > 0) {
        char *line = text;
        char *end = text + length + got;
        for (char *newline; rc == 0 && (newline = memchr(line, '\n', (size_t)(end - line)));) {
            if (!is_skipping)
                rc = take_text(l, line, (size_t)(newline - line), e);
            is_skipping = false;
            line = newline + 1;
        }
        length = (size_t)(end - line);
        memmove(text, line, length);
        if (length < most)
            continue;
        if (l->header.workers == 0)
            rc = header_parse(&(struct header){0}, text, length, e); /* it is none, says e */
        l->damaged += !is_skipping;
        is_skipping = true;
        length = 0;
    }
    if (got < 0)
        rc = err_system(e, errno, "read the log from standard input");
    l->unfinished = length > 0;
    if (rc == 0 && l->header.workers == 0)
        rc = e->code != 0 ? -e->code
             : length > 0
                 ? err_say(e, "the log ends within its first line: nothing was promised")
                 : err_say(e, "standard input is empty: the log of `boncut write` is expected");
    free(text);
    return rc;
}

void ledger_release(struct ledger *l)
{
    for (unsigned method = 0; method < METHODS; method++)
        free(l->units[method]);
}
