#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

/* A guess that suits every device when the kernel does not tell. */
#define COMMON_ALIGNMENT 4096

static int make_private_directory(struct scratch *s, struct err *e)
{
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return err_system(e, errno, "random name for a directory in %s", s->path);
    private_name(s->name, number);
    if (mkdirat(s->parent_fd, s->name, 0700) != 0)
        return err_system(e, errno, "make directory %s/%s", s->path, s->name);
    s->fd = openat(s->parent_fd, s->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (s->fd >= 0)
        return 0;
    int rc = err_system(e, errno, "open directory %s/%s", s->path, s->name);
    unlinkat(s->parent_fd, s->name, AT_REMOVEDIR); /* scratch_close() would not know it is there */
    return rc;
}

/*
 * Takes the lock that says that the run is alive. Before it has it, --cleanup may take the
 * directory for that of a run that was killed: then it is gone, or is going.
 */
static int lock_owner_file(const struct scratch *s, struct err *e)
{
    struct stat st;
    int code = 0;
    if (flock(s->owner_fd, LOCK_EX | LOCK_NB) != 0)
        code = errno == EWOULDBLOCK ? ENOENT : errno;
    else if (fstat(s->owner_fd, &st) != 0)
        code = errno;
    else if (st.st_nlink == 0)
        code = ENOENT;
    if (code == 0)
        return 0;
    return err_system(e, code, "lock %s/%s/%s", s->path, s->name, OWNER_FILE_NAME);
}

/* The owner file says whose directory this is. -ENOENT: the directory has been taken away. */
static int make_owner_file(struct scratch *s, struct err *e)
{
    char text[OWNER_TEXT_SIZE];
    size_t length = owner_text(text, s->name);
    s->owner_fd =
        openat(s->fd, OWNER_FILE_NAME, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (s->owner_fd < 0)
        return err_system(e, errno, "make %s/%s/%s", s->path, s->name, OWNER_FILE_NAME);
    int rc = lock_owner_file(s, e);
    if (rc != 0)
        return rc;
    ssize_t written = write(s->owner_fd, text, length);
    if (written != (ssize_t)length)
        return err_system(e, written < 0 ? errno : ENOSPC, "write %s/%s/%s", s->path, s->name,
                          OWNER_FILE_NAME);
    return 0;
}

static void close_if_open(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/*
 * Removes the private directory. What cannot go, because something is in it or the storage fails,
 * gets an owner file again, so that --cleanup knows it.
 */
static int remove_private_directory(struct scratch *s, struct err *e)
{
    if (s->owner_fd >= 0 && unlinkat(s->fd, OWNER_FILE_NAME, 0) != 0)
        return err_system(e, errno, "remove %s/%s/%s", s->path, s->name, OWNER_FILE_NAME);
    close_if_open(&s->owner_fd);
    if (s->fd < 0 || unlinkat(s->parent_fd, s->name, AT_REMOVEDIR) == 0 || errno == ENOENT)
        return 0; /* ENOENT: an empty one may be gone by --cleanup */
    int rc = err_system(e, errno, "remove directory %s/%s", s->path, s->name);
    struct err ignored;
    err_init(&ignored);
    make_owner_file(s, &ignored);
    return rc;
}

static int try_to_make(struct scratch *s, struct err *e)
{
    int rc = make_private_directory(s, e);
    if (rc == 0)
        rc = make_owner_file(s, e);
    if (rc == 0)
        return 0;
    remove_private_directory(s, e); /* the first error is the one that is told */
    close_if_open(&s->owner_fd);
    close_if_open(&s->fd);
    return rc;
}

/* So often is another name tried when --cleanup has taken the directory away. */
#define TRIES 5

int scratch_open(struct scratch *s, const char *path, struct err *e)
{
    *s = (struct scratch){.path = path, .parent_fd = -1, .fd = -1, .owner_fd = -1};
    s->parent_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->parent_fd < 0)
        return err_system(e, errno, "open directory %s", path);
    int rc = -ENOENT;
    for (int tries = 0; rc == -ENOENT && tries < TRIES; tries++) {
        err_init(e);
        rc = try_to_make(s, e);
    }
    if (rc != 0)
        close_if_open(&s->parent_fd);
    return rc;
}

int scratch_close(struct scratch *s, struct err *e)
{
    int rc = remove_private_directory(s, e);
    close_if_open(&s->owner_fd);
    close_if_open(&s->fd);
    close_if_open(&s->parent_fd);
    return rc;
}

int scratch_space(const char *path, struct scratch_space *space, struct err *e)
{
    struct statvfs fs;
    struct statfs type;
    if (statvfs(path, &fs) != 0 || statfs(path, &type) != 0)
        return err_system(e, errno, "scratch directory %s", path);
    /* Root may use what is reserved for it. */
    uint64_t blocks = geteuid() == 0 ? fs.f_bfree : fs.f_bavail;
    space->bytes = fs.f_blocks == 0 ? UINT64_MAX : blocks * fs.f_frsize;
    space->links_are_files = type.f_type == TMPFS_MAGIC;
    space->block_bytes = fs.f_frsize > 0 ? fs.f_frsize : 1;
    space->files = fs.f_files == 0 ? UINT64_MAX : (geteuid() == 0 ? fs.f_ffree : fs.f_favail);
    return 0;
}

/* For filesystems without O_TMPFILE: a name for no longer than it takes to remove it. */
static int make_and_unlink(const struct scratch *s, unsigned number, struct err *e)
{
    char name[DATA_NAME_SIZE];
    data_name(name, number);
    int fd = openat(s->fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_system(e, errno, "make %s/%s/%s", s->path, s->name, name);
    if (unlinkat(s->fd, name, 0) != 0) {
        int rc = err_system(e, errno, "unlink %s/%s/%s", s->path, s->name, name);
        close(fd);
        return rc;
    }
    return fd;
}

int scratch_make_data_file(const struct scratch *s, unsigned number, struct err *e)
{
    int fd = openat(s->fd, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == ENOENT)
        return make_and_unlink(s, number, e);
    return err_system(e, errno, "make data file in %s/%s", s->path, s->name);
}

int scratch_reopen(int fd, int flags, const char *name, struct err *e)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int again = open(path, flags | O_CLOEXEC);
    if (again >= 0)
        return again;
    if (errno == EINVAL && (flags & O_DIRECT))
        return err_system(e, errno, "open %s: this filesystem refuses O_DIRECT", name);
    return err_system(e, errno, "open %s again through %s", name, path);
}

uint32_t scratch_direct_alignment(int fd)
{
#ifdef STATX_DIOALIGN
    struct statx facts;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &facts) == 0 &&
        (facts.stx_mask & STATX_DIOALIGN) && facts.stx_dio_offset_align > 0)
        return facts.stx_dio_offset_align;
#else
    (void)fd;
#endif
    return COMMON_ALIGNMENT;
}

