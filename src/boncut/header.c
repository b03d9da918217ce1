#include "boncut/header.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "boncut/log_line.h"
#include "boncut/methods/method.h"
#include "measure/device.h"
#include "measure/mount_info.h"
#include "sys/host.h"
#include "util/kernel_file.h"
#include "util/units.h"

#define FORMAT "boncut-log 1"

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

static uint64_t mount_id_of(int fd)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    FILE *info = kernel_file_read(path);
    long id = info ? mount_info_id(info) : -1;
    if (info)
        fclose(info);
    return id > 0 ? (uint64_t)id : 0;
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
    read_boot_id(h->boot_id);
    h->mount_id = mount_id_of(directory_fd);
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
    struct text t = {.to = text, .length = (size_t)sprintf(text, FORMAT)};
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
    h->block_bytes = (uint32_t)block;
    h->units = (uint32_t)units;
    h->workers = (unsigned)workers;
    h->time = (int64_t)time;
    snprintf(h->directory, sizeof h->directory, "%.*s", PRIVATE_NAME_SIZE - 1, directory);
    return text == end && block % HEADER_BLOCK_LEAST == 0 && units * workers <= HEADER_UNITS_MOST &&
           is_private_name(h->directory);
}

int header_parse(struct header *h, const char *text, size_t length, struct err *e)
{
    size_t format = strlen(FORMAT);
    *h = (struct header){0};
    if (length < format || memcmp(text, FORMAT, format) != 0)
        return err_say(e, "standard input is not a log of boncut: it does not begin with \"%s\"",
                       FORMAT);
    if (!log_checksum_is_right(text, &length, HEADER_KEY))
        return err_say(e, "the first line of the log is damaged: its checksum is wrong");
    if (!take_all(h, text + format, text + length))
        return err_say(e, "the first line of the log is not one that this version can read");
    return 0;
}
