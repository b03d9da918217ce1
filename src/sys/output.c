// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/output.h"

#include <sys/random.h>
#include <sys/xattr.h>

#include "measure/clock.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/units.h"

/* Room for an access list of 500 users (posix_acl_xattr.h: 4 bytes and 8 for each entry). */
#define ACL_ROOM 4096

/* Gives the new file the owner, the mode and the access list of the old one, or none if that has
 * none. If it cannot have the old group, its own group gets the permissions of others; if it cannot
 * have the access list, its group gets none. */
static void keep_access(const struct path_file *old, int fd)
{
    static const char acl[] = "system.posix_acl_access";
    char value[ACL_ROOM];
    mode_t mode = old->facts.st_mode & 0777;
    if (fchown(fd, old->facts.st_uid, old->facts.st_gid) != 0 &&
        fchown(fd, (uid_t)-1, old->facts.st_gid) != 0)
        mode = (mode & 0707) | (mode & 0007) << 3;
    ssize_t size = getxattr(descriptor_path(old->fd).text, acl, value, sizeof value);
    bool has_none = size < 0 && (errno == ENODATA || errno == EOPNOTSUPP);
    if (size < 0)
        fremovexattr(fd, acl); /* removes what the new file has inherited from its directory */
    if (!has_none && (size < 0 || fsetxattr(fd, acl, value, (size_t)size, 0) != 0))
        mode &= 0707;
    fchmod(fd, mode);
}

/* Makes up another temporary name. It contains as much of a long name as there is room for. */
static int make_temporary_name(struct output *o, struct err *e)
{
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return err_system(e, errno, "draw a random name beside %s", o->path);
    int length = NAME_MAX - 17;
    snprintf(o->temporary, sizeof o->temporary, "%.*s.%016" PRIx64, length, o->file.name, number);
    return 0;
}

/* Opens a new file in the directory of the path: without a name, which can be given one later, or,
 * where the filesystem or /proc does not allow that, with a temporary one. */
static int open_temporary(struct output *o, struct err *e)
{
    int directory = o->file.directory.fd;
    bool replaces = o->file.fd >= 0;
    if (replaces && o->made.st_ino == o->file.facts.st_ino &&
        o->made.st_dev == o->file.facts.st_dev)
        path_vouch(&o->file);
    int rc = replaces ? path_check_removed(&o->file.directory, o->file.name, false) : 0;
    if (rc != 0 && rc != -ENOENT)
        return path_say(&o->file, rc, e);
    mode_t mask = umask(0);
    umask(mask);
    mode_t mode = replaces ? 0600 : 0666 & ~mask;
    int fd = openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (fd >= 0 && !kernel_file_exists(descriptor_path(fd).text))
        descriptor_close(&fd);
    if (fd < 0) {
        rc = make_temporary_name(o, e);
        if (rc != 0)
            return rc;
        fd = openat(directory, o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    mode);
        if (fd < 0)
            return err_system(e, errno, "make a file beside %s", o->path);
        o->is_named = true;
    }
    if (replaces)
        keep_access(&o->file, fd);
    return fd;
}

/* Opens a device or a pipe, for whose reader it waits until a signal, unless it is of others. */
static int open_special(struct path_file *f, struct err *e)
{
    int flags = O_WRONLY | O_APPEND; /* appends to a regular file that /dev/stdout leads to */
    bool is_pipe = S_ISFIFO(f->facts.st_mode);
    int rc = is_pipe ? 0 : path_check_changed(f);
    if (rc != 0)
        return path_say(f, rc, e);
    int fd = path_reopen(f, is_pipe ? flags | O_NONBLOCK : flags, e);
    if (fd == -ENXIO && path_is_foreign_pipe(f)) {
        err_init(e);
        return err_say(e, "open %s: it is a pipe of another user, and nobody reads it", f->path);
    }
    while (fd == -ENXIO && is_pipe && stop_check(e) == 0) {
        clock_sleep(50 * MILLION);
        err_init(e);
        fd = path_reopen(f, flags | O_NONBLOCK, e);
    }
    if (fd >= 0 && is_pipe && fcntl(fd, F_SETFL, flags) != 0) {
        close(fd);
        return err_system(e, errno, "open %s", f->path);
    }
    return fd;
}

/* Whether the path leads to no file yet, or to a regular file by its name. */
static bool is_plain(const struct path_file *f)
{
    return f->fd < 0 || (f->is_in_place && S_ISREG(f->facts.st_mode));
}

