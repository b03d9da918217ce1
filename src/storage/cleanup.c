// SPDX-License-Identifier: GPL-2.0-or-later
#include "storage/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/scratch.h"
#include "sys/path.h"
#include "util/portable.h"
#include "util/printable.h"

/* Opens a directory below fd for listing. Returns NULL with errno on failure. */
static DIR *open_below(int fd, const char *name)
{
    int below = directory_open(fd, name);
    DIR *directory = below >= 0 ? fdopendir(below) : NULL;
    if (below < 0)
        errno = -below;
    else if (!directory)
        close(below);
    return directory;
}

/* The next entry except "." and ".."; NULL: there are no more, or errno says what has failed. */
static const char *next_name(DIR *directory)
{
    const struct dirent *entry;
    do {
        errno = 0;
        entry = readdir(directory);
    } while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry ? entry->d_name : NULL;
}

/* Whether the directory has no entry except possibly one called `allowed` (NULL: none at all). */
static bool holds_only(DIR *directory, const char *allowed)
{
    bool only = true;
    for (const char *name; only && (name = next_name(directory));)
        only = allowed && strcmp(name, allowed) == 0;
    only = only && errno == 0;
    rewinddir(directory);
    return only;
}

/* Why a directory stays in which a run works. */
static const char in_use[] = "a run is using it";

/* Why the open owner file does not make the directory ours; NULL: it does. */
static const char *why_owner_is_not_ours(DIR *directory, const char *name, int owner_fd)
{
    struct stat of_directory, st;
    if (fstat(dirfd(directory), &of_directory) != 0 || fstat(owner_fd, &st) != 0 ||
        !S_ISREG(st.st_mode) || st.st_uid != of_directory.st_uid)
        return "its owner file is not one of ours";
    int locked = owner_file_lock(owner_fd);
    if (locked == -ENOLCK)
        return "the filesystem has no locks that would tell whether a run is using it";
    if (locked < 0)
        return in_use;
    char expected[OWNER_TEXT_SIZE];
    char found[OWNER_TEXT_SIZE];
    size_t length = owner_text(expected, name);
    ssize_t got = read(owner_fd, found, sizeof found);
    if (got == 0 && private_name_is_made(name) && holds_only(directory, OWNER_FILE_NAME))
        return NULL;
    if (got != (ssize_t)length || memcmp(found, expected, length) != 0)
        return "its owner file does not name it";
    return NULL;
}

/*
 * Why the directory is not ours to remove; NULL: it is. A run makes the owner file right after the
 * directory. If it was killed between the two, the directory has nothing, or only an empty owner
 * file; then only the name can tell.
 */
