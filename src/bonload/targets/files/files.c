// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/limits.h>
#include <sys/xattr.h>

#include "bonload/targets/target.h"
#include "io/file.h"
#include "measure/clock.h"
#include "storage/page_cache.h"
#include "sys/limits.h"
#include "sys/path.h"
#include "util/descriptor.h"
#include "util/rng.h"

/* The targets on files, disk and meta: first the names, which both share, then each of them.
 *
 * All files are below one directory, the common prefix of the names, which is found only once
 * (sys/path.h). Directories below that to which names have led are kept open for later requests.
 * All threads share them; none is closed before the end. Without a slot, a request has its own. */
#define KEPT_SLOTS 1024
/* Directories keep only descriptors below this one: requests need others, and 1024 are usual. */
#define MAX_DESCRIPTOR 512
#define PROBES         4 /* number of slots in which a directory may be kept */

#define ALIGNMENT      4096 /* of direct transfers, both in memory and in files */
#define LARGEST_BUFFER MIB

struct kept_directory {
    struct path_directory at;
    _Atomic bool is_gone; /* removed: the slot stays taken, but is not used */
    size_t length;
    char name[];
};

struct files {
    struct target_setup setup;
    const struct settings *settings;
    char *directory;                      /* the path of the directory, as the user gave it */
    size_t skip;                          /* length of this path in every name */
    _Atomic(struct path_directory *) top; /* the directory; NULL: not found yet */
    _Atomic(struct kept_directory *) slots[KEPT_SLOTS];
    atomic_bool has_others; /* names led to directories that were not kept */
    size_t buffer_bytes;
    size_t read_bytes; /* disk: largest read */
    struct mix mix;    /* meta: of its operations */
    bool is_root;
};

/* What a thread needs for one request at a time. A target's thread begins with it. */
struct workspace {
    struct files *files;
    unsigned char *buffer; /* of files->buffer_bytes, aligned to ALIGNMENT */
    char *name;            /* room for any name */
    char *other_name;      /* room for a second name */
};

/* The directory that contains the last part of a name, and that part. */
struct entry {
    struct path_directory *directory;
    const char *name;
    struct path_directory found; /* the directory, if it belongs to this entry alone */
};

/* Refuses a URL, which is a valid path but a mistake. */
static int files_check(struct plan *p, const struct settings *s, struct err *e)
{
    if (!s->url || !name_is_url(s->url))
        return 0;
    return err_say(e,
                   "-url is an address on the web, but -requests-engine=%s takes a path; use "
                   "-requests-engine=http",
                   p->target->name);
}

