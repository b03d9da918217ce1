#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * 1 for what can be replaced by renaming another file over it: a plain file, or nothing yet. 0 for
 * a device or a pipe. A negative errno when that cannot be told.
 */
static int is_replaceable(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0)
        return S_ISREG(st.st_mode) ? 1 : 0;
    return errno == ENOENT ? 1 : -errno;
}

/* What open() would have given a new file, which mkstemp does not. */
static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Opens a file beside the path that has no name yet, or where that is not possible, another one. */
static int open_beside(struct output *o, struct err *e)
{
    const char *slash = strrchr(o->path, '/');
    size_t length = slash ? (size_t)(slash - o->path) + 1 : 0;
    char directory[PATH_MAX];
    if (length >= sizeof directory)
        return err_system(e, ENAMETOOLONG, "open %s", o->path);
    snprintf(directory, sizeof directory, "%.*s.", (int)length, o->path);
    int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    o->is_named = true;
    fd = mkostemp(o->temporary_path, O_CLOEXEC);
    return fd >= 0 ? fd : err_system(e, errno, "make a file beside %s", o->path);
}

static int open_temporary(struct output *o, struct err *e)
{
    if (asprintf(&o->temporary_path, "%s.XXXXXX", o->path) < 0) {
        o->temporary_path = NULL;
        return err_system(e, ENOMEM, "name beside %s", o->path);
    }
    int fd = open_beside(o, e);
    if (fd < 0) {
        o->is_named = false; /* there is nothing to remove */
        return fd;
    }
    fchmod(fd, usual_mode());
    o->stream = fdopen(fd, "w");
    if (!o->stream) {
        close(fd);
        return err_system(e, errno, "open %s", o->temporary_path);
    }
    return 0;
}

/* Gives the file its temporary name, a moment before it gets its own. */
static int give_name(struct output *o, struct err *e)
{
    if (o->is_named)
        return 0;
    char descriptor[40];
    snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", fileno(o->stream));
    int fd = mkostemp(o->temporary_path, O_CLOEXEC); /* a name that nobody has */
    if (fd < 0)
        return err_system(e, errno, "make a file beside %s", o->path);
    close(fd);
    o->is_named = true;
    if (unlink(o->temporary_path) != 0 ||
        linkat(AT_FDCWD, descriptor, AT_FDCWD, o->temporary_path, AT_SYMLINK_FOLLOW) != 0)
        return err_system(e, errno, "name the report %s", o->temporary_path);
    return 0;
}

int output_open(struct output *o, const char *path, struct err *e)
{
    *o = (struct output){.stream = path ? NULL : stdout, .path = path};
    if (!path)
        return 0;
    o->target = realpath(path, NULL); /* of a symbolic link, what it points to is written */
    if (!o->target && errno != ENOENT)
        return err_system(e, errno, "open %s", path);
    if (o->target)
        o->path = o->target;
    int replaceable = is_replaceable(path);
    if (replaceable < 0)
        return err_system(e, -replaceable, "open %s", path);
    if (replaceable > 0) {
        int rc = open_temporary(o, e);
        if (rc != 0)
            output_discard(o);
        return rc;
    }
    o->stream = fopen(path, "we");
    return o->stream ? 0 : err_system(e, errno, "open %s", path);
}

int output_finish(struct output *o, struct err *e)
{
    const char *name = o->path ? o->path : "standard output";
    errno = 0;
    bool failed = fflush(o->stream) != 0 || ferror(o->stream);
    if (!failed && o->temporary_path)
        failed = fsync(fileno(o->stream)) != 0;
    if (failed)
        return err_system(e, errno ? errno : EIO, "write the report to %s", name);
    int rc = o->temporary_path ? give_name(o, e) : 0;
    if (rc != 0 || !o->path)
        return rc;
    FILE *stream = o->stream;
    o->stream = NULL;
    if (fclose(stream) != 0)
        return err_system(e, errno, "write the report to %s", name);
    if (o->temporary_path && rename(o->temporary_path, o->path) != 0)
        return err_system(e, errno, "rename the report to %s", name);
    free(o->temporary_path);
    o->temporary_path = NULL;
    return 0;
}

void output_discard(struct output *o)
{
    if (o->path && o->stream)
        fclose(o->stream);
    if (o->temporary_path && o->is_named)
        unlink(o->temporary_path);
    free(o->temporary_path);
    free(o->target);
    *o = (struct output){0};
}
