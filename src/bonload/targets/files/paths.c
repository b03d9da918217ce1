// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/targets/files/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file.h"
#include "util/descriptor.h"
#include "util/units.h"

/* Directories keep only descriptors below this one: requests need others, and 1024 are usual. */
#define MAX_DESCRIPTOR 512
#define PROBES         4 /* number of slots in which a directory may be kept */

struct kept_directory {
    struct path_directory at;
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

/* Opens the directory above all names, once for all threads. e may be NULL. */
static int open_top(struct paths *p, enum path_missing missing, struct path_directory **top,
                    struct err *e)
{
    *top = atomic_load_explicit(&p->top, memory_order_acquire);
    if (*top)
        return 0;
    struct path_directory *found = malloc(sizeof *found);
    int rc = found ? path_open(found, NULL, p->directory, missing, e) : -ENOMEM;
    if (rc == 0 && atomic_compare_exchange_strong(&p->top, top, found)) {
        *top = found;
        return 0;
    }
    if (rc == 0)
        path_close(found);
    free(found);
    return rc;
}

int paths_open_target(struct paths *p, const struct target_setup *setup, struct err *e)
{
    const struct names *n = setup->names;
    const char *text = "";
    struct path_directory *top;
    struct err failure;
    p->setup = *setup;
    if (n->lines) { /* their common prefix */
        text = n->lines[0];
        p->skip = strlen(text);
        for (uint64_t i = 1; i < n->line_count; i++) {
            size_t same = 0;
            while (same < p->skip && n->lines[i][same] == text[same])
                same++;
            p->skip = same;
        }
    } else if (n->part_count > 0 && n->parts[0].kind == NAME_LITERAL) {
        text = n->parts[0].text;
        p->skip = n->parts[0].length;
    }
    while (p->skip > 0 && text[p->skip - 1] != '/')
        p->skip--;
    p->directory = strndup(text, p->skip);
    if (!p->directory)
        return err_system(e, ENOMEM, "allocate memory for the names");
    bool makes = setup->plan->settings->make_directories && plan_has(setup->plan, LOAD_WRITE);
    err_init(&failure);
    int rc = open_top(p, makes ? PATH_MAKES : PATH_FAILS, &top, &failure);
    if (rc == 0)
        path_look_into(top); /* before other ranks make anything in it */
    if (rc != -PATH_LINK)
        return 0; /* any other problem with the directory makes each request fail */
    *e = failure;
    return rc;
}

void paths_close_target(void *shared)
{
    struct paths *p = shared;
    struct path_directory *top = atomic_load(&p->top);
    for (size_t i = 0; i < PATHS_SLOTS; i++) {
        struct kept_directory *kept = atomic_load(&p->slots[i]);
        if (kept)
            path_close(&kept->at);
        free(kept);
    }
    if (top)
        path_close(top);
    free(top);
    free(p->directory);
}

/* The part of a name below the directory above all names. */
static const char *rest_of(const struct paths *p, const char *name)
{
    name += p->skip;
    return p->skip > 0 ? name + strspn(name, "/") : name;
}

/* The kept directory of that name, or NULL. *slot becomes the first free slot for it, or NULL. */
static struct kept_directory *find_kept(struct paths *p, const char *name, size_t length,
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

/* Finds the directory that `length` bytes of a name lead to, for this entry alone. */
static int find_directory(const struct path_directory *top, const char *name, size_t length,
                          enum path_missing missing, struct paths_entry *entry)
{
    char above[PATH_MAX];
    if (length >= sizeof above)
        return -ENAMETOOLONG;
    memcpy(above, name, length);
    above[length] = '\0';
    entry->directory = &entry->found;
    return path_open(&entry->found, *above == '/' ? NULL : top, above, missing, NULL);
}

int paths_find(struct paths *p, const char *name, enum path_missing missing,
               struct paths_entry *entry)
{
    struct path_directory *top;
    _Atomic(struct kept_directory *) *slot;
    int rc = open_top(p, missing, &top, NULL);
    if (rc != 0)
        return rc;
    name = rest_of(p, name);
    const char *slash = strrchr(name, '/');
    entry->directory = top;
    entry->name = slash ? slash + 1 : name;
    entry->found.fd = -1;
    if (!slash)
        return 0;
    size_t length = (size_t)(slash - name);
    if (*name == '/') {
        atomic_store_explicit(&p->has_others, true, memory_order_relaxed);
        return find_directory(top, name, length + 1, missing, entry);
    }
    struct kept_directory *kept = find_kept(p, name, length, &slot);
    if (kept && !atomic_load_explicit(&kept->is_gone, memory_order_relaxed)) {
        entry->directory = &kept->at;
        return 0;
    }
    rc = find_directory(top, name, length, missing, entry);
    if (rc != 0)
        return rc;
    struct kept_directory *ours =
        slot && entry->found.fd < MAX_DESCRIPTOR ? malloc(sizeof *ours + length) : NULL;
    if (ours) {
        struct kept_directory *none = NULL;
        *ours = (struct kept_directory){.at.fd = entry->found.fd, .length = length};
        memcpy(ours->name, name, length);
        while (!(kept = find_kept(p, name, length, &slot)) && slot &&
               !atomic_compare_exchange_strong(slot, &none, ours))
            none = NULL;
        if (!kept && slot) {
            entry->directory = &ours->at;
            entry->found.fd = -1; /* path_close() will leave it open */
            return 0;
        }
        free(ours);
        if (kept && !atomic_load_explicit(&kept->is_gone, memory_order_relaxed)) {
            path_close(&entry->found); /* another thread keeps it by now */
            entry->directory = &kept->at;
            return 0;
        }
    }
    atomic_store_explicit(&p->has_others, true, memory_order_relaxed);
    return 0;
}

bool paths_missed(struct paths *p, const char *name)
{
    struct stat st;
    _Atomic(struct kept_directory *) *slot;
    name = rest_of(p, name);
    const char *slash = strrchr(name, '/');
    struct kept_directory *kept = slash ? find_kept(p, name, (size_t)(slash - name), &slot) : NULL;
    if (!kept || (fstat(kept->at.fd, &st) == 0 && st.st_nlink > 0))
        return false;
    return !atomic_exchange(&kept->is_gone, true);
}

int paths_open(struct paths *p, const char *name, int flags, unsigned how)
{
    const struct settings *s = p->setup.plan->settings;
    bool may_make = (flags & O_CREAT) && s->make_directories;
    bool has_missed = false; /* its kept directory was gone, and another one may have its name */
    struct paths_entry entry;
    if (s->as_goader)
        how |= PATH_FOLLOWS;
    for (enum path_missing missing = PATH_FAILS;;) {
        int fd = paths_find(p, name, missing, &entry);
        if (fd == 0) {
            fd = path_open_file(entry.directory, entry.name, flags, 0644, how);
            path_close(&entry.found);
        }
        if (fd != -ENOENT)
            return fd;
        if (!has_missed && paths_missed(p, name)) {
            has_missed = true;
        } else if (may_make && missing == PATH_FAILS) {
            missing = PATH_MAKES;
            has_missed = false;
        } else {
            return fd;
        }
    }
}

int paths_sync_above(struct paths *p, const char *name)
{
    struct paths_entry entry;
    int rc = paths_find(p, name, PATH_FAILS, &entry);
    if (rc != 0)
        return rc;
    int fd = openat(entry.directory->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const struct io_file file = {.fd = fd, .name = name};
    struct err ignored = {0};
    rc = fd >= 0 ? io_sync(&file, &ignored) : -errno;
    descriptor_close(&fd);
    path_close(&entry.found);
    return rc;
}

int paths_remove(void *shared, uint64_t number)
{
    struct paths *p = shared;
    struct paths_entry entry;
    struct stat st;
    char *name = malloc(p->setup.names->longest + 1);
    if (!name)
        return -ENOMEM;
    names_format(p->setup.names, number, name);
    int rc = paths_find(p, name, PATH_FAILS, &entry);
    if (rc == 0) {
        bool is_kept = fstatat(entry.directory->fd, entry.name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                       !S_ISREG(st.st_mode) && !(p->setup.made && S_ISLNK(st.st_mode));
        if (!is_kept)
            rc = path_remove(entry.directory, entry.name, !atomic_load(&p->has_others));
        rc = rc == -ENOENT ? 0 : rc;
        path_close(&entry.found);
    }
    free(name);
    return rc;
}

void paths_explain(const void *shared, int code, char *text, size_t size)
{
    const struct paths *p = shared;
    const struct path_directory none = {.fd = -1};
    const struct path_directory *top = atomic_load(&p->top);
    path_explain(top ? top : &none, NULL, code, text, size);
}

int workspace_open(struct workspace *w, const struct names *names, size_t bytes, struct err *e)
{
    w->buffer =
        aligned_alloc(WORKSPACE_ALIGNMENT, round_up(bytes > 0 ? bytes : 1, WORKSPACE_ALIGNMENT));
    w->name = malloc(names->longest + 1);
    w->other_name = malloc(names->longest + 1);
    if (w->buffer && w->name && w->other_name)
        return 0;
    return err_system(e, ENOMEM, "allocate memory for the requests of a thread");
}

void workspace_close(void *thread)
{
    struct workspace *w = thread;
    free(w->buffer);
    free(w->name);
    free(w->other_name);
}
