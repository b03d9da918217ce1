#include "sys/named_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "sys/stop.h"
#include "sys/walk.h"
#include "util/kernel_file.h"

/* Time between two looks for a signal, which may come just before poll(), in ms. */
#define LOOK_MS 100

/* Room for the text of most files; a longer one gets twice as much whenever it is full. */
#define FIRST_BYTES 65536

/* How far the search for a file has come. */
struct search {
    struct named_file *found;
    struct walk walk; /* walk.directory contains the next name */
    bool was_led;     /* the search has followed a link of another user */
    uid_t stranger;   /* the owner of that link */
    struct stat led;  /* the directory that contains that link */
};

static int refuse_entry(const struct search *s, const char *name, const char *why, struct err *e)
{
    const struct named_file *f = s->found;
    return err_say(e, "%s %s: '%s' belongs to another user, %s", f->purpose, f->path, name, why);
}

static int search_failure(const struct search *s, int code, struct err *e)
{
    return err_system(e, code, "%s %s", s->found->purpose, s->found->path);
}

/* Refuses another user's file in a directory with the sticky bit that all users may write to. */
static int check_sticky(const struct search *s, const struct stat *directory, const char *name,
                        const struct stat *facts, struct err *e)
{
    bool is_shared = (directory->st_mode & S_ISVTX) && (directory->st_mode & (S_IWGRP | S_IWOTH));
    if (!is_shared || walk_trusts(facts->st_uid) || facts->st_uid == directory->st_uid)
        return 0;
    return refuse_entry(s, name, "in a sticky directory that others may write to", e);
}

#define ANYBODY ((uid_t)-1)

/*
 * The user who may have put a link there. If the link has several names, anybody who may write to
 * the directory can have made this one, if the system allows that (fs.protected_hardlinks).
 */
static uid_t maker_of(const struct stat *directory, const struct stat *link)
{
    bool others_write = directory->st_mode & (S_IWGRP | S_IWOTH);
    if (link->st_nlink == 1 || (walk_trusts(directory->st_uid) && !others_write))
        return link->st_uid;
    return walk_trusts(directory->st_uid) ? ANYBODY : directory->st_uid;
}

/* Whether the search may follow a link. It checks the link's target at the end. */
static int check_link(struct search *s, const char *name, const struct stat *link, struct err *e)
{
    struct stat directory;
    if (fstat(s->walk.directory, &directory) != 0)
        return search_failure(s, errno, e);
    int rc = check_sticky(s, &directory, name, link, e);
    uid_t maker = maker_of(&directory, link);
    if (rc != 0 || walk_trusts(maker))
        return rc;
    if (s->was_led && s->stranger != maker)
        return refuse_entry(s, name, "and another user's link leads there", e);
    if (!s->was_led)
        s->led = directory;
    s->was_led = true;
    s->stranger = maker;
    return 0;
}

/* Checks where another user's link has led. */
static int check_end(const struct search *s, const struct stat *directory, struct err *e)
{
    bool is_same = s->led.st_dev == directory->st_dev && s->led.st_ino == directory->st_ino;
    if (!s->was_led || is_same || directory->st_uid == s->stranger)
        return 0;
    return err_say(e, "%s %s: another user's link leads to a directory that is not theirs",
                   s->found->purpose, s->found->path);
}

