// SPDX-License-Identifier: GPL-2.0-or-later
#include "storage/block_device.h"

#include <sys/sysmacros.h>

#include "measure/device.h"
#include "storage/guards.h"
#include "util/descriptor.h"

#define SECTOR_BYTES 512 /* of `size`, whatever the device's own blocks are */

/* Reads a file of the device in sysfs, or of the disk that the device is a partition of. */
static bool read_fact(const struct block_device *d, const char *root, const char *name, char *text,
                      size_t size)
{
    const struct device_set set = {.root = root};
    const struct device device = {.major = major(d->place.facts.st_rdev),
                                  .minor = minor(d->place.facts.st_rdev)};
    char of_disk[64];
    snprintf(of_disk, sizeof of_disk, "../%s", name);
    return device_fact(&set, &device, name, text, size) ||
           device_fact(&set, &device, of_disk, text, size);
}

int block_device_look(struct block_device *d, const char *root, struct err *e)
{
    char text[32];
    if (!read_fact(d, root, "size", text, sizeof text))
        return err_system(e, ENXIO, "%s: no driver has this device", d->name);
    d->bytes = strtoull(text, NULL, 10) * SECTOR_BYTES;
    if (d->bytes == 0)
        return err_say(e, "%s has no medium", d->name);
    if (read_fact(d, root, "queue/zoned", text, sizeof text) && strcmp(text, "none") != 0)
        return err_say(e,
                       "%s is zoned (%s): its zones are written in order only, and what was "
                       "not written is not read from the medium",
                       d->name, text);
    if (d->writes && read_fact(d, root, "ro", text, sizeof text) && *text == '1')
        return err_system(e, EROFS, "--write: %s", d->name);
    read_fact(d, root, "diskseq", d->sequence, sizeof d->sequence);
    return 0;
}

int block_device_find(struct block_device *d, const char *path, bool writes, struct err *e)
{
    struct err ignored = {0};
    *d = (struct block_device){.writes = writes, .fd = -1, .claim = -1};
    if (path_find(&d->place, "open", path, &ignored) != 0)
        return 0;
    if (d->place.fd < 0 || !S_ISBLK(d->place.facts.st_mode)) {
        path_release(&d->place);
        return 0;
    }
    d->name = path;
    return block_device_look(d, "", e);
}

int block_device_open(struct block_device *d, bool yes, struct err *e)
{
    struct block_device now = {.place = d->place, .name = d->name, .writes = d->writes};
    int rc = d->writes ? path_check_changed(&d->place) : 0;
    if (rc != 0)
        return path_say(&d->place, rc, e);
    d->fd = path_reopen(&d->place, O_RDONLY, e);
    if (d->fd < 0)
        return d->fd;
    rc = block_device_look(&now, "", e);
    if (rc == 0 && (strcmp(now.sequence, d->sequence) != 0 || now.bytes != d->bytes))
        rc = err_say(e, "%s is no longer the device that it was at the start", d->name);
    if (rc == 0)
        guards_find_mount("", d->place.facts.st_rdev, d->mounted);
    if (rc == 0 && d->writes)
        rc = d->claim = guards_open(d->fd, O_RDONLY, "--write", yes, d->name, e);
    return rc < 0 ? rc : 0;
}

void block_device_close(struct block_device *d)
{
    descriptor_close(&d->fd);
    descriptor_close(&d->claim);
    if (d->name)
        path_release(&d->place);
    d->name = NULL;
}