/* Opens the directory above all names, once for all threads. e may be NULL. */
static int open_top(struct files *p, enum path_missing missing, struct path_directory **top,
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

/* Finds the directory above all names. If it is missing, it may be made later. */
static int open_files(struct files *p, const struct target_setup *setup, struct err *e)
{
    const struct names *n = setup->names;
    const char *text = "";
    struct path_directory *top;
    struct err failure;
    p->setup = *setup;
    p->settings = setup->plan->settings;
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
    bool makes = p->settings->make_directories && plan_has(setup->plan, LOAD_WRITE);
    err_init(&failure);
    int rc = open_top(p, makes ? PATH_MAKES : PATH_FAILS, &top, &failure);
    if (rc == 0)
        path_look_into(top); /* before other ranks make anything in it */
    if (rc != -PATH_LINK)
        return 0; /* any other problem with the directory makes each request fail */
    *e = failure;
    return rc;
}

static void files_close(void *shared)
{
    struct files *p = shared;
    struct path_directory *top = atomic_load(&p->top);
    for (size_t i = 0; i < KEPT_SLOTS; i++) {
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
static const char *rest_of(const struct files *p, const char *name)
{
    name += p->skip;
    return p->skip > 0 ? name + strspn(name, "/") : name;
}

/* The kept directory of that name, or NULL. *slot becomes the first free slot for it, or NULL. */
static struct kept_directory *find_kept(struct files *p, const char *name, size_t length,
                                        _Atomic(struct kept_directory *) **slot)
{
    uint64_t first = names_hash(name, length);
    *slot = NULL;
    for (size_t i = 0; i < PROBES; i++) {
        _Atomic(struct kept_directory *) *at = &p->slots[(first + i) % KEPT_SLOTS];
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

/* Finds the entry of a name, which must outlive it. path_close(&entry->found) follows success. */
static int find_entry(struct files *p, const char *name, enum path_missing missing,
                      struct entry *entry)
{
    struct path_directory *top;
    struct kept_directory *kept = NULL;
    _Atomic(struct kept_directory *) *slot = NULL;
    char above[PATH_MAX];
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
    size_t length = (size_t)(slash - name) + (*name == '/');
    if (*name != '/')
        kept = find_kept(p, name, length, &slot);
    if (kept && !atomic_load_explicit(&kept->is_gone, memory_order_relaxed)) {
        entry->directory = &kept->at;
        return 0;
    }
    if (length >= sizeof above)
        return -ENAMETOOLONG;
    memcpy(above, name, length);
    above[length] = '\0';
    entry->directory = &entry->found;
    rc = path_open(&entry->found, *name == '/' ? NULL : top, above, missing, NULL);
    if (rc != 0)
        return rc;
    bool may_keep = slot && entry->found.fd < MAX_DESCRIPTOR;
    struct kept_directory *ours = may_keep ? malloc(sizeof *ours + length) : NULL;
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

/* To be called when the entry that find_entry() found does not exist. If its kept directory has
 * been removed, returns true, and no longer uses it: a new one may have its name. */
static bool entry_missed(struct files *p, const char *name)
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

/* Opens the file with that name as path_open_file() does, and follows a link in the last part of
 * the name only as goader does. With O_CREAT it makes missing directories, too, with -mkdirs. */
static int open_name(struct files *p, const char *name, int flags, unsigned how)
{
    bool may_make = (flags & O_CREAT) && p->settings->make_directories;
    bool has_missed = false; /* its kept directory was gone, and another one may have its name */
    struct entry entry;
    if (p->settings->as_goader)
        how |= PATH_FOLLOWS;
    for (enum path_missing missing = PATH_FAILS;;) {
        int fd = find_entry(p, name, missing, &entry);
        if (fd == 0) {
            fd = path_open_file(entry.directory, entry.name, flags, 0644, how);
            path_close(&entry.found);
        }
        if (fd != -ENOENT)
            return fd;
        if (!has_missed && entry_missed(p, name)) {
            has_missed = true;
        } else if (may_make && missing == PATH_FAILS) {
            missing = PATH_MAKES;
            has_missed = false;
        } else {
            return fd;
        }
    }
}

/* Syncs the directory of a name. Returns 0 or a negative errno. */
static int sync_above(struct files *p, const char *name)
{
    struct entry entry;
    int rc = find_entry(p, name, PATH_FAILS, &entry);
    if (rc != 0)
        return rc;
    int fd = openat(entry.directory->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const struct io_file file = {.fd = fd, .name = name};
    rc = fd >= 0 ? io_sync(&file, NULL) : -errno;
    descriptor_close(&fd);
    path_close(&entry.found);
    return rc;
}

/* Removes the regular file (or, if the target makes more than these, the symbolic link) whose name
 * has that number. Leaves files of other kinds, because runs do not make them. */
static int files_remove(void *shared, uint64_t number)
{
    struct files *p = shared;
    struct entry entry;
    struct stat st;
    char *name = malloc(p->setup.names->longest + 1);
    if (!name)
        return -ENOMEM;
    names_format(p->setup.names, number, name);
    int rc = find_entry(p, name, PATH_FAILS, &entry);
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

/* Writes why an operation has failed in the directory above all names, or below that. */
static void explain(const void *shared, int code, char *text, size_t size)
{
    const struct files *p = shared;
    const struct path_directory none = {.fd = -1};
    const struct path_directory *top = atomic_load(&p->top);
    path_explain(top ? top : &none, NULL, code, text, size);
}

static int files_join(void *thread, void *shared, unsigned channels, struct err *e)
{
    struct files *p = shared;
    struct workspace *w = thread;
    (void)channels;
    w->files = p;
    w->buffer = aligned_alloc(ALIGNMENT, round_up(MAX(p->buffer_bytes, 1), ALIGNMENT));
    w->name = malloc(p->setup.names->longest + 1);
    w->other_name = malloc(p->setup.names->longest + 1);
    bool is_complete = w->buffer && w->name && w->other_name;
    return is_complete ? 0 : err_system(e, ENOMEM, "allocate memory for the requests of a thread");
}

static void files_leave(void *thread)
{
    struct workspace *w = thread;
    free(w->buffer);
    free(w->name);
    free(w->other_name);
}

/* ---- disk ------------------------------------------------------------------------------------ */

/* A write creates or truncates a file, and writes it; a read opens it, and reads to the end. */

/* Approximate size of all buffers together. No buffer is smaller than SMALLEST_BUFFER. */
#define ALL_BUFFERS     (32 * MIB)
#define SMALLEST_BUFFER (32 * KIB)

struct disk_thread {
    struct workspace work;
    struct expected_body expected; /* expected body of the current request */
    /* for a read: the buffer holds a body of this size, to be inspected later */
    uint64_t kept_bytes;
};

static int disk_open(void *shared, const struct target_setup *setup, struct err *e)
{
    struct files *s = shared;
    const struct plan *p = setup->plan;
    uint64_t channels = (uint64_t)p->kinds[LOAD_READ].channels + p->kinds[LOAD_WRITE].channels;
    uint64_t share = MIN(ALL_BUFFERS / MAX(channels, 1), LARGEST_BUFFER);
    uint64_t most = MAX(share, SMALLEST_BUFFER);
    uint64_t chunk = p->settings->chunk_bytes.value;
    /* one byte more than a file has, so that a single read(2) reaches its end */
    uint64_t whole = round_up(MIN(p->most_body + 1, most), ALIGNMENT);
    s->read_bytes = chunk > 0 ? chunk : whole;
    s->buffer_bytes = MAX(whole, round_up(s->read_bytes, ALIGNMENT));
    int rc = plan_has(p, LOAD_WRITE) ? limits_file(p->most_body, e) : 0;
    return rc == 0 ? open_files(s, setup, e) : rc;
}

static void disk_leave(void *thread)
{
    struct disk_thread *t = thread;
    atomic_fetch_add(&t->work.files->setup.verified->bytes, t->expected.checked_bytes);
    files_leave(t);
}

static void disk_prepare(void *thread, struct request *r)
{
    struct disk_thread *t = thread;
    const struct files *s = t->work.files;
    const char *name = t->work.name;
    names_format(s->setup.names, r->number, t->work.name);
    t->kept_bytes = 0;
    if (r->kind == LOAD_READ) {
        expected_of_read(&t->expected, &s->setup, name, r->number, t->work.other_name);
        return;
    }
    expected_of_write(&t->expected, &s->setup, name, r->number);
    if (t->expected.size <= s->buffer_bytes)
        body_fill(s->setup.pattern, &t->expected.body, 0, t->work.buffer, (size_t)t->expected.size);
}

/* Writes a file with the body, which disk_prepare() has made if it fits into the buffer. Direct
 * transfers are whole blocks, so it cuts off the excess afterwards. Returns 0 or a failure. */
static uint32_t disk_write(struct disk_thread *t, struct request *r)
{
    const struct files *s = t->work.files;
    bool direct = s->settings->direct;
    bool durable = s->settings->fsync;
    uint64_t size = t->expected.size;
    int flags = O_WRONLY | O_CREAT | (direct ? O_DIRECT : 0);
    int fd = -EEXIST;
    if (durable || s->settings->removes) { /* these need to know whether the file is new */
        fd = open_name(t->work.files, t->work.name, flags | O_EXCL, 0);
        r->made = fd >= 0;
    }
    if (fd == -EEXIST)
        fd = open_name(t->work.files, t->work.name, flags | O_TRUNC, 0);
    if (fd < 0)
        return failure_of(CALL_OPEN, -fd);
    const struct io_file file = {.fd = fd, .name = t->work.name};
    enum target_call call = CALL_WRITE;
    int rc = 0;
    for (uint64_t at = 0; rc == 0 && at < size;) {
        size_t part = (size_t)MIN(size - at, s->buffer_bytes);
        if (size > s->buffer_bytes) {
            uint64_t before_ns = clock_ns();
            body_fill(s->setup.pattern, &t->expected.body, at, t->work.buffer, part);
            /* making the contents does not count as writing */
            r->aside_ns += clock_ns() - before_ns;
        }
        rc = io_write(&file, t->work.buffer, direct ? round_up(part, ALIGNMENT) : part, at, NULL);
        at += part;
    }
    if (rc == 0 && direct && size % ALIGNMENT != 0 && ftruncate(fd, (off_t)size) != 0)
        rc = -errno;
    if (rc == 0 && durable) {
        call = CALL_SYNC;
        rc = io_sync(&file, NULL);
    }
    if (close(fd) != 0 && errno != EINTR && rc == 0) {
        call = CALL_CLOSE;
        rc = -errno;
    }
    if (rc == 0 && durable && r->made) {
        call = CALL_SYNC;
        rc = sync_above(t->work.files, t->work.name);
    }
    return rc ? failure_of(call, -rc) : 0;
}

/* Reads a file to its end. Where the expected size is reached, a short read is the end. Otherwise
 * checks the kind of the file, and reads until the file's size or an empty read shows the end. */
static uint32_t read_body(struct disk_thread *t, int fd, struct request *r)
{
    const size_t most = t->work.files->read_bytes;
    uint64_t size = 0; /* 0: unknown */
    int seen = 1;
    for (;;) {
        ssize_t got = read(fd, t->work.buffer, most);
        int code = got < 0 ? errno : 0;
        if (code == EINTR)
            continue;
        bool is_all = r->bytes + (size_t)got == t->expected.size && (size_t)got < most;
        if (is_all && r->bytes == 0) {
            r->bytes = t->kept_bytes = (uint64_t)got;
            return 0;
        }
        if (seen > 0)
            seen = path_check_read(fd, &size);
        if (seen != 0)
            return failure_of(CALL_OPEN, -seen);
        if (got <= 0)
            return code ? failure_of(CALL_READ, code) : 0;
        uint64_t before_ns = clock_ns();
        expected_check(&t->expected, &t->work.files->setup, r->bytes, t->work.buffer, (size_t)got);
        r->aside_ns += clock_ns() - before_ns;
        r->bytes += (size_t)got;
        if (is_all || r->bytes == size)
            return 0;
    }
}

/* Evicts a file's pages from the cache, so that the next read comes from storage. Pages that cannot
 * be evicted stay. If the file cannot be opened, the next read fails anyway. */
static void disk_evict(struct disk_thread *t)
{
    struct stat st;
    int fd = open_name(t->work.files, t->work.name, O_RDONLY, 0);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0) {
        struct residency left = page_cache_residency(fd, (uint64_t)st.st_size);
        if (!left.known || left.bytes > 0)
            page_cache_evict(fd, t->work.name, &left, NULL);
    }
    close(fd);
}

static uint32_t disk_read(struct disk_thread *t, struct request *r)
{
    int direct = t->work.files->settings->direct ? O_DIRECT : 0;
    int fd = open_name(t->work.files, t->work.name, O_RDONLY | direct, PATH_ANY_KIND);
    /* if a write replaces a file, as the rule of paths allows, there is no file for a moment */
    if (fd == -ENOENT && expected_is_overlapped(&t->expected, &t->work.files->setup))
        return 0;
    if (fd < 0)
        return failure_of(CALL_OPEN, -fd);
    uint32_t failure = read_body(t, fd, r);
    if (close(fd) != 0 && errno != EINTR && failure == 0)
        failure = failure_of(CALL_CLOSE, errno);
    return failure;
}

static enum target_answer disk_submit(void *thread, struct request *r)
{
    struct disk_thread *t = thread;
    struct written_set *written = t->work.files->setup.written;
    if (r->kind == LOAD_READ) {
        if (t->work.files->settings->evict) {
            disk_evict(t);
            r->aside_ns = clock_ns() - r->start_ns;
        }
        r->failure = disk_read(t, r);
        return TARGET_ENDED;
    }
    uint64_t begun = versions_begin(written, t->expected.body.object);
    r->failure = disk_write(t, r);
    versions_end(written, t->expected.body.object, begun, r->number, r->failure == 0);
    r->bytes = r->failure == 0 ? t->expected.size : 0;
    return TARGET_ENDED;
}

static void disk_inspect(void *thread, struct request *r)
{
    struct disk_thread *t = thread;
    const struct target_setup *setup = &t->work.files->setup;
    if (r->kind == LOAD_WRITE || r->failure != 0)
        return;
    expected_check(&t->expected, setup, 0, t->work.buffer, (size_t)t->kept_bytes);
    r->failure = expected_verdict(&t->expected, setup, r->bytes);
}

static void disk_describe(const void *shared, uint32_t failure, char *text, size_t size)
{
    int code = (int)(failure & 0xffff);
    if (code == PATH_CLOSED)
        explain(shared, code, text, size);
    else
        failure_describe(shared, failure, text, size);
}

const struct target_ops target_disk = {
    .name = "disk",
    .traits = TARGET_BLOCKS | TARGET_NAMES | TARGET_FILES | TARGET_LOCAL,
    .shared_bytes = sizeof(struct files),
    .thread_bytes = sizeof(struct disk_thread),
    .check = files_check,
    .open = disk_open,
    .join = files_join,
    .prepare = disk_prepare,
    .submit = disk_submit,
    .inspect = disk_inspect,
    .leave = disk_leave,
    .describe = disk_describe,
    .remove = files_remove,
    .close = files_close,
};

/* ---- meta ------------------------------------------------------------------------------------ */

/* A mix of operations on the names of a template, whatever kind of file each name has at that
 * moment. It is normal that a file is missing, or exists already: that counts as a miss. */

#define MAX_OWNER 65534

enum meta_op {
    META_WRITE,
    META_READ,
    META_TRUNCATE,
    META_UNLINK,
    META_MKNOD,
    META_STAT,
    META_SETATTR,
    META_SYMLINK,
    META_HARDLINK,
    META_RENAME,
    META_SETXATTR,
    META_GETXATTR,
    META_LISTXATTR,
    META_REMOVEXATTR,
    META_OPS
};

const char *const meta_op_names[META_OPS + 1] = {
    [META_WRITE] = "write",         [META_READ] = "read",
    [META_TRUNCATE] = "truncate",   [META_UNLINK] = "unlink",
    [META_MKNOD] = "mknod",         [META_STAT] = "stat",
    [META_SETATTR] = "setattr",     [META_SYMLINK] = "symlink",
    [META_HARDLINK] = "hardlink",   [META_RENAME] = "rename",
    [META_SETXATTR] = "setxattr",   [META_GETXATTR] = "getxattr",
    [META_LISTXATTR] = "listxattr", [META_REMOVEXATTR] = "removexattr",
};

struct meta_thread {
    struct workspace work;
    struct rng rng; /* random numbers of the current request */
    struct request *request;
    struct entry at;            /* the directory of the name, and the last part of the name */
    char value[XATTR_SIZE_MAX]; /* room for an attribute that is read, or for a list of them */
};

static int meta_open(void *shared, const struct target_setup *setup, struct err *e)
{
    struct files *s = shared;
    int rc = open_files(s, setup, e);
    if (rc != 0)
        return rc;
    s->is_root = geteuid() == 0;
    s->buffer_bytes = MIN(setup->plan->most_body, LARGEST_BUFFER);
    s->buffer_bytes = MAX(s->buffer_bytes, s->settings->xattr_length.value);
    rc = mix_parse(&s->mix, s->settings->meta_ops, meta_op_names, "-meta-ops", e);
    if (rc == 0 && s->mix.weights[META_WRITE] + s->mix.weights[META_TRUNCATE] > 0)
        rc = limits_file(s->settings->offset_limit.value + s->buffer_bytes, e);
    return rc;
}

static int meta_join(void *thread, void *shared, unsigned channels, struct err *e)
{
    struct files *s = shared;
    struct rng rng;
    int rc = files_join(thread, shared, channels, e);
    rng_init(&rng, s->setup.plan->seed, 0);
    for (size_t i = 0; rc == 0 && i < s->buffer_bytes; i++)
        ((struct workspace *)thread)->buffer[i] = (unsigned char)rng_next(&rng); /* nobody checks */
    return rc;
}

static void meta_prepare(void *thread, struct request *r)
{
    struct meta_thread *t = thread;
    const struct files *s = t->work.files;
    rng_init(&t->rng, s->setup.plan->rank_seed + 1 + r->kind, r->number);
    r->op = mix_at(&s->mix, rng_below(&t->rng, s->mix.sum));
    names_format(s->setup.names, r->number, t->work.name);
}

/* Turns the result of a system call into 0 or a negative errno. */
static int outcome(ssize_t result)
{
    return result < 0 ? -errno : 0;
}

/* With -remove, records that the request made the file of its name, if rc is no failure. */
static int note_made(const struct meta_thread *t, int rc)
{
    if (path_is_full(t->at.directory->fd, -rc))
        return -PATH_FULL;
    if (rc >= 0)
        made_note(t->work.files->setup.made, t->request->number);
    return rc;
}

/* Opens the file, but not the target of a link. With -remove, notes whether a write made it. */
static int open_for(const struct meta_thread *t, unsigned op)
{
    struct path_directory *at = t->at.directory;
    const char *name = t->at.name;
    if (op == META_WRITE && !t->work.files->setup.made)
        return path_open_file(at, name, O_WRONLY | O_CREAT, 0644, 0);
    if (op == META_WRITE) {
        int fd = -ENOENT;
        for (int tries = 0; fd == -ENOENT && tries < 8; tries++) {
            fd = note_made(t, path_open_file(at, name, O_WRONLY | O_CREAT | O_EXCL, 0644, 0));
            if (fd != -EEXIST)
                return fd;
            fd = path_open_file(at, name, O_WRONLY, 0, 0);
        }
        return fd;
    }
    if (op == META_TRUNCATE)
        return path_open_file(at, name, O_WRONLY, 0, 0);
    if (op == META_SETATTR && t->work.files->is_root)
        return path_open_file(at, name, O_PATH, 0, PATH_CHANGES | PATH_ANY_KIND);
    bool changes = op == META_SETATTR || op == META_SETXATTR || op == META_REMOVEXATTR;
    return path_open_file(at, name, O_RDONLY, 0, changes ? PATH_CHANGES : PATH_ANY_KIND);
}

static int operate_on_file(struct meta_thread *t, unsigned op)
{
    /* harmless on any kind of file, so the kind is checked only after a failure */
    bool only_looks = op == META_READ || op == META_GETXATTR || op == META_LISTXATTR;
    const struct settings *s = t->work.files->settings;
    char text[40]; /* the name of an attribute */
    uint64_t size = 0;
    size_t body = 0;
    off_t offset = 0;
    ssize_t result = 0;
    int fd = open_for(t, op);
    if (fd < 0)
        return fd;
    if (op == META_WRITE || op == META_READ) {
        size = sizes_of(t->work.files->setup.sizes, t->request->number);
        body = (size_t)MIN(size, t->work.files->buffer_bytes);
    }
    if (op == META_WRITE || op == META_READ || op == META_TRUNCATE)
        offset = (off_t)rng_below(&t->rng, s->offset_limit.value);
    else if (op != META_SETATTR && op != META_LISTXATTR)
        snprintf(text, sizeof text, "user.load%" PRIu64, rng_below(&t->rng, s->xattr_keys.value));
    switch (op) {
    case META_WRITE:
        result = pwrite(fd, t->work.buffer, body, offset);
        break;
    case META_READ:
        result = pread(fd, t->work.buffer, body, offset);
        break;
    case META_TRUNCATE:
        result = ftruncate(fd, offset);
        break;
    case META_SETATTR: /* only root changes the owner; nobody's own permissions are taken away */
        if (t->work.files->is_root) {
            uid_t uid = (uid_t)rng_below(&t->rng, MAX_OWNER);
            gid_t gid = (gid_t)rng_below(&t->rng, MAX_OWNER);
            result = fchownat(fd, "", uid, gid, AT_EMPTY_PATH);
        } else {
            result = fchmod(fd, 0600 | (mode_t)rng_below(&t->rng, 0100));
        }
        break;
    case META_SETXATTR:
        body = (size_t)rng_below(&t->rng, s->xattr_length.value + 1);
        result = fsetxattr(fd, text, t->work.buffer, body, 0);
        break;
    case META_GETXATTR:
        result = fgetxattr(fd, text, t->value, sizeof t->value);
        break;
    case META_LISTXATTR:
        result = flistxattr(fd, t->value, sizeof t->value);
        break;
    case META_REMOVEXATTR:
        result = fremovexattr(fd, text);
        break;
    }
    int rc = outcome(result);
    int kind = rc != 0 && only_looks ? path_check_read(fd, &size) : 0;
    if (rc == 0 && (op == META_WRITE || op == META_READ))
        t->request->bytes = (uint64_t)result;
    if (close(fd) != 0 && errno != EINTR && rc == 0)
        rc = -errno;
    return kind != 0 ? kind : rc;
}

/* Renames the file, or makes a link to another one in its place. */
static int operate_on_two_names(struct meta_thread *t, unsigned op)
{
    struct files *s = t->work.files;
    struct entry other;
    struct path_directory *at = t->at.directory;
    const char *name = t->at.name;
    const char *target = t->work.other_name;
    uint64_t period = s->setup.names->period; /* 0: names do not recur */
    uint64_t number = rng_below(&t->rng, period > 0 ? period : t->request->number) + 1;
    names_format(s->setup.names, number, t->work.other_name);
    if (op == META_HARDLINK && strcmp(t->work.name, target) == 0)
        return -EEXIST;
    int rc = op == META_RENAME ? 0 : path_remove(at, name, false);
    if (rc != 0 && rc != -ENOENT)
        return rc;
    if (op == META_SYMLINK) {
        const char *own_slash = strrchr(t->work.name, '/');
        const char *slash = strrchr(target, '/');
        if (own_slash && slash && own_slash - t->work.name == slash - target &&
            memcmp(t->work.name, target, (size_t)(slash - target)) == 0)
            target = slash + 1; /* a name in the same directory needs no path */
        return note_made(t, outcome(symlinkat(target, at->fd, name)));
    }
    rc = find_entry(s, target, PATH_FAILS, &other);
    if (rc != 0)
        return rc;
    if (op == META_HARDLINK) {
        rc = note_made(t, outcome(linkat(other.directory->fd, other.name, at->fd, name, 0)));
    } else {
        rc = path_check_removed(at, name, false);
        if (rc == 0)
            rc = path_rename(at, name, other.directory, other.name);
        if (rc == 0)
            made_rename(s->setup.made, t->request->number, number);
    }
    path_close(&other.found);
    return rc;
}

static int operate_on_name(struct meta_thread *t, unsigned op)
{
    struct stat st;
    struct path_directory *at = t->at.directory;
    const char *name = t->at.name;
    switch (op) {
    case META_UNLINK:
        return path_remove(at, name, false);
    case META_MKNOD:
        return note_made(t, outcome(mknodat(at->fd, name, S_IFREG | 0644, 0)));
    case META_STAT:
        return outcome(fstatat(at->fd, name, &st, AT_SYMLINK_NOFOLLOW));
    case META_SYMLINK:
    case META_HARDLINK:
    case META_RENAME:
        return operate_on_two_names(t, op);
    default:
        return operate_on_file(t, op);
    }
}

static int find_and_operate(struct meta_thread *t, unsigned op, enum path_missing missing)
{
    int rc = find_entry(t->work.files, t->work.name, missing, &t->at);
    if (rc == 0) {
        rc = operate_on_name(t, op);
        path_close(&t->at.found);
    }
    return rc;
}

static enum target_answer meta_submit(void *thread, struct request *r)
{
    struct meta_thread *t = thread;
    const unsigned op = r->op;
    bool makes_file = op == META_WRITE || op == META_MKNOD || op == META_SYMLINK;
    t->request = r;
    int code = -find_and_operate(t, op, PATH_FAILS);
    if (code == ENOENT) /* for one that makes files: a directory is missing */
        entry_missed(t->work.files, t->work.name);
    if (code == ENOENT && makes_file && t->work.files->settings->make_directories)
        code = -find_and_operate(t, op, PATH_MAKES);
    /* these errors are normal when several operations use the same names */
    bool is_miss = code == EEXIST || code == ENODATA || code == ELOOP || code == EMLINK ||
                   code == ERANGE || (code == ENOENT && !makes_file);
    if (code == ENOSPC || code == E2BIG || code == EOPNOTSUPP)
        is_miss = op >= META_SETXATTR;
    uint32_t reason = code != 0 ? op << 16 | (uint32_t)code : 0;
    r->miss = is_miss ? reason : 0;
    r->failure = is_miss ? 0 : reason;
    return TARGET_ENDED;
}

static void meta_describe(const void *shared, uint32_t failure, char *text, size_t size)
{
    int used = snprintf(text, size, "%s: ", meta_op_names[failure >> 16]);
    explain(shared, (int)(failure & 0xffff), text + used, size - (size_t)used);
}

const struct target_ops target_meta = {
    .name = "meta",
    .traits = TARGET_BLOCKS | TARGET_NAMES | TARGET_NO_KINDS | TARGET_LOCAL,
    .ops = meta_op_names,
    .shared_bytes = sizeof(struct files),
    .thread_bytes = sizeof(struct meta_thread),
    .check = files_check,
    .open = meta_open,
    .join = meta_join,
    .prepare = meta_prepare,
    .submit = meta_submit,
    .leave = files_leave,
    .describe = meta_describe,
    .remove = files_remove,
    .close = files_close,
};
