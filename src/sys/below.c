#include "sys/below.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/walk.h"
#include "util/descriptor.h"
#include "util/portable.h"

#define OPEN_DIRECTORY (O_PATH | O_DIRECTORY | O_CLOEXEC)

/*
 * Flags with which an open never waits for the other end of a pipe, and makes no terminal the
 * controlling terminal of this process.
 */
#define OPEN_ANY (O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

/* ---- in one call ----------------------------------------------------------------------------- */

/* openat2(2) exists since Linux 5.6, and filters of system calls may refuse it. */
static _Atomic bool lacks_openat2;

/*
 * Opens a path that has no symbolic link on the way; with RESOLVE_BENEATH, only below the
 * directory. Returns -BELOW_LINK when there may be a link, so that the caller must walk the path
 * name by name.
 */
static int open_linkless(int at, const char *path, int flags, mode_t mode, unsigned resolve)
{
    const struct open_how how = {
        .flags = (unsigned)flags,
        .mode = (flags & O_CREAT) ? mode : 0,
        .resolve = RESOLVE_NO_SYMLINKS | resolve,
    };
    if (atomic_load_explicit(&lacks_openat2, memory_order_relaxed))
        return -BELOW_LINK;
    long fd = syscall(SYS_openat2, at, path, &how, sizeof how);
    if (fd >= 0)
        return (int)fd;
    if (errno == ENOSYS)
        atomic_store(&lacks_openat2, true);
    bool is_unclear = errno == ENOSYS || errno == EPERM || errno == EAGAIN || errno == EXDEV;
    return is_unclear ? -BELOW_LINK : -errno;
}

/* ---- name by name ---------------------------------------------------------------------------- */

/* Lets the kernel follow one of its own links. */
static int follow_kernel(struct walk *w, const char *name)
{
    int fd = openat(w->directory, name, OPEN_DIRECTORY);
    if (fd < 0)
        return -errno;
    walk_go_to(w, fd);
    return 0;
}

/* Continues with the target of a link, if the link may be followed. */
static int follow_link(struct walk *w, const char *name)
{
    struct stat directory;
    struct stat facts;
    int link = walk_open_any(w, name);
    if (link < 0)
        return link;
    int rc = fstat(link, &facts) == 0 && fstat(w->directory, &directory) == 0 ? 0 : -errno;
    if (rc == 0 && !S_ISLNK(facts.st_mode))
        rc = -ENOTDIR;
    else if (rc == 0 && !walk_trusts_entry(&directory, &facts))
        rc = -BELOW_LINK;
    else if (rc == 0 && walk_is_of_the_kernel(link))
        rc = follow_kernel(w, name);
    else if (rc == 0 && (rc = walk_follow(w, link)) == -ELOOP)
        rc = -BELOW_ENDLESS;
    close(link);
    return rc;
}

/* Enters the directory with that name. */
static int enter_directory(struct walk *w, const char *name, bool is_below,
                           enum below_missing missing)
{
    /*
     * A directory's parent changes when somebody moves the directory, so `..` is allowed only after
     * a link.
     */
    if (is_below && w->links == 0 && strcmp(name, "..") == 0)
        return -EXDEV;
    int fd = walk_open_directory(w, name);
    if (fd == -ENOENT && missing == BELOW_MAKES) {
        if (mkdirat(w->directory, name, 0777) != 0 && errno != EEXIST)
            return -errno;
        fd = walk_open_directory(w, name);
    }
    if (fd == -ENOTDIR)
        return follow_link(w, name);
    if (fd < 0)
        return fd;
    walk_go_to(w, fd);
    return 0;
}

static int open_by_parts(int at, const char *path, bool is_below, enum below_missing missing)
{
    struct walk w;
    char name[NAME_MAX + 1];
    bool is_last;
    int rc = walk_start(&w, at, path);
    while (rc == 0 && w.rest[strspn(w.rest, "/")] != '\0') {
        rc = walk_cut(&w, name, &is_last);
        if (rc == 0)
            rc = enter_directory(&w, name, is_below, missing);
    }
    if (rc == 0)
        return w.directory;
    descriptor_close(&w.directory);
    return rc;
}

/* ---- directories ----------------------------------------------------------------------------- */