static const char *why_not_ours(DIR *parent, DIR *directory, const char *name, bool trusts,
                                int *owner_fd)
{
    char found[FOUND_SIZE];
    int fd = dirfd(directory);
    if (private_directory_ownership(dirfd(parent), fd, trusts, found) != OWNERSHIP_OURS)
        return "it is not a private directory of this user";
    *owner_fd = openat(fd, OWNER_FILE_NAME, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (*owner_fd >= 0)
        return why_owner_is_not_ours(directory, name, *owner_fd);
    return private_name_is_made(name) && holds_only(directory, NULL) ? NULL
                                                                     : "it has no owner file";
}

/* Removes a file, or an empty directory, which is also a unit of boncut's. */
static int remove_one(int fd, const char *name)
{
    if (unlinkat(fd, name, 0) == 0)
        return 0;
    int code = errno;
    if ((code == EISDIR || code == EPERM) && unlinkat(fd, name, AT_REMOVEDIR) == 0)
        return 0;
    return -code;
}

/* Removes what a run makes in one directory of its private directory, and that directory. */
static int remove_subdirectory(int fd, const char *name)
{
    DIR *directory = open_below(fd, name);
    if (!directory)
        return -errno;
    int rc = 0;
    bool removed;
    do { /* lists again, because a filesystem may skip entries while others are removed */
        removed = false;
        rewinddir(directory);
        for (const char *entry; rc == 0 && (entry = next_name(directory));) {
            if (!is_file_name(entry) && !is_unit_name(entry) && !is_message_name(entry))
                continue;
            removed = true;
            rc = remove_one(dirfd(directory), entry);
        }
        rc = rc ? rc : -errno;
    } while (rc == 0 && removed);
    closedir(directory);
    if (rc == 0 && unlinkat(fd, name, AT_REMOVEDIR) != 0)
        rc = -errno;
    return rc;
}

int cleanup_entry(int fd, const char *name)
{
    int rc = -ENOTDIR;
    if (is_directory_name(name) || is_mailbox_name(name))
        return remove_subdirectory(fd, name);
    if (is_worker_name(name))
        rc = remove_subdirectory(fd, name);
    else if (!is_data_name(name) && !is_link_target_name(name))
        return -EEXIST;
    return rc == -ENOTDIR ? (unlinkat(fd, name, 0) == 0 ? 0 : -errno) : rc;
}

/* Removes everything that a run makes in its private directory, except the owner file. */
static int remove_contents(DIR *directory, const char *path, const char *name, struct err *e)
{
    for (const char *entry; (entry = next_name(directory));) {
        if (is_vanishing_name(entry) || strcmp(entry, OWNER_FILE_NAME) == 0)
            continue;
        int rc = cleanup_entry(dirfd(directory), entry);
        if (rc == -EEXIST || rc == -ENOTEMPTY)
            return err_say(e, "%s/%s/%s: contains something that no run makes; left as it is", path,
                           name, entry);
        if (rc != 0)
            return err_system(e, -rc, "remove %s/%s/%s", path, name, entry);
    }
    return errno == 0 ? 0 : err_system(e, errno, "list directory %s/%s", path, name);
}

static void say_left(const char *path, const char *name, const char *reason)
{
    message("left %s/%s: %s", path, name, reason);
}

/*
 * Removes the directory itself. If nobody has held the lock of an owner file, the directory may
 * belong to a run that has just begun; then it is no longer empty, or the run has removed it
 * itself.
 */
static int remove_empty(DIR *parent, DIR *directory, const char *path, const char *name,
                        bool was_locked, struct err *e)
{
    int rc = private_directory_remove(dirfd(parent), name, dirfd(directory));
    if (rc == 0)
        printf("removed %s/%s\n", printable(path).text, name);
    else if (rc == -ENOTEMPTY && !was_locked)
        say_left(path, name, in_use);
    else if (rc == -ESTALE)
        return private_directory_say_moved(e, path, name, dirfd(directory));
    else if (rc != -ENOENT)
        return err_system(e, -rc, "remove %s/%s", path, name);
    return 0;
}

/*
 * Removes a private directory. Removes the owner file last, and only while it holds its lock;
 * closes it before it removes the directory, because some filesystems keep the name of an open
 * file.
 */
static int remove_private_directory(DIR *parent, DIR *directory, const char *path, const char *name,
                                    int *owner_fd, struct err *e)
{
    int rc = remove_contents(directory, path, name, e);
    if (rc != 0)
        return rc;
    if (unlinkat(dirfd(directory), OWNER_FILE_NAME, 0) != 0 && errno != ENOENT)
        return err_system(e, errno, "remove %s/%s/%s", path, name, OWNER_FILE_NAME);
    close(*owner_fd);
    *owner_fd = -1;
    return remove_empty(parent, directory, path, name, true, e);
}

/*
 * Examines a directory whose name has the form of a private directory's, and removes it if it is
 * ours.
 */
static int examine_directory(DIR *parent, const char *path, const char *name, bool trusts,
                             struct err *e)
{
    DIR *directory = open_below(dirfd(parent), name);
    if (!directory) {
        say_left(path, name, portable_reason(errno));
        return 0;
    }
    int owner_fd = -1;
    int rc = 0;
    const char *reason = why_not_ours(parent, directory, name, trusts, &owner_fd);
    if (reason)
        say_left(path, name, reason);
    else if (owner_fd < 0)
        rc = remove_empty(parent, directory, path, name, false, e);
    else
        rc = remove_private_directory(parent, directory, path, name, &owner_fd, e);
    if (owner_fd >= 0)
        close(owner_fd);
    closedir(directory);
    return rc;
}

int cleanup_directory(const char *path, bool trusts, struct err *e)
{
    int fd = path_open_to_list(path, PATH_FAILS, e);
    if (fd < 0)
        return fd;
    DIR *parent = fdopendir(fd);
    if (!parent) {
        close(fd);
        return err_system(e, ENOMEM, "open directory %s", path);
    }
    int rc = 0;
    for (const char *name; (name = next_name(parent));) {
        if (!is_private_name_of_any(name))
            continue;
        struct err one;
        err_init(&one);
        int failed = examine_directory(parent, path, name, trusts, &one);
        if (failed != 0 && rc == 0)
            *e = one; /* the caller reports this failure */
        else if (failed != 0)
            message("%s", one.text);
        rc = rc ? rc : failed;
    }
    if (errno != 0)
        rc = rc ? rc : err_system(e, errno, "list directory %s", path);
    closedir(parent);
    return rc;
}
