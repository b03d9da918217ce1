#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* True for what can be replaced by renaming another file over it: a plain file, or nothing yet. */
static int is_replaceable(const char *path)
{
    struct stat st;
    return stat(path, &st) != 0 ? errno == ENOENT : S_ISREG(st.st_mode);
}

/* What open() would have given a new file, which mkstemp does not. */
static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int open_temporary(struct output *o, struct err *e)
{
    if (asprintf(&o->temporary_path, "%s.XXXXXX", o->path) < 0) {
        o->temporary_path = NULL;
        return err_system(e, ENOMEM, "name beside %s", o->path);
    }
    int fd = mkostemp(o->temporary_path, O_CLOEXEC);
    if (fd < 0) {
        int rc = err_system(e, errno, "make a file beside %s", o->path);
        free(o->temporary_path);
        o->temporary_path = NULL;
        return rc;
    }
    fchmod(fd, usual_mode());
    o->stream = fdopen(fd, "w");
    if (!o->stream) {
        close(fd);
        return err_system(e, errno, "open %s", o->temporary_path);
    }
    return 0;
}

int output_open(struct output *o, const char *path, struct err *e)
{
    *o = (struct output){.stream = stdout, .path = path};
    if (!path)
        return 0;
    if (is_replaceable(path)) {
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
    FILE *stream = o->stream;
    o->stream = NULL;
    if (fflush(stream) != 0 || ferror(stream))
        return err_system(e, errno ? errno : EIO, "write the report to %s", name);
    if (o->temporary_path && fsync(fileno(stream)) != 0)
        return err_system(e, errno, "write the report to %s", name);
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
    o->stream = NULL;
    if (o->temporary_path)
        unlink(o->temporary_path);
    free(o->temporary_path);
    o->temporary_path = NULL;
}
