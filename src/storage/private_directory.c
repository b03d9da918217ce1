#include "storage/private_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

#include "storage/scratch_names.h"
#include "util/kernel_file.h"

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/*
 * Mode bits that must not be set: any permission of others, sticky, and set-user-ID. The
 * set-group-ID bit comes from the parent, and has no meaning here.
 */
#define FOREIGN_MODE (07777 & ~(S_ISGID | S_IRWXU))

/*
 * Calls openat2(2), which exists since Linux 5.6, unless a filter forbids it; then returns -ENOSYS
 * or -EPERM.
 */
static int open_beneath(int fd, const char *name)
{
#ifdef RESOLVE_BENEATH
    const struct open_how how = {.flags = OPEN_DIRECTORY,
                                 .resolve =
                                     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV};
    int below = (int)syscall(SYS_openat2, fd, name, &how, sizeof how);
    return below >= 0 ? below : -errno;
#else
    (void)fd;
    (void)name;
    return -ENOSYS;
#endif
}

int directory_open(int fd, const char *name)
{
    int below = open_beneath(fd, name);
    if (below != -ENOSYS && below != -EPERM)
        return below;
    below = openat(fd, name, OPEN_DIRECTORY);
    return below >= 0 ? below : -errno;
}

int directory_has(int fd, const char *name, int other)
{
    struct stat named, open;
    if (fstat(other, &open) != 0 || fstatat(fd, name, &named, AT_SYMLINK_NOFOLLOW) != 0)
        return -errno;
    return named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

static bool is_entry(const struct dirent64 *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/*
 * Uses the system call, because readdir(3) does not distinguish a removed directory from an empty
 * one.
 */
int directory_state(int fd)
{
    _Alignas(struct dirent64) char entries[1024];
    ssize_t bytes;
    int state = DIRECTORY_EMPTY;
    if (lseek(fd, 0, SEEK_SET) < 0)
        return -errno;
    while ((bytes = getdents64(fd, (void *)entries, sizeof entries)) > 0) {
        for (ssize_t at = 0; at < bytes;) {
            const struct dirent64 *entry = (const struct dirent64 *)(const void *)(entries + at);
            at += entry->d_reclen;
            if (!is_entry(entry))
                continue;
            if (!is_vanishing_name(entry->d_name))
                return DIRECTORY_IN_USE;
            state = DIRECTORY_VANISHING;
        }
    }
    if (bytes < 0)
        return errno == ENOENT || errno == ESTALE ? DIRECTORY_REMOVED : -errno;
    return state;
}

/* Whether only root and this user can make, rename or remove anything in the directory. */
static bool is_for_us_alone(const struct stat *directory)
{
    return (directory->st_uid == 0 || directory->st_uid == geteuid()) &&
           (directory->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Makes a file that nobody else knows, and that vanishes when it is closed. */
static int make_probe(int fd)
{
    char name[PRIVATE_NAME_SIZE];
    uint64_t number;
    int probe = openat(fd, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (probe >= 0)
        return probe;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return -1;
    private_name(name, number);
    probe = openat(fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (probe >= 0)
        unlinkat(fd, name, 0);
    return probe;
}

/*
 * Whether files made in the directory have the owner and the mode that they were made with. Opens
 * the test file when it makes it, so no other file can be mistaken for it. In doubt, returns true.
 */
static bool keeps_owners(int fd)
{
    struct stat st;
    int probe = make_probe(fd);
    bool kept = probe < 0 || fstat(probe, &st) != 0 ||
                (st.st_uid == geteuid() && (st.st_mode & 0777) == 0600);
    if (probe >= 0)
        close(probe);
    return kept;
}

int private_directory_ownership(int parent_fd, int fd, char found[FOUND_SIZE])
{
    struct stat parent, st;
    if (fstat(parent_fd, &parent) != 0 || fstat(fd, &st) != 0)
        return -errno;
    bool is_here = st.st_dev == parent.st_dev;
    if (is_here && st.st_uid == geteuid() && (st.st_mode & FOREIGN_MODE) == 0)
        return OWNERSHIP_OURS;
    snprintf(found, FOUND_SIZE, "it belongs to uid %u with mode %04o%s", st.st_uid,
             st.st_mode & 07777, is_here ? "" : ", on another filesystem");
    if (!is_here || keeps_owners(parent_fd))
        return OWNERSHIP_OTHER;
    return is_for_us_alone(&parent) ? OWNERSHIP_OURS : OWNERSHIP_UNKNOWN;
}

/* The result when the directory cannot be found by its name, or the name cannot be removed. */
static int gone_or_moved(int fd)
{
    return directory_state(fd) == DIRECTORY_REMOVED ? -ENOENT : -ESTALE;
}

/*
 * Removes the directory by its name, because no system call removes it by its descriptor. Checks
 * the name right before, and afterwards whether the right directory was removed.
 */
static int remove_once(int parent_fd, const char *name, int fd)
{
    int is_it = directory_has(parent_fd, name, fd);
    if (is_it == 0 || is_it == -ENOENT)
        return gone_or_moved(fd);
    if (is_it < 0)
        return is_it;
    if (unlinkat(parent_fd, name, AT_REMOVEDIR) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return gone_or_moved(fd);
        return errno == EEXIST ? -ENOTEMPTY : -errno;
    }
    int state = directory_state(fd);
    return state < 0 || state == DIRECTORY_REMOVED ? 0 : -ESTALE;
}

/*
 * Each wait is twice as long as the last one, from one millisecond to these: half a second in all,
 * and eight seconds for files that vanish, whose server may be busy or far away.
 */
#define LONGEST_WAIT_MS           256
#define LONGEST_VANISHING_WAIT_MS 4096

static long longest_wait_ms(int fd)
{
    int state = directory_state(fd); /* empty: the last file has vanished since the last try */
    return state == DIRECTORY_VANISHING || state == DIRECTORY_EMPTY ? LONGEST_VANISHING_WAIT_MS
                                                                    : LONGEST_WAIT_MS;
}

int private_directory_remove(int parent_fd, const char *name, int fd)
{
    int rc = remove_once(parent_fd, name, fd);
    for (long ms = 1; rc == -ENOTEMPTY && ms <= longest_wait_ms(fd); ms *= 2) {
        const struct timespec wait = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
        nanosleep(&wait, NULL);
        rc = remove_once(parent_fd, name, fd);
    }
    return rc;
}

int owner_file_lock(int owner_fd)
{
    if (flock(owner_fd, LOCK_EX | LOCK_NB) == 0)
        return 0;
    bool has_locks = errno != ENOSYS && errno != ENOLCK && errno != EOPNOTSUPP;
    return has_locks ? -errno : -ENOLCK;
}

int private_directory_say_moved(struct err *e, const char *path, const char *name, int fd)
{
    char link[40];
    char place[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    bool is_known = kernel_file_link(link, place, sizeof place);
    return err_say(e, "directory %s/%s was moved by somebody; it is left as %s", path, name,
                   is_known ? place : "it is");
}