int scratch_make_directory(const struct scratch *s, unsigned number, struct err *e)
{
    char name[DIRECTORY_NAME_SIZE];
    directory_name(name, number);
    if (mkdirat(s->fd, name, 0700) != 0)
        return err_system(e, errno, "make directory %s/%s/%s", s->path, s->name, name);
    int fd = openat(s->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0)
        return fd;
    int rc = err_system(e, errno, "open directory %s/%s/%s", s->path, s->name, name);
    unlinkat(s->fd, name, AT_REMOVEDIR);
    return rc;
}

int scratch_remove_directory(const struct scratch *s, unsigned number, struct err *e)
{
    char name[DIRECTORY_NAME_SIZE];
    directory_name(name, number);
    if (unlinkat(s->fd, name, AT_REMOVEDIR) != 0)
        return err_system(e, errno, "remove directory %s/%s/%s", s->path, s->name, name);
    return 0;
}

int scratch_make_origin(const struct scratch *s, uint64_t number, struct err *e)
{
    char name[ORIGIN_NAME_SIZE];
    origin_name(name, number);
    int fd = openat(s->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_system(e, errno, "make %s/%s/%s", s->path, s->name, name);
    close(fd);
    return 0;
}

int scratch_remove_origin(const struct scratch *s, uint64_t number, struct err *e)
{
    char name[ORIGIN_NAME_SIZE];
    origin_name(name, number);
    if (unlinkat(s->fd, name, 0) != 0)
        return err_system(e, errno, "remove %s/%s/%s", s->path, s->name, name);
    return 0;
}