/* Lets the kernel follow one of its own links. */
static int follow_kernel(struct search *s, const char *name, const struct stat *link, bool is_last,
                         struct err *e)
{
    if (s->was_led || !walk_trusts(link->st_uid))
        return refuse_entry(s, name, "or another user's link leads there", e);
    int fd = openat(s->walk.directory, name, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return search_failure(s, errno, e);
    struct stat facts;
    int rc = fstat(fd, &facts) == 0 ? 0 : search_failure(s, errno, e);
    if (rc == 0 && S_ISDIR(facts.st_mode)) {
        walk_go_to(&s->walk, fd);
        return 0;
    }
    if (rc == 0 && !is_last)
        rc = search_failure(s, ENOTDIR, e);
    if (rc != 0) {
        close(fd);
        return rc;
    }
    s->found->fd = fd;
    s->found->facts = facts;
    return 1;
}

/* Ends the search. fd is -1 if nothing has the name. */
static int end_search(struct search *s, const char *name, int fd, struct err *e)
{
    struct stat directory;
    if (fstat(s->walk.directory, &directory) != 0)
        return search_failure(s, errno, e);
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

/* Examines what has the name, unless it is a directory on the way. */
static int look_at(struct search *s, const char *name, int fd, bool is_last, struct err *e)
{
    struct stat *facts = &s->found->facts;
    if (fstat(fd, facts) != 0)
        return search_failure(s, errno, e);
    if (!S_ISLNK(facts->st_mode)) {
        if (!is_last)
            return search_failure(s, ENOTDIR, e);
        return S_ISDIR(facts->st_mode) ? search_failure(s, EISDIR, e) : end_search(s, name, fd, e);
    }
    int rc = check_link(s, name, facts, e);
    if (rc != 0)
        return rc;
    if (walk_is_of_the_kernel(fd))
        return follow_kernel(s, name, facts, is_last, e);
    rc = walk_follow(&s->walk, fd);
    return rc == 0 ? 0 : search_failure(s, -rc, e);
}

/* Goes one name further. Returns 1 at the end of the path, and 0 before it. */
static int search_step(struct search *s, struct err *e)
{
    char name[NAME_MAX + 1];
    bool is_last = false;
    int rc = walk_cut(&s->walk, name, &is_last);
    if (rc != 0)
        return search_failure(s, rc == -ENOENT ? EISDIR : -rc, e);
    if (!is_last) {
        int directory = walk_open_directory(&s->walk, name);
        if (directory >= 0) {
            walk_go_to(&s->walk, directory);
            return 0;
        }
        if (directory != -ENOTDIR)
            return search_failure(s, -directory, e);
    }
    int fd = walk_open_any(&s->walk, name);
    if (fd < 0)
        return is_last && fd == -ENOENT ? end_search(s, name, -1, e) : search_failure(s, -fd, e);
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
        return search_failure(&s, ENOENT, e);
    int rc = walk_start(&s.walk, AT_FDCWD, path);
    rc = rc == 0 ? 0 : search_failure(&s, -rc, e);
    while (rc == 0)
        rc = search_step(&s, e);
    f->directory = s.walk.directory;
    f->was_led = s.was_led;
    if (rc > 0)
        return 0;
    named_file_release(f);
    return rc;
}

int named_file_open(const struct named_file *f, int flags, struct err *e)
{
    int fd = kernel_file_reopen(f->fd, flags);
    if (fd >= 0)
        return fd;
    if (errno == ENOENT && !kernel_file_exists("/proc/self/fd"))
        return err_system(e, ENOENT, "%s %s: /proc is not mounted", f->purpose, f->path);
    return err_system(e, errno, "%s %s", f->purpose, f->path);
}

bool named_file_is_foreign_pipe(const struct named_file *f)
{
    return f->is_in_place && S_ISFIFO(f->facts.st_mode) && !walk_trusts(f->facts.st_uid);
}

int named_file_open_to_read(const char *purpose, const char *path, struct err *e)
{
    struct named_file f;
    int fd = named_file_find(&f, purpose, path, e);
    if (fd < 0)
        return fd;
    if (f.fd < 0)
        fd = err_system(e, ENOENT, "%s %s", purpose, path);
    else if (named_file_is_foreign_pipe(&f))
        fd = err_say(e, "%s %s: it is a pipe of another user", purpose, path);
    else
        fd = named_file_open(&f, O_RDONLY | O_NONBLOCK, e);
    named_file_release(&f);
    return fd;
}

/* The contents of a file as far as they have been read. */
struct reading {
    int fd;
    const char *purpose;
    const char *path;
    size_t most; /* bytes that the caller wants */
    size_t room; /* bytes that `text` has room for, in addition to a NUL */
    size_t length;
    char *text;
};

/* Waits until the file has data or its end; a pipe without a writer has neither. */
static int wait_for_data(const struct reading *r, struct err *e)
{
    struct pollfd one = {.fd = r->fd, .events = POLLIN};
    int ready = 0;
    while (ready == 0) {
        int rc = stop_check(e);
        if (rc != 0)
            return rc;
        ready = poll(&one, 1, LOOK_MS);
        if (ready < 0 && errno == EINTR)
            ready = 0;
    }
    return ready > 0 ? 0 : err_system(e, errno, "%s %s", r->purpose, r->path);
}

/* Makes room for more bytes, unless there is room, or all that the caller wants has been read. */
static int make_room(struct reading *r, struct err *e)
{
    if (r->text && (r->length < r->room || r->length == r->most))
        return 0;
    size_t more = r->text ? 2 * r->room : FIRST_BYTES;
    r->room = more < r->most ? more : r->most;
    char *larger = realloc(r->text, r->room + 1);
    if (!larger) {
        err_system(e, ENOMEM, "memory for %s", r->path);
        return -ENOMEM; /* written out for the analyzer */
    }
    r->text = larger;
    return 0;
}

/* Reads the next bytes. Returns 1, 0 if there are no more to be read, or a negative errno. */
static int read_more(struct reading *r, struct err *e)
{
    int rc = make_room(r, e);
    if (rc != 0 || r->length == r->most)
        return rc;
    rc = wait_for_data(r, e);
    if (rc != 0)
        return rc;
    ssize_t got = read(r->fd, r->text + r->length, r->room - r->length);
    if (got < 0 && errno != EAGAIN && errno != EINTR)
        return err_system(e, errno, "%s %s", r->purpose, r->path);
    r->length += got > 0 ? (size_t)got : 0;
    return got != 0;
}

int named_file_contents(int fd, const char *purpose, const char *path, size_t most, char **text,
                        size_t *length, struct err *e)
{
    struct reading r = {.fd = fd, .purpose = purpose, .path = path, .most = most};
    int rc = 1;
    while (rc > 0)
        rc = read_more(&r, e);
    *text = NULL;
    *length = 0;
    if (rc != 0) {
        free(r.text);
        return rc;
    }
    r.text[r.length] = '\0';
    *text = r.text;
    *length = r.length;
    return 0;
}

int named_file_read(const char *purpose, const char *path, size_t most, char **text, size_t *length,
                    struct err *e)
{
    int fd = named_file_open_to_read(purpose, path, e);
    *text = NULL;
    if (fd < 0)
        return fd;
    int rc = named_file_contents(fd, purpose, path, most, text, length, e);
    close(fd);
    return rc;
}

void named_file_release(struct named_file *f)
{
    if (f->directory >= 0)
        close(f->directory);
    if (f->fd >= 0)
        close(f->fd);
    f->directory = f->fd = -1;
}