int output_open_live(const char *path, bool appends, struct err *e)
{
    struct path_file f;
    int flags = O_WRONLY | O_CREAT | (appends ? O_APPEND : O_TRUNC);
    int fd = path_find(&f, "open", path, e);
    if (fd != 0)
        return fd;
    if (is_plain(&f)) {
        fd = path_open_file(&f.directory, f.name, flags, appends ? 0600 : 0666, 0);
        if (fd < 0)
            path_say(&f, fd, e);
    } else if (appends && !S_ISREG(f.facts.st_mode)) {
        fd = path_say(&f, -PATH_NOT_A_FILE, e);
    } else if (path_is_foreign_pipe(&f)) {
        fd = err_say(e, "open %s: it is a pipe of another user", path);
    } else {
        fd = open_special(&f, e);
    }
    path_release(&f);
    return fd;
}

int output_open(struct output *o, const char *path, bool must_be_plain, struct err *e)
{
    *o = (struct output){.stream = path ? NULL : stdout, .made = o->made};
    int rc = path ? path_find(&o->file, "open", path, e) : 0;
    if (rc != 0 || !path)
        return rc;
    o->path = path;
    o->is_direct = !is_plain(&o->file);
    int fd = !o->is_direct   ? open_temporary(o, e)
             : must_be_plain ? err_say(e, "open %s: it is not a plain file", path)
                             : open_special(&o->file, e);
    o->stream = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!o->stream) {
        rc = fd < 0 ? fd : err_system(e, errno, "open %s", path);
        descriptor_close(&fd);
        output_discard(o);
    } else if (o->is_direct)
        stop_cuts_off(fd);
    return rc;
}

static void close_stream(struct output *o, int *code)
{
    FILE *stream = o->stream;
    o->stream = NULL;
    if (o->is_direct)
        stop_cuts_off(-1);
    if (stream != stdout && fclose(stream) != 0)
        *code = errno;
}

int output_open_stdout(struct output *o, const char *path, struct err *e)
{
    int rc = output_open(o, path, false, e);
    if (rc != 0 || o->stream == stdout)
        return rc;
    if (dup2(fileno(o->stream), STDOUT_FILENO) < 0)
        return err_system(e, errno, "write the report to %s", path);
    fclose(o->stream);
    o->stream = stdout;
    return 0;
}

/* Writes out what was printed. Returns 0, or the first errno since errno was set to 0. */
static int write_out(FILE *stream)
{
    bool is_written = fflush(stream) == 0 && !ferror(stream);
    return is_written ? 0 : errno ? errno : EIO;
}

int output_flush(struct err *e)
{
    int code = write_out(stdout);
    return code == 0 ? 0 : err_system(e, code, "write to standard output");
}

const char *output_name(const struct output *o)
{
    return o->path ? o->path : "standard output";
}

int output_finish(struct output *o, struct err *e)
{
    const char *name = output_name(o);
    struct path_directory *at = &o->file.directory;
    bool is_replaced = o->path && !o->is_direct;
    if (!ferror(o->stream)) /* what failed to print has left its reason in errno */
        errno = 0;
    int code = write_out(o->stream);
    if (code == 0 && is_replaced && fsync(fileno(o->stream)) != 0)
        code = errno;
    if (code != 0)
        return err_system(e, code, "write the report to %s", name);
    if (is_replaced && !o->is_named) {
        int rc = make_temporary_name(o, e);
        if (rc != 0)
            return rc;
        if (linkat(AT_FDCWD, descriptor_path(fileno(o->stream)).text, at->fd, o->temporary,
                   AT_SYMLINK_FOLLOW) != 0)
            return err_system(e, errno, "name the report %s", o->temporary);
        o->is_named = true;
    }
    if (!o->path)
        return 0;
    fstat(fileno(o->stream), &o->made);
    close_stream(o, &code);
    if (code != 0)
        return err_system(e, code, "write the report to %s", name);
    int rc = is_replaced ? path_rename(at, o->temporary, at, o->file.name) : 0;
    if (rc != 0)
        return err_say(e, "rename the report to %s: %s", name, path_reason(-rc));
    o->is_named = false;
    return 0;
}

void output_discard(struct output *o)
{
    int ignored;
    if (!o->path)
        return;
    if (o->stream)
        close_stream(o, &ignored);
    if (o->is_named)
        unlinkat(o->file.directory.fd, o->temporary, 0);
    path_release(&o->file);
    *o = (struct output){.made = o->made};
}