int below_open(struct below *b, const struct below *from, const char *path,
               enum below_missing missing)
{
    int at = from ? from->fd : AT_FDCWD;
    const char *named = *path ? path : ".";
    int fd = open_linkless(at, named, OPEN_DIRECTORY, 0, from ? RESOLVE_BENEATH : 0);
    if (fd == -BELOW_LINK || (fd == -ENOENT && missing == BELOW_MAKES))
        fd = open_by_parts(at, path, from != NULL, missing);
    *b = (struct below){.fd = fd < 0 ? -1 : fd};
    return fd < 0 ? fd : 0;
}

void below_close(struct below *b)
{
    descriptor_close(&b->fd);
}

int below_say(struct err *e, int code, const char *path, enum below_missing missing)
{
    const char *verb = missing == BELOW_MAKES ? "make" : "open";
    if (code == -BELOW_ENDLESS)
        return err_system(e, ELOOP, "%s directory %s", verb, path);
    if (code != -BELOW_LINK)
        return err_system(e, -code, "%s directory %s", verb, path);
    err_say(e,
            "%s directory %s: a symbolic link on the way is not followed, because another user can "
            "change the directory that it is in",
            verb, path);
    return code;
}

int below_open_directory(const char *path, enum below_missing missing, struct err *e)
{
    struct below b;
    int rc = below_open(&b, NULL, path, missing);
    if (rc != 0)
        return below_say(e, rc, path, missing);
    int fd = openat(b.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rc = fd >= 0 ? fd : below_say(e, -errno, path, missing);
    below_close(&b);
    return rc;
}

int below_find(const struct below *b, const char *name, enum below_missing missing,
               struct below_entry *entry)
{
    char above[PATH_MAX];
    const char *slash = strrchr(name, '/');
    *entry = (struct below_entry){.directory = b->fd, .name = name, .found = {.fd = -1}};
    if (!slash)
        return 0;
    size_t length = (size_t)(slash - name) + 1;
    if (length >= sizeof above)
        return -ENAMETOOLONG;
    memcpy(above, name, length);
    above[length] = '\0';
    int rc = below_open(&entry->found, name[0] == '/' ? NULL : b, above, missing);
    entry->directory = entry->found.fd;
    entry->name = slash + 1;
    return rc;
}

void below_release(struct below_entry *entry)
{
    below_close(&entry->found);
}

/* ---- files ----------------------------------------------------------------------------------- */

/*
 * Opens what a name leads to, part by part. Follows a link in the last part only with
 * follows_files. *above becomes the directory that contains what was opened; the caller closes it.
 */
static int open_in_parts(const struct below *b, const char *name, int flags, mode_t mode,
                         int *above)
{
    struct walk w;
    struct below_entry entry;
    char part[NAME_MAX + 1];
    bool is_last;
    int fd = -BELOW_LINK;
    int rc = below_find(b, name, BELOW_FAILS, &entry);
    if (rc != 0)
        return rc;
    rc = walk_start(&w, entry.directory, entry.name);
    while (rc == 0 && fd == -BELOW_LINK) {
        rc = walk_cut(&w, part, &is_last);
        if (rc != 0)
            break;
        if (!is_last) {
            rc = enter_directory(&w, part, false, BELOW_FAILS);
            continue;
        }
        fd = openat(w.directory, part, flags, mode);
        if (fd < 0)
            fd = -errno;
        if (fd == -BELOW_LINK)
            rc = b->follows_files ? follow_link(&w, part) : fd;
    }
    below_release(&entry);
    *above = w.directory;
    return rc != 0 ? rc : fd;
}

/*
 * Opens whatever has the name, but does not follow a link. The kernel looks up a name of several
 * parts.
 */
static int open_linkless_name(const struct below *b, const char *name, int flags, mode_t mode)
{
    if (strchr(name, '/'))
        return name[0] == '/' ? -BELOW_LINK
                              : open_linkless(b->fd, name, flags, mode, RESOLVE_BENEATH);
    int fd = openat(b->fd, name, flags, mode);
    return fd >= 0 ? fd : -errno;
}

/* Opens whatever has the name, or what it leads to if that may be followed. */
static int open_unseen(const struct below *b, const char *name, int flags, mode_t mode)
{
    int above = -1;
    int how = (flags & ~O_TRUNC) | OPEN_ANY;
    int fd = open_linkless_name(b, name, how, mode);
    if (fd == -BELOW_LINK && (b->follows_files || strchr(name, '/')))
        fd = open_in_parts(b, name, how, mode, &above);
    descriptor_close(&above);
    return fd == -ENXIO ? -BELOW_NOT_A_FILE : fd; /* a pipe without a reader, or a socket */
}

/* ---- what was opened ------------------------------------------------------------------------- */

/*
 * Returns -EMLINK if another user may have linked to the directory what has these facts, and
 * otherwise 0.
 */
static int check_names(int directory, const struct stat *facts)
{
    struct stat above;
    if (S_ISDIR(facts->st_mode) || facts->st_nlink < 2)
        return 0;
    if (fstat(directory, &above) != 0)
        return -errno;
    return walk_trusts_entry(&above, facts) ? 0 : -EMLINK;
}

/*
 * Opens a file with several names once more, to find the directory that decides: another user may
 * have linked the file to it, if the system allows that (fs.protected_hardlinks). That is the
 * directory in which the file is found, because a link may lead to it, or its name may have been
 * exchanged.
 */
static int open_linked(const struct below *b, const char *name, int flags, mode_t mode)
{
    int above = -1;
    struct stat facts;
    int fd = open_in_parts(b, name, (flags & ~O_TRUNC) | OPEN_ANY, mode, &above);
    int rc = fd < 0 ? fd : fstat(fd, &facts) == 0 ? check_names(above, &facts) : -errno;
    descriptor_close(&above);
    if (fd >= 0 && rc != 0)
        close(fd);
    return rc != 0 ? rc : fd;
}

/* Checks what was opened before anything is done with it. */
static int check_opened(const struct stat *facts, int fd, int flags)
{
    if (S_ISREG(facts->st_mode)) {
        bool is_cut = (flags & O_TRUNC) && facts->st_size > 0;
        return is_cut && ftruncate(fd, 0) != 0 ? -errno : 0;
    }
    if (S_ISDIR(facts->st_mode))
        return -EISDIR;
    bool writes = (flags & O_ACCMODE) != O_RDONLY;
    if (!S_ISBLK(facts->st_mode) && !(S_ISCHR(facts->st_mode) && writes))
        return -BELOW_NOT_A_FILE;
    return fcntl(fd, F_SETFL, flags & ~(O_CREAT | O_TRUNC)) == 0 ? 0 : -errno;
}

int below_open_file(const struct below *b, const char *name, int flags, mode_t mode)
{
    struct stat facts;
    bool writes = (flags & O_ACCMODE) != O_RDONLY;
    int fd = open_unseen(b, name, flags, mode);
    if (fd < 0 || ((flags & O_CREAT) && (flags & O_EXCL)))
        return fd;
    int rc = fstat(fd, &facts) == 0 ? 0 : -errno;
    if (rc == 0 && writes && !S_ISDIR(facts.st_mode) && facts.st_nlink > 1) {
        close(fd);
        fd = open_linked(b, name, flags, mode);
        if (fd < 0)
            return fd;
        rc = fstat(fd, &facts) == 0 ? 0 : -errno;
    }
    if (rc == 0)
        rc = check_opened(&facts, fd, flags);
    if (rc == 0)
        return fd;
    close(fd);
    return rc;
}

int below_open_to_change(const struct below *b, const char *name, int flags)
{
    struct stat facts;
    bool is_any = flags & O_PATH;
    int fd = is_any ? openat(b->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC)
                    : open_unseen(b, name, flags, 0);
    if (fd < 0)
        return is_any ? -errno : fd;
    int rc = fstat(fd, &facts) == 0 ? check_names(b->fd, &facts) : -errno;
    if (rc == 0 && !is_any)
        rc = check_opened(&facts, fd, flags);
    if (rc == 0)
        return fd;
    close(fd);
    return rc;
}

int below_open_unseen(const struct below *b, const char *name, int flags)
{
    return open_unseen(b, name, flags, 0);
}

int below_check_read(int fd, uint64_t *size)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0)
        return -errno;
    *size = S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : 0;
    if (S_ISREG(facts.st_mode) || S_ISBLK(facts.st_mode))
        return 0;
    return S_ISDIR(facts.st_mode) ? -EISDIR : -BELOW_NOT_A_FILE;
}

const char *below_reason(int code)
{
    const char *reason = code == BELOW_NOT_A_FILE ? "not a plain file"
                         : code == BELOW_LINK     ? "a symbolic link that is not followed"
                         : code == BELOW_ENDLESS  ? portable_reason(ELOOP)
                                                  : portable_reason(code);
    return reason ? reason : "unknown error";
}
