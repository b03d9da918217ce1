#include "bonload/targets/files/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/descriptor.h"
#include "util/units.h"

/*
 * Directories keep only descriptors below this one, to leave the others to requests: a process
 * usually has 1024.
 */
#define MOST_DESCRIPTOR 512

/* Number of slots in which a directory may be kept. */
#define PROBES 4

struct kept_directory {
    struct below at;
    _Atomic bool is_gone; /* removed: the slot stays taken, but is not used */
    size_t length;
    char name[];
};

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
static int open_top(struct paths *p, enum below_missing missing, struct below *b)
{
    int none = -1;
    *b = (struct below){.fd = atomic_load_explicit(&p->fd, memory_order_acquire)};
    if (b->fd >= 0)
        return 0;
    int rc = below_open(b, NULL, p->directory, missing);
    if (rc == 0 && !atomic_compare_exchange_strong(&p->fd, &none, b->fd)) {
        below_close(b);
        b->fd = none;
    }
    return rc;
}

int paths_open_target(void **shared, size_t shared_bytes, const struct target_setup *setup,
                      struct err *e)
{
    const char *text;
    struct below top;
    struct paths *p = *shared = calloc(1, shared_bytes);
    if (!p)
        return err_system(e, ENOMEM, "memory for the target");
    p->setup = *setup;
    atomic_init(&p->fd, -1);
    p->skip = names_directory(setup->names, &text);
    p->directory = strndup(text, p->skip);
    if (!p->directory)
        return err_system(e, ENOMEM, "memory for the names");
    if (open_top(p, BELOW_FAILS, &top) == -BELOW_LINK)
        return below_say(e, -BELOW_LINK, p->directory, BELOW_FAILS);
    return 0; /* any other problem with the directory makes each request fail */
}

void paths_close_target(void *shared)
{
    struct paths *p = shared;
    struct below top = {.fd = atomic_load(&p->fd)};
    for (size_t i = 0; i < PATHS_SLOTS; i++) {
        struct kept_directory *kept = atomic_load(&p->slots[i]);
        if (kept)
            below_close(&kept->at);
        free(kept);
    }
    below_close(&top);
    free(p->directory);
    free(p);
}

/* The part of a name below the directory above all names. */
static const char *rest_of(const struct paths *p, const char *name)
{
    name += p->skip;
    return p->skip > 0 ? name + strspn(name, "/") : name;
}

/* The kept directory of that name, or NULL. *slot becomes the first free slot for it, or NULL. */
static struct kept_directory *look_up(struct paths *p, const char *name, size_t length,
                                      _Atomic(struct kept_directory *) **slot)
{
    uint64_t first = names_hash(name, length);
    *slot = NULL;
    for (size_t i = 0; i < PROBES; i++) {
        _Atomic(struct kept_directory *) *at = &p->slots[(first + i) % PATHS_SLOTS];
        struct kept_directory *kept = atomic_load_explicit(at, memory_order_acquire);
        if (!kept) {
            *slot = at;
            return NULL;
        }
        if (kept->length == length && memcmp(kept->name, name, length) == 0)
            return kept;
    }
    return NULL;
}

/* Keeps the directory that was found, unless another thread has taken the slot. */
static void keep_directory(_Atomic(struct kept_directory *) *slot, const char *name, size_t length,
                           struct below_entry *entry)
{
    struct kept_directory *none = NULL;
    struct kept_directory *kept = malloc(sizeof *kept + length);
    if (!kept)
        return;
    kept->at = entry->found;
    kept->length = length;
    atomic_init(&kept->is_gone, false);
    memcpy(kept->name, name, length);
    if (atomic_compare_exchange_strong(slot, &none, kept))
        entry->found.fd = -1; /* below_release() will leave it open */
    else
        free(kept);
}

