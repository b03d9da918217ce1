#include "bonload/targets/files/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int paths_check(struct plan *p, const struct settings *s, struct err *e)
{
    if (!s->url || !name_is_url(s->url))
        return 0;
    return err_say(e,
                   "-url is an address on the web, but -requests-engine=%s takes a path; use "
                   "-requests-engine=http",
                   p->target->name);
}

/* Opens the directory above all names. One thread finds it, and all threads use it. */
static int paths_directory(struct paths *p, enum below_missing missing, struct below *b)
{
    *b = (struct below){.fd = atomic_load_explicit(&p->fd, memory_order_acquire),
                        .follows_files = p->follows_links};
    if (b->fd >= 0)
        return 0;
    int rc = below_open(b, NULL, p->directory, missing);
    int none = -1;
    if (rc == 0 && !atomic_compare_exchange_strong(&p->fd, &none, b->fd)) {
        below_close(b);
        b->fd = none;
    }
    b->follows_files = p->follows_links;
    return rc;
}

int paths_begin(struct paths *p, const struct target_setup *setup, struct err *e)
{
    const char *text;
    struct below b;
    p->names = setup->names;
    p->follows_links = setup->plan->settings->as_goader;
    p->makes_directories = setup->plan->make_directories;
    p->skip = names_directory(p->names, &text);
    atomic_init(&p->fd, -1);
    directories_init(&p->kept);
    p->directory = strndup(text, p->skip);
    if (!p->directory)
        return err_system(e, ENOMEM, "memory for the names");
    if (paths_directory(p, BELOW_FAILS, &b) != -BELOW_LINK)
        return 0; /* any other problem with the directory makes each request fail */
    below_say(e, -BELOW_LINK, p->directory, BELOW_FAILS);
    paths_end(p);
    return -BELOW_LINK;
}

void paths_end(struct paths *p)
{
    struct below b = {.fd = atomic_load(&p->fd)};
    directories_close(&p->kept);
    below_close(&b);
    free(p->directory);
    p->directory = NULL;
}

/* The part of a name below that directory. */
static const char *paths_rest(const struct paths *p, const char *name)
{
    name += p->skip;
    return p->skip > 0 ? name + strspn(name, "/") : name;
}

int paths_find(struct paths *p, const char *name, enum below_missing missing,
               struct below_entry *entry)
{
    struct below b;
    int rc = paths_directory(p, missing, &b);
    return rc == 0 ? directories_find(&p->kept, &b, paths_rest(p, name), missing, entry) : rc;
}

bool paths_missed(struct paths *p, const char *name)
{
    return directories_check(&p->kept, paths_rest(p, name));
}

/* Opens a name in its directory. */
typedef int open_in(const struct below *directory, const char *name, int flags);

static int open_to_use(const struct below *directory, const char *name, int flags)
{
    return below_open_file(directory, name, flags, 0644);
}

static int open_once(struct paths *p, const char *name, int flags, enum below_missing missing,
                     open_in *how)
{
    struct below_entry entry;
    int rc = paths_find(p, name, missing, &entry);
    if (rc != 0)
        return rc;
    const struct below directory = {.fd = entry.directory, .follows_files = p->follows_links};
    int fd = how(&directory, entry.name, flags);
    below_release(&entry);
    return fd;
}

/* Opens a file, and tries again if its kept directory has been removed meanwhile. */
static int open_twice(struct paths *p, const char *name, int flags, enum below_missing missing,
                      open_in *how)
{
    int fd = open_once(p, name, flags, missing, how);
    return fd == -ENOENT && paths_missed(p, name) ? open_once(p, name, flags, missing, how) : fd;
}

int paths_open(struct paths *p, const char *name, int flags)
{
    int fd = open_twice(p, name, flags, BELOW_FAILS, open_to_use);
    if (fd != -ENOENT || !(flags & O_CREAT) || !p->makes_directories)
        return fd;
    return open_twice(p, name, flags, BELOW_MAKES, open_to_use);
}

int paths_open_unseen(struct paths *p, const char *name, int flags)
{
    return open_twice(p, name, flags, BELOW_FAILS, below_open_unseen);
}

int paths_sync_above(struct paths *p, const char *name)
{
    struct below_entry entry;
    int rc = paths_find(p, name, BELOW_FAILS, &entry);
    if (rc != 0)
        return rc;
    int fd = openat(entry.directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rc = fd >= 0 && fsync(fd) == 0 ? 0 : -errno;
    if (fd >= 0)
        close(fd);
    below_release(&entry);
    return rc;
}

static bool is_removed(const struct below_entry *entry, bool links)
{
    struct stat st;
    return fstatat(entry->directory, entry->name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
           S_ISREG(st.st_mode) || (links && S_ISLNK(st.st_mode));
}

int paths_remove(struct paths *p, uint64_t number, bool links)
{
    struct below_entry entry;
    char *name = malloc(p->names->longest + 1);
    if (!name)
        return -ENOMEM;
    names_format(p->names, number, name);
    int rc = paths_find(p, name, BELOW_FAILS, &entry);
    if (rc == 0) {
        if (is_removed(&entry, links) && unlinkat(entry.directory, entry.name, 0) != 0 &&
            errno != ENOENT)
            rc = -errno;
        below_release(&entry);
    }
    free(name);
    return rc;
}
