#include "sys/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/magic.h>
#include <pwd.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The limit of the kernel (path_resolution(7)). */
#define MOST_LINKS 40

void walk_go_to(struct walk *w, int directory)
{
    if (w->directory >= 0)
        close(w->directory);
    w->directory = directory;
}

static int walk_go_to_start(struct walk *w, int from)
{
    bool is_absolute = w->rest[0] == '/';
    int directory = openat(is_absolute ? AT_FDCWD : from, is_absolute ? "/" : ".",
                           O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return -errno;
    walk_go_to(w, directory);
    return 0;
}

int walk_start(struct walk *w, int from, const char *path)
{
    w->directory = -1;
    w->links = 0;
    if (strlen(path) >= sizeof w->rest)
        return -ENAMETOOLONG;
    strcpy(w->rest, path);
    return walk_go_to_start(w, from);
}

int walk_cut(struct walk *w, char name[static NAME_MAX + 1], bool *is_last)
{
    const char *start = w->rest + strspn(w->rest, "/");
    size_t length = strcspn(start, "/");
    if (length == 0)
        return -ENOENT;
    if (length > NAME_MAX)
        return -ENAMETOOLONG;
    memcpy(name, start, length);
    name[length] = '\0';
    *is_last = start[length] == '\0';
    memmove(w->rest, start + length, strlen(start + length) + 1);
    return 0;
}

int walk_open_directory(const struct walk *w, const char *name)
{
    int fd = openat(w->directory, name, O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 ? fd : -errno;
}

int walk_open_any(const struct walk *w, const char *name)
{
    int fd = openat(w->directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    return fd >= 0 ? fd : -errno;
}

int walk_follow(struct walk *w, int link)
{
    char target[PATH_MAX];
    if (++w->links > MOST_LINKS)
        return -ELOOP;
    ssize_t length = readlinkat(link, "", target, sizeof target);
    if (length < 0)
        return -errno;
    size_t rest = strlen(w->rest);
    if ((size_t)length + rest >= sizeof w->rest)
        return -ENAMETOOLONG;
    memmove(w->rest + length, w->rest, rest + 1);
    memcpy(w->rest, target, (size_t)length);
    return w->rest[0] == '/' ? walk_go_to_start(w, AT_FDCWD) : 0;
}

bool walk_is_of_the_kernel(int link)
{
    struct statfs fs;
    return fstatfs(link, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

bool walk_trusts(uid_t uid)
{
    return uid == 0 || uid == geteuid();
}

/*
 * Room for the texts of one line of /etc/group or /etc/passwd. A group whose members do not fit is
 * not a user's own.
 */
#define NAMES_SIZE 4096

/* Whether a group is this user's own: it has the same name, and no other member. */
static bool is_own_group(gid_t gid)
{
    char texts[2][NAMES_SIZE];
    struct group group, *has_group = NULL;
    struct passwd user, *has_user = NULL;
    if (gid == 0 || gid != getegid() ||
        getgrgid_r(gid, &group, texts[0], NAMES_SIZE, &has_group) != 0 ||
        getpwuid_r(geteuid(), &user, texts[1], NAMES_SIZE, &has_user) != 0)
        return false;
    if (!has_group || !has_user || user.pw_gid != gid || strcmp(user.pw_name, group.gr_name) != 0)
        return false;
    for (char **member = group.gr_mem; *member; member++)
        if (strcmp(*member, user.pw_name) != 0)
            return false;
    return true;
}

bool walk_trusts_entry(const struct stat *directory, const struct stat *entry)
{
    if (!walk_trusts(directory->st_uid))
        return false;
    bool others_write = directory->st_mode & S_IWOTH;
    bool group_writes = (directory->st_mode & S_IWGRP) && !is_own_group(directory->st_gid);
    if (!others_write && !group_writes)
        return true;
    return (directory->st_mode & S_ISVTX) && walk_trusts(entry->st_uid) &&
           (S_ISDIR(entry->st_mode) || entry->st_nlink == 1);
}

/*
 * Goes to the next name of the path if the name can be trusted. Returns 1 at the end, 0 before it,
 * or a negative errno.
 */
static int walk_trusted_step(struct walk *w)
{
    char name[NAME_MAX + 1];
    bool is_last;
    struct stat directory = {0};
    struct stat facts = {0};
    int rc = walk_cut(w, name, &is_last);
    int fd = rc == 0 ? walk_open_any(w, name) : rc;
    if (fd < 0)
        return fd;
    rc = fstat(w->directory, &directory) == 0 && fstat(fd, &facts) == 0 ? 0 : -errno;
    if (rc == 0 && !walk_trusts_entry(&directory, &facts))
        rc = -EACCES;
    if (rc == 0 && S_ISDIR(facts.st_mode)) {
        walk_go_to(w, fd);
        return 0;
    }
    if (rc == 0 && S_ISLNK(facts.st_mode))
        rc = walk_follow(w, fd);
    else if (rc == 0)
        rc = is_last && walk_trusts(facts.st_uid) && !(facts.st_mode & (S_IWGRP | S_IWOTH))
                 ? 1
                 : -EACCES;
    close(fd);
    return rc;
}

bool walk_trusts_path(const char *path)
{
    struct walk w;
    int rc = walk_start(&w, AT_FDCWD, path);
    while (rc == 0)
        rc = walk_trusted_step(&w);
    if (w.directory >= 0)
        close(w.directory);
    return rc > 0;
}

bool walk_trusts_program(const char *path)
{
    return access(path, X_OK) == 0 && walk_trusts_path(path);
}
