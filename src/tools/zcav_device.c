#include "tools/zcav_device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/scratch.h"
#include "sys/path.h"
#include "tools/zcav_guard.h"
#include "util/descriptor.h"
#include "util/portable.h"
#include "util/printable.h"

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

static int open_first(const char *path, const struct zcav_settings *s, struct err *e)
{
    struct path_file f;
    if (is_standard_input(path)) {
        int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
        return fd >= 0 ? fd : err_system(e, errno, "open %s", path);
    }
    int rc = path_find(&f, "open", path, e);
    if (rc != 0)
        return rc;
    rc = f.fd < 0 ? -ENOENT : s->writes ? path_check_changed(&f) : 0;
    rc = rc == 0 ? path_reopen(&f, O_RDONLY, e) : path_say(&f, rc, e);
    path_release(&f);
    return rc;
}

static int find_kind(struct zcav_device *d, const struct stat *st, struct err *e)
{
    d->bytes = UINT64_MAX;
    d->kind = S_ISREG(st->st_mode) ? ZCAV_PLAIN : S_ISBLK(st->st_mode) ? ZCAV_BLOCK : ZCAV_STREAM;
    if (S_ISDIR(st->st_mode))
        return err_system(e, EISDIR, "%s", d->file.name);
    if (d->kind == ZCAV_PLAIN)
        d->bytes = (uint64_t)st->st_size;
    if (d->kind == ZCAV_BLOCK && portable_ioctl(d->file.fd, BLKGETSIZE64, &d->bytes) != 0)
        return err_system(e, errno, "size of %s", d->file.name);
    return 0;
}

/* The flags with which the device is finally opened. */
static int flags_for(const struct zcav_device *d, const struct zcav_settings *s)
{
    int flags = s->writes ? O_WRONLY : O_RDONLY;
    if (s->writes && d->kind == ZCAV_BLOCK)
        flags |= O_EXCL;
    if (d->direct)
        flags |= O_DIRECT;
    return flags;
}

/* Opens the same device again, whatever its path leads to by now. */
static int reopen_device(struct zcav_device *d, int flags, struct err *e)
{
    if (flags == O_RDONLY)
        return 0;
    struct err reason;
    err_init(&reason);
    int fd = scratch_reopen(d->file.fd, flags, d->file.name, &reason);
    if (fd == -EBUSY && (flags & O_EXCL))
        return err_system(e, EBUSY,
                          "-w: %s is in use: mounted, swap, or part of a RAID, a volume "
                          "or an encrypted device",
                          d->file.name);
    if (fd < 0)
        return err_system(e, -fd, "open %s%s%s", d->file.name, flags & O_WRONLY ? " to write" : "",
                          flags & O_DIRECT ? " with O_DIRECT" : "");
    close(d->file.fd);
    d->file.fd = fd;
    return 0;
}

int zcav_device_open(struct zcav_device *d, const char *path, const struct zcav_settings *s,
                     struct err *e)
{
    struct stat st;
    bool named = !is_standard_input(path);
    *d = (struct zcav_device){.file.fd = -1, .label = strdup(named ? path : "standard input")};
    if (!d->label)
        return err_system(e, ENOMEM, "memory for the name of %s", path);
    make_printable(d->label);
    d->file.name = d->label;
    if (s->writes && !named)
        return err_say(e, "-w: standard input cannot be written to");
    int fd = open_first(path, s, e);
    if (fd < 0)
        return fd;
    d->file.fd = fd;
    int rc = fstat(fd, &st) == 0 ? 0 : err_system(e, errno, "look at %s", d->file.name);
    if (rc == 0)
        rc = find_kind(d, &st, e);
    if (rc == 0 && s->writes)
        rc = zcav_guard(d->file.name, &st, s->yes, e);
    d->direct =
        named && (d->kind == ZCAV_BLOCK ? !s->buffered : d->kind == ZCAV_PLAIN && s->direct);
    if (rc == 0 && named)
        rc = reopen_device(d, flags_for(d, s), e);
    return rc;
}

void zcav_device_close(struct zcav_device *d)
{
    descriptor_close(&d->file.fd);
    free(d->label);
    d->label = NULL;
}
