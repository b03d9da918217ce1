// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/durability.h"

#include "measure/device.h"
#include "util/printable.h"

#define IN_MEMORY     "everything is in memory"
#define SYNCS_NOTHING "fsync does nothing"
#define SENDS_NONE    "the filesystem sends no flush, so what is in a drive's cache is lost"
#define NEEDS_NONE    "the filesystem sends no flush, and no drive below it needs one"

/* What a filesystem or one of its mount options says. The first one in the table decides. */
static const struct sign {
    const char *filesystems; /* their types; NULL: any */
    const char *option;      /* as /proc/self/mountinfo has it; NULL: none is needed */
    enum durability_kind kind;
    const char *why;
} signs[] = {
    {"tmpfs,ramfs,rootfs,devtmpfs", NULL, DURABILITY_NONE, IN_MEMORY},
    {"overlay", "volatile", DURABILITY_NONE, SYNCS_NOTHING},
    {"overlay", "fsync=volatile", DURABILITY_NONE, SYNCS_NOTHING}, /* Linux 6.18 */
    {NULL, "barrier=0", DURABILITY_NONE, SENDS_NONE},
    {NULL, "barrier=none", DURABILITY_NONE, SENDS_NONE}, /* reiserfs */
    {NULL, "nobarrier", DURABILITY_NONE, SENDS_NONE},
    {"f2fs", "fsync_mode=nobarrier", DURABILITY_NONE, SENDS_NONE},
    {"bcachefs", "journal_flush_disabled", DURABILITY_NONE, SENDS_NONE},
    {"nfs,nfs4,cifs,smb3,9p,virtiofs,ceph", NULL, DURABILITY_HIDDEN,
     "whether its server syncs, or exports async,"},
    {"fuse,fuseblk", NULL, DURABILITY_HIDDEN, "what the FUSE server does for fsync"},
    {"overlay", NULL, DURABILITY_HIDDEN, "what is below this overlay"},
};

void durability_of_mount(struct durability *d, const struct mount_info *mount)
{
    static const char *const memories[] = {"zram", "ram", "nullb"};
    struct device_set devices;
    *d = (struct durability){.kind = DURABILITY_OPEN};
    device_find(&devices, mount);
    bool may_lose = devices.count == 0; /* a drive may have a volatile cache */
    for (unsigned i = 0; i < devices.count; i++) {
        const struct device *device = &devices.devices[i];
        char cache[64];
        bool is_memory = false;
        if (!device->is_drive)
            continue;
        device_fact(&devices, device, "queue/write_cache", cache, sizeof cache);
        may_lose |= strcmp(cache, "write through") != 0;
        for (size_t k = 0; k < COUNT_OF(memories); k++)
            is_memory |= strncmp(device->name, memories[k], strlen(memories[k])) == 0;
        bool is_below = !is_memory && filesystem_is_memory(device->below);
        if (!is_memory && !is_below)
            continue;
        d->kind = DURABILITY_NONE;
        d->why = IN_MEMORY;
        snprintf(d->what, sizeof d->what, "%s%s%s", is_below ? device->below : "",
                 is_below ? " below " : "", device->name);
    }
    for (size_t i = 0; d->kind == DURABILITY_OPEN && i < COUNT_OF(signs); i++) {
        const struct sign *s = &signs[i];
        size_t length = strcspn(mount->filesystem, "."); /* "fuse.sshfs" is a "fuse" */
        if ((s->filesystems && !word_list_has(s->filesystems, mount->filesystem, length)) ||
            (s->option && !mount_info_has(mount, s->option)))
            continue;
        bool is_harmless = strcmp(s->why, SENDS_NONE) == 0 && !may_lose;
        d->kind = is_harmless ? DURABILITY_OPEN : s->kind;
        d->why = is_harmless ? NEEDS_NONE : s->why;
        snprintf(d->what, sizeof d->what, "%s", s->option ? s->option : mount->filesystem);
    }
}

void durability_find(struct durability *d, int directory_fd)
{
    struct mount_info mount;
    int fd = directory_fd;
    for (unsigned layer = 0; fd >= 0; layer++) {
        mount_info_find(&mount, fd);
        durability_of_mount(d, &mount);
        bool is_over = d->kind == DURABILITY_HIDDEN && layer < MAX_OVERLAYS;
        int upper_fd = is_over ? mount_info_open_upper(&mount, fd) : -1;
        if (layer > 0)
            close(fd);
        size_t used = strlen(d->what);
        if (layer > 0 && used > 0 && d->kind != DURABILITY_HIDDEN)
            snprintf(d->what + used, sizeof d->what - used, " below an overlay");
        fd = upper_fd;
    }
}

bool durability_is_pretended(const struct device_counters *spent, uint64_t syncs, unsigned at_once)
{
    uint64_t least = at_once > 0 ? syncs / (2 * at_once) : 0;
    return spent->known && spent->knows_stores &&
           (spent->drive_stores < least || spent->write_ops < least);
}
