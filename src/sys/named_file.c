#include "sys/named_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* As the kernel has it (path_resolution(7)). */
#define MOST_LINKS 40

/* Where the search has come to. */
struct search {
    struct named_file *found; /* its directory is that of the next name */
    char rest[PATH_MAX];      /* what is still to be walked */
    unsigned links;
    bool was_led;    /* by a link of another user */
    uid_t stranger;  /* that user */
    struct stat led; /* the directory of that link */
};

static bool is_trusted(uid_t uid)
{
    return uid == 0 || uid == geteuid();
}

static int refuse(const struct search *s, const char *name, const char *why, struct err *e)
{
    const struct named_file *f = s->found;
    return err_say(e, "%s %s: '%s' belongs to another user, %s", f->purpose, f->path, name, why);
}

static int failure(const struct search *s, int code, struct err *e)
{
    return err_system(e, code, "%s %s", s->found->purpose, s->found->path);
}

static void go_to(struct search *s, int directory)
{
    if (s->found->directory >= 0)
        close(s->found->directory);
    s->found->directory = directory;
}

/* Starts where the path does. */
static int go_to_start(struct search *s, struct err *e)
{
    if (s->rest[0] != '/' && s->found->directory >= 0)
        return 0; /* a link goes on from its directory */
    const char *start = s->rest[0] == '/' ? "/" : ".";
    int directory = open(start, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return failure(s, errno, e);
    go_to(s, directory);
    return 0;
}

/* Moves the first name of the rest to name; *is_last when no other follows, not even a slash. */
static int cut_name(struct search *s, char name[static NAME_MAX + 1], bool *is_last, struct err *e)
{
    const char *start = s->rest + strspn(s->rest, "/");
    size_t length = strcspn(start, "/");
    if (length == 0)
        return failure(s, EISDIR, e);
    if (length > NAME_MAX)
        return failure(s, ENAMETOOLONG, e);
    memcpy(name, start, length);
    name[length] = '\0';
    *is_last = start[length] == '\0';
    memmove(s->rest, start + length, strlen(start + length) + 1);
    return 0;
}

/* In a directory that all may write to, and only owners take away from, what is there is theirs. */
static int check_sticky(const struct search *s, const struct stat *directory, const char *name,
                        const struct stat *facts, struct err *e)
{
    bool is_shared = (directory->st_mode & S_ISVTX) && (directory->st_mode & (S_IWGRP | S_IWOTH));
    if (!is_shared || is_trusted(facts->st_uid) || facts->st_uid == directory->st_uid)
        return 0;
    return refuse(s, name, "in a sticky directory that others may write to", e);
}

#define ANYBODY ((uid_t)-1)

/*
 * The user who may have put a link there. A link of several names can have got this one from
 * anybody who may write to the directory, if the system lets them (fs.protected_hardlinks).
 */
static uid_t maker_of(const struct stat *directory, const struct stat *link)
{
    bool others_write = directory->st_mode & (S_IWGRP | S_IWOTH);
    if (link->st_nlink == 1 || (is_trusted(directory->st_uid) && !others_write))
        return link->st_uid;
    return is_trusted(directory->st_uid) ? ANYBODY : directory->st_uid;
}

/* Whether the link may be followed for now: where it leads to is seen at the end. */
static int check_link(struct search *s, const char *name, const struct stat *link, struct err *e)
{
    struct stat directory;
    if (++s->links > MOST_LINKS)
        return failure(s, ELOOP, e);
    if (fstat(s->found->directory, &directory) != 0)
        return failure(s, errno, e);
    int rc = check_sticky(s, &directory, name, link, e);
    uid_t maker = maker_of(&directory, link);
    if (rc != 0 || is_trusted(maker))
        return rc;
    if (s->was_led && s->stranger != maker)
        return refuse(s, name, "and another user's link leads there", e);
    if (!s->was_led)
        s->led = directory;
    s->was_led = true;
    s->stranger = maker;
    return 0;
}

/* Where a link of somebody else has led. */
static int check_end(const struct search *s, const struct stat *directory, struct err *e)
{
    bool is_same = s->led.st_dev == directory->st_dev && s->led.st_ino == directory->st_ino;
    if (!s->was_led || is_same || directory->st_uid == s->stranger)
        return 0;
    return err_say(e, "%s %s: another user's link leads to a directory that is not theirs",
                   s->found->purpose, s->found->path);
}

static int read_link(struct search *s, int link, struct err *e)
{
    char target[PATH_MAX];
    ssize_t length = readlinkat(link, "", target, sizeof target);
    if (length < 0)
        return failure(s, errno, e);
    size_t rest = strlen(s->rest);
    if ((size_t)length + rest >= sizeof s->rest)
        return failure(s, ENAMETOOLONG, e);
    memmove(s->rest + length, s->rest, rest + 1);
    memcpy(s->rest, target, (size_t)length);
    return go_to_start(s, e);
}

/* Nobody but the kernel makes links there, and only the kernel knows where they lead. */
static bool is_of_the_kernel(int link)
{
    struct statfs fs;
    return fstatfs(link, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* Has the kernel follow its own link. */
static int follow_kernel(struct search *s, const char *name, const struct stat *link, bool is_last,
                         struct err *e)
{
    if (s->was_led || !is_trusted(link->st_uid))
        return refuse(s, name, "or another user's link leads there", e);
    int fd = openat(s->found->directory, name, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return failure(s, errno, e);
    struct stat facts;
    int rc = fstat(fd, &facts) == 0 ? 0 : failure(s, errno, e);
    if (rc == 0 && S_ISDIR(facts.st_mode)) {
        go_to(s, fd);
        return 0;
    }
    if (rc == 0 && !is_last)
        rc = failure(s, ENOTDIR, e);
    if (rc != 0) {
        close(fd);
        return rc;
    }
    s->found->fd = fd;
    s->found->facts = facts;
    return 1;
}

/* The search ends here; fd is -1 where nothing has the name. */
static int end(struct search *s, const char *name, int fd, struct err *e)
{
    struct stat directory;
    if (fstat(s->found->directory, &directory) != 0)
        return failure(s, errno, e);
    int rc = check_end(s, &directory, e);
    if (rc == 0 && fd >= 0)
        rc = check_sticky(s, &directory, name, &s->found->facts, e);
    if (rc != 0)
        return rc;
    snprintf(s->found->name, sizeof s->found->name, "%s", name);
    s->found->is_in_place = true;
    s->found->fd = fd;
    return 1;
}

/* What has the name, if it is not just a directory on the way. */
static int look_at(struct search *s, const char *name, int fd, bool is_last, struct err *e)
{
    struct stat *facts = &s->found->facts;
    if (fstat(fd, facts) != 0)
        return failure(s, errno, e);
    if (!S_ISLNK(facts->st_mode)) {
        if (!is_last)
            return failure(s, ENOTDIR, e);
        return S_ISDIR(facts->st_mode) ? failure(s, EISDIR, e) : end(s, name, fd, e);
    }
    int rc = check_link(s, name, facts, e);
    if (rc != 0)
        return rc;
    if (is_of_the_kernel(fd))
        return follow_kernel(s, name, facts, is_last, e);
    return read_link(s, fd, e);
}

/* Walks one name further. Returns 1 at the end, 0 before it. */
static int step(struct search *s, struct err *e)
{
    char name[NAME_MAX + 1];
    bool is_last = false;
    int rc = cut_name(s, name, &is_last, e);
    if (rc != 0)
        return rc;
    if (!is_last) { /* as a directory at first: what is mounted there on demand is mounted then */
        int directory =
            openat(s->found->directory, name, O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
        if (directory >= 0) {
            go_to(s, directory);
            return 0;
        }
        if (errno != ENOTDIR)
            return failure(s, errno, e);
    }
    int fd = openat(s->found->directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return is_last && errno == ENOENT ? end(s, name, -1, e) : failure(s, errno, e);
    rc = look_at(s, name, fd, is_last, e);
    if (s->found->fd != fd)
        close(fd);
    return rc;
}

int named_file_find(struct named_file *f, const char *purpose, const char *path, struct err *e)
{
    struct search s = {.found = f};
    *f = (struct named_file){.purpose = purpose, .path = path, .directory = -1, .fd = -1};
    if (path[0] == '\0')
        return failure(&s, ENOENT, e);
    if (strlen(path) >= sizeof s.rest)
        return failure(&s, ENAMETOOLONG, e);
    strcpy(s.rest, path);
    int rc = go_to_start(&s, e);
    while (rc == 0)
        rc = step(&s, e);
    if (rc > 0)
        return 0;
    named_file_release(f);
    return rc;
}

int named_file_open(const struct named_file *f, int flags, struct err *e)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
    int fd = open(path, flags | O_CLOEXEC | O_NOCTTY);
    return fd >= 0 ? fd : err_system(e, errno, "%s %s", f->purpose, f->path);
}

void named_file_release(struct named_file *f)
{
    if (f->directory >= 0)
        close(f->directory);
    if (f->fd >= 0)
        close(f->fd);
    f->directory = f->fd = -1;
}