int paths_find(struct paths *p, const char *name, enum below_missing missing,
               struct below_entry *entry)
{
    struct below top;
    _Atomic(struct kept_directory *) *slot;
    int rc = open_top(p, missing, &top);
    if (rc != 0)
        return rc;
    name = rest_of(p, name);
    const char *slash = strrchr(name, '/');
    if (!slash || *name == '/')
        return below_find(&top, name, missing, entry);
    size_t length = (size_t)(slash - name);
    const struct kept_directory *kept = look_up(p, name, length, &slot);
    if (kept && !atomic_load_explicit(&kept->is_gone, memory_order_relaxed)) {
        *entry =
            (struct below_entry){.directory = kept->at.fd, .name = slash + 1, .found = {.fd = -1}};
        return 0;
    }
    rc = below_find(&top, name, missing, entry);
    if (rc == 0 && slot && entry->found.fd < MOST_DESCRIPTOR)
        keep_directory(slot, name, length, entry);
    return rc;
}

bool paths_missed(struct paths *p, const char *name)
{
    struct stat st;
    _Atomic(struct kept_directory *) *slot;
    name = rest_of(p, name);
    const char *slash = strrchr(name, '/');
    struct kept_directory *kept = slash ? look_up(p, name, (size_t)(slash - name), &slot) : NULL;
    if (!kept || (fstat(kept->at.fd, &st) == 0 && st.st_nlink > 0))
        return false;
    return !atomic_exchange(&kept->is_gone, true);
}

static int open_once(struct paths *p, const char *name, int flags, enum below_missing missing,
                     bool unseen)
{
    struct below_entry entry;
    int rc = paths_find(p, name, missing, &entry);
    if (rc != 0)
        return rc;
    const struct below directory = {.fd = entry.directory,
                                    .follows_files = p->setup.plan->settings->as_goader};
    int fd = unseen ? below_open_unseen(&directory, entry.name, flags)
                    : below_open_file(&directory, entry.name, flags, 0644);
    below_release(&entry);
    return fd;
}

int paths_open(struct paths *p, const char *name, int flags, bool unseen)
{
    bool may_make = (flags & O_CREAT) && p->setup.plan->settings->make_directories;
    for (enum below_missing missing = BELOW_FAILS;; missing = BELOW_MAKES) {
        int fd = open_once(p, name, flags, missing, unseen);
        if (fd == -ENOENT && paths_missed(p, name))
            fd = open_once(p, name, flags, missing, unseen);
        if (fd != -ENOENT || !may_make || missing == BELOW_MAKES)
            return fd;
    }
}

int paths_sync_above(struct paths *p, const char *name)
{
    struct below_entry entry;
    int rc = paths_find(p, name, BELOW_FAILS, &entry);
    if (rc != 0)
        return rc;
    int fd = openat(entry.directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rc = fd >= 0 && fsync(fd) == 0 ? 0 : -errno;
    descriptor_close(&fd);
    below_release(&entry);
    return rc;
}

/* Whether paths_remove() may remove the entry; true also when it does not exist. */
static bool may_remove(const struct paths *p, const struct below_entry *entry)
{
    struct stat st;
    return fstatat(entry->directory, entry->name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
           S_ISREG(st.st_mode) || (p->setup.made && S_ISLNK(st.st_mode));
}

int paths_remove(void *shared, uint64_t number)
{
    struct paths *p = shared;
    struct below_entry entry;
    char *name = malloc(p->setup.names->longest + 1);
    if (!name)
        return -ENOMEM;
    names_format(p->setup.names, number, name);
    int rc = paths_find(p, name, BELOW_FAILS, &entry);
    if (rc == 0) {
        if (may_remove(p, &entry) && unlinkat(entry.directory, entry.name, 0) != 0 &&
            errno != ENOENT)
            rc = -errno;
        below_release(&entry);
    }
    free(name);
    return rc;
}

int workspace_open(void **thread, size_t thread_bytes, const struct names *names, size_t bytes,
                   struct err *e)
{
    struct workspace *w = calloc(1, thread_bytes);
    if (w) {
        w->buffer = aligned_alloc(WORKSPACE_ALIGNMENT,
                                  round_up(bytes > 0 ? bytes : 1, WORKSPACE_ALIGNMENT));
        w->name = malloc(names->longest + 1);
        w->other_name = malloc(names->longest + 1);
        *thread = w;
        if (w->buffer && w->name && w->other_name)
            return 0;
        workspace_close(w);
    }
    return err_system(e, ENOMEM, "memory for the requests of a thread");
}

void workspace_close(void *thread)
{
    struct workspace *w = thread;
    free(w->buffer);
    free(w->name);
    free(w->other_name);
    free(w);
}
