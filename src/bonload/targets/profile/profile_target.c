// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/targets/profile/profile_target.h"

#include "bonload/targets/target.h"
#include "measure/clock.h"
#include "storage/scratch.h"
#include "sys/limits.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/rng.h"

/* ---- gauges ---------------------------------------------------------------------------------- */

void gauge_init(struct gauge *g, uint64_t limit_ns)
{
    g->limit_ns = limit_ns;
    g->begin_ns = clock_ns();
    pthread_mutex_init(&g->lock, NULL);
}

static void gauge_restart(struct gauge *g)
{
    pthread_mutex_lock(&g->lock);
    histogram_clear(&g->durations);
    memset(g->slices, 0, sizeof g->slices);
    g->used = 0;
    g->last_above_ns = 0;
    g->begin_ns = clock_ns();
    pthread_mutex_unlock(&g->lock);
}

void gauge_add(struct gauge *g, uint64_t duration_ns, uint64_t end_ns)
{
    pthread_mutex_lock(&g->lock);
    uint64_t slice = end_ns > g->begin_ns ? (end_ns - g->begin_ns) / GAUGE_SLICE_NS : 0;
    unsigned place = (unsigned)MIN(slice, GAUGE_SLICES - 1);
    struct gauge_slice *s = &g->slices[place];
    g->used = MAX(g->used, place + 1);
    s->count++;
    if (duration_ns > g->limit_ns) {
        s->above++;
        g->last_above_ns = MAX(g->last_above_ns, end_ns);
    }
    histogram_record(&g->durations, duration_ns);
    pthread_mutex_unlock(&g->lock);
}

void gauge_end(struct gauge *g, uint64_t load_end_ns)
{
    g->outlasts_load = g->last_above_ns > load_end_ns + GAUGE_SLICE_NS;
}

void gauge_append(struct gauge *whole, const struct gauge *part)
{
    whole->outlasts_load |= part->outlasts_load;
    histogram_merge(&whole->durations, &part->durations);
    for (unsigned i = 0; i < part->used; i++) {
        if (whole->used < GAUGE_SLICES)
            whole->used++;
        struct gauge_slice *s = &whole->slices[whole->used - 1];
        s->count += part->slices[i].count;
        s->above += part->slices[i].above;
    }
}

/* ---- group commit ---------------------------------------------------------------------------- */

/* Closes the batch of all waiting records, which is now the current one. */
static void seal_batch(struct commit_group *g)
{
    g->records = g->waiting;
    g->waiting = 0;
    g->batch++;
    g->is_busy = true;
}

int commit_group_join(struct commit_group *g, uint64_t *sync_ns)
{
    pthread_mutex_lock(&g->lock);
    uint64_t mine = g->batch + 1; /* the next batch, which this thread must store if it leads */
    bool leads = !g->is_busy;
    g->waiting++;
    if (leads)
        seal_batch(g);
    pthread_mutex_unlock(&g->lock);
    while (!leads) {
        uint32_t seen = event_count(&g->ended);
        if (atomic_load(&g->durable) >= mine)
            break;
        pthread_mutex_lock(&g->lock);
        leads = g->is_handed && g->batch == mine; /* it is ready, and no thread has taken it */
        g->is_handed = g->is_handed && !leads;
        pthread_mutex_unlock(&g->lock);
        if (!leads)
            event_wait(&g->ended, seen, EVENT_NO_DEADLINE);
    }
    if (leads) {
        uint64_t longest_ns = 0;
        int code = atomic_load(&g->failure);
        if (code == 0)
            code = g->store(g->context, g->records, &longest_ns);
        pthread_mutex_lock(&g->lock);
        if (code != 0)
            atomic_store(&g->failure, code);
        atomic_store(&g->sync_ns, longest_ns);
        atomic_store(&g->durable, g->batch);
        g->is_busy = false;
        if (g->waiting > 0) {
            seal_batch(g);
            g->is_handed = true;
        }
        pthread_mutex_unlock(&g->lock);
        event_happens(&g->ended, EVENT_WAKES_ALL);
    }
    *sync_ns = atomic_load(&g->sync_ns);
    return atomic_load(&g->failure);
}

/* ---- files ----------------------------------------------------------------------------------- */

#define STORAGE_ALIGNMENT 4096 /* of buffers, as O_DIRECT requires */
#define FILL_BYTES        MIB
#define MAX_WRITE         (128 * KIB) /* a log's larger writes are split, as by programs' buffers */
#define LATE_PERIODS      10 /* work that is late catches up by no more than so many periods */
#define PAGES_LATCHES     64
#define LOG_SEGMENTS      8

/* A file of the profile. Its kind decides which fields it uses; all others are zeros. */
struct used_file {
    const struct profile_file *file; /* NULL: there is none */
    struct state *state;
    unsigned number; /* of its name and the stamps of its contents; a segment adds its index */
    int fds[LOG_SEGMENTS]; /* a log's segments; a mailbox's tmp and new; else the first; or -1 */
    uint64_t at; /* end of what was written last; in a log, of the records in the segment */
    bool is_created_later; /* by a step; otherwise before the load */

    /* Pages are written at least once each. The numbers of writes tell what a page contains. */
    uint64_t pages;
    _Atomic uint32_t *begun; /* for each page, the number of writes that have begun */
    _Atomic uint32_t *ended; /* the same of those that have ended */
    pthread_mutex_t latches[PAGES_LATCHES]; /* let only one thread at a time write a page */

    /* A mailbox as in maildir(5): a message is a file, delivered when its name is in `new`. */
    _Atomic uint64_t messages; /* number of messages begun; messages are numbered from 1 */
    _Atomic uint64_t expired;  /* number of the message that was removed last */

    /* A full segment of a log is followed by the next one, and the last one by the first. A
     * thread refreshes each segment before its next turn, unless segments are recycled. */
    uint64_t record_bytes;
    bool syncs;              /* syncs after each write */
    _Atomic bool is_syncing; /* a step syncs it, for which a write may be put off */
    uint64_t put_off;        /* number of records whose write was put off */
    uint64_t put_off_ns;     /* when the first of them came */
    struct commit_group group;
    _Atomic bool is_fresh[LOG_SEGMENTS]; /* the segment is ready for its next turn */
    _Atomic unsigned segment;            /* the current segment */
    uint64_t cycle; /* generation of the contents: grows with each turn of the first segment */
    unsigned char *buffer;
    size_t buffer_bytes;
    struct event turned; /* when a segment begins or is refreshed, and when the log closes */
    _Atomic bool is_closing;
    _Atomic int keeper_failure;
    pthread_t keeper;
    bool has_keeper;

    /* Steps write others where they say, one thread at a time (state.turn). */
    uint64_t writes;
};

struct actor {
    struct state *shared;
    struct rng random;
    bool makes_requests;   /* requests wait for its syncs */
    unsigned char *buffer; /* of state.buffer_bytes */
    uint64_t sync_ns;      /* longest sync in the last call of actor_do(); 0: none */
    uint64_t aside_ns;     /* part of its time that does not count: checking pages */
    uint64_t bytes;        /* number of bytes that it moved */
    enum target_call call; /* the call that failed in it */
};

/* Work beside the requests: a thread that does its steps at its own pace. */
struct background_work {
    const struct profile_work *work;
    struct actor actor;
    struct gauge gauge; /* durations of the work */
    bool takes_turns;   /* as in struct state */
    pthread_t thread;
    bool has_thread;
};

struct state {
    struct target_setup setup;
    const struct profile *profile;
    struct scratch scratch;
    bool has_scratch;
    struct gauge syncs;                    /* durations of the syncs that requests wait for */
    uint64_t buffer_bytes;                 /* room for what any step reads or writes */
    struct used_file files[PROFILE_FILES]; /* in the order of profile.files */
    pthread_mutex_t turn;                  /* held by who does steps with plain files */
    bool takes_turns;                      /* requests do such steps */
    _Atomic uint64_t done;                 /* requests, for the work that one of so many does */
    struct background_work works[PROFILE_WORKS];
    struct event ends; /* happens when all work beside the requests must end */
    _Atomic bool is_ending;
    _Atomic uint64_t threads; /* number of threads that have joined */
    _Atomic uint32_t failure; /* the first failure that ends the run; 0: none */
};

/* Makes a segment, or a file without them, that has no name. Fails with a line in e. */
static int make_file(struct used_file *f, unsigned segment, struct err *e)
{
    const struct scratch *s = &f->state->scratch;
    unsigned number = f->number + segment;
    bool is_named;
    int fd = scratch_make_data_file(s, number, &is_named, e);
    if (fd < 0)
        return fd;
    if (is_named) {
        int rc = scratch_remove_data_file(s, number, e);
        close(fd);
        return rc ? rc
                  : err_say(e, "%s: %s", s->path,
                            kernel_file_exists("/proc/self/fd")
                                ? "the filesystem does not support files without a name"
                                : "/proc is not mounted, through which files are opened again");
    }
    int direct =
        f->file->is_direct ? scratch_reopen(fd, O_RDWR | O_DIRECT, f->file->name, NULL) : -1;
    if (direct >= 0) /* otherwise the profile does not want it, or it is not supported */
        close(fd);
    f->fds[segment] = direct >= 0 ? direct : fd;
    return 0;
}

/* Writes the whole buffer at offset `at`, or at the file's position if that is -1. Returns 0 or a
 * positive errno, as do all functions below that are part of a request. */
static int storage_write(int fd, const unsigned char *from, size_t length, int64_t at)
{
    while (length > 0) {
        ssize_t written = at < 0 ? write(fd, from, length) : pwrite(fd, from, length, (off_t)at);
        if (written == 0)
            return EIO;
        if (written < 0 && errno != EINTR)
            return errno;
        size_t done = written > 0 ? (size_t)written : 0;
        from += done;
        length -= done;
        at += at < 0 ? 0 : (int64_t)done;
    }
    return 0;
}

/* Reserves room from the start of a file, if the filesystem can. */
static int storage_reserve(int fd, uint64_t bytes)
{
    while (fallocate(fd, 0, 0, (off_t)bytes) != 0)
        if (errno != EINTR)
            return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : errno;
    return 0;
}

/* Calls fdatasync(2), or fsync(2) if `all`, again whenever a signal interrupts it. Unless
 * longest_ns is NULL, a request waits: *longest_ns grows to the duration, and s->syncs gets it. */
static int storage_sync(struct state *s, int fd, bool all, uint64_t *longest_ns)
{
    uint64_t begin_ns = clock_ns();
    int code;
    do
        code = (all ? fsync(fd) : fdatasync(fd)) == 0 ? 0 : errno;
    while (code == EINTR);
    if (!longest_ns)
        return code;
    uint64_t end_ns = clock_ns();
    gauge_add(&s->syncs, end_ns - begin_ns, end_ns);
    *longest_ns = MAX(*longest_ns, end_ns - begin_ns);
    return code;
}

/* Opens a directory, syncs it as storage_sync() does, and closes it. */
static int sync_directory(struct state *s, const char *name, bool all, uint64_t *longest_ns)
{
    int fd = directory_open(s->scratch.fd, name);
    int code = fd < 0 ? -fd : storage_sync(s, fd, all, longest_ns);
    descriptor_close(&fd);
    return code;
}

/* Writes the first generation of the contents from a segment's start, and syncs it. */
static int fill_file(const struct used_file *f, unsigned segment, uint64_t bytes, struct err *e)
{
    const struct state *s = f->state;
    const int fd = f->fds[segment];
    unsigned char *buffer = aligned_alloc(STORAGE_ALIGNMENT, FILL_BYTES);
    int rc = buffer ? 0 : err_system(e, ENOMEM, "allocate memory for a buffer");
    for (uint64_t at = 0; rc == 0 && at < bytes; at += FILL_BYTES) {
        size_t part = MIN(bytes - at, FILL_BYTES);
        pattern_fill(s->setup.pattern, buffer, part, f->number + segment, at, 0);
        int code = storage_write(fd, buffer, part, (int64_t)at);
        rc = code ? err_system(e, code, "write the file '%s' in %s", f->file->name, s->scratch.path)
                  : stop_check(e);
    }
    free(buffer);
    int code = rc == 0 ? storage_sync(NULL, fd, true, NULL) : 0;
    return code ? err_system(e, code, "fsync the file '%s' in %s", f->file->name, s->scratch.path)
                : rc;
}

/* The latch of a page. Latches are taken in ascending order, so there is no deadlock. */
static unsigned latch_of(const struct used_file *f, uint64_t page)
{
    return (unsigned)(page * PAGES_LATCHES / f->pages);
}

/* Writes the next generation of consecutive pages. */
static int write_pages(struct used_file *f, uint64_t first, unsigned count, unsigned char *buffer)
{
    const uint64_t unit = f->file->unit;
    const unsigned last_latch = latch_of(f, first + count - 1);
    for (unsigned i = latch_of(f, first); i <= last_latch; i++)
        pthread_mutex_lock(&f->latches[i]);
    for (unsigned i = 0; i < count; i++) {
        uint32_t generation = atomic_fetch_add(&f->begun[first + i], 1) + 1;
        pattern_fill(f->state->setup.pattern, buffer + i * unit, unit, f->number,
                     (first + i) * unit, generation);
    }
    int code = storage_write(f->fds[0], buffer, count * unit, (int64_t)(first * unit));
    for (unsigned i = 0; code == 0 && i < count; i++)
        atomic_store(&f->ended[first + i], atomic_load(&f->begun[first + i]));
    for (unsigned i = latch_of(f, first); i <= last_latch; i++)
        pthread_mutex_unlock(&f->latches[i]);
    return code;
}

/* ---- a mailbox ------------------------------------------------------------------------------- */

enum { MAILBOX_TMP, MAILBOX_NEW, MAILBOX_DIRECTORIES };
static const char *const mailbox_names[] = {"tmp", "new"};

static struct made_name message_name(uint64_t number)
{
    struct made_name name;
    snprintf(name.text, sizeof name.text, "%016" PRIx64, number);
    return name;
}

static int mailbox_remove(struct used_file *f, struct err *e)
{
    const struct scratch *s = &f->state->scratch;
    int rc = 0;
    for (unsigned i = 0; i < MAILBOX_DIRECTORIES && f->fds[i] >= 0; i++) {
        int code = 0;
        for (uint64_t k = atomic_load(&f->expired) + 1; k <= atomic_load(&f->messages); k++) {
            if (unlinkat(f->fds[i], message_name(k).text, 0) != 0 && code == 0 && errno != ENOENT)
                code = errno;
        }
        descriptor_close(&f->fds[i]);
        int removed = code ? err_system(e, code, "unlink a message in %s/%s", s->path, s->name)
                           : scratch_remove(s, mailbox_names[i], AT_REMOVEDIR, "remove", e);
        rc = rc ? rc : removed;
    }
    return rc;
}

/* Delivers a message; the failed call is in *call. The longer of its two syncs is timed. */
static int mailbox_deliver(struct used_file *f, unsigned char *buffer, uint64_t *longest_ns,
                           enum target_call *call)
{
    const int tmp = f->fds[MAILBOX_TMP];
    uint64_t number = atomic_fetch_add(&f->messages, 1) + 1;
    const struct made_name name = message_name(number);
    pattern_fill(f->state->setup.pattern, buffer, f->file->bytes, number, 0, 0);
    *call = CALL_OPEN;
    int fd = openat(tmp, name.text, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    *call = CALL_WRITE;
    int code = storage_write(fd, buffer, f->file->bytes, -1);
    if (code == 0) {
        *call = CALL_SYNC;
        code = storage_sync(f->state, fd, true, longest_ns);
    }
    if (close(fd) != 0 && errno != EINTR && code == 0) {
        *call = CALL_CLOSE;
        code = errno;
    }
    if (code != 0)
        return code;
    *call = CALL_RENAME;
    if (renameat(tmp, name.text, f->fds[MAILBOX_NEW], name.text) != 0)
        return errno;
    *call = CALL_SYNC;
    return sync_directory(f->state, "new", true, longest_ns); /* each time, as dovecot-lda does */
}

/* Unlinks the oldest messages beyond those to keep. A message that is still being delivered does
 * not exist yet: this one and all later ones stay until the next call. */
static int mailbox_expire(struct used_file *f)
{
    uint64_t next = atomic_load(&f->expired) + 1;
    for (; next + f->file->count <= atomic_load(&f->messages); next++) {
        if (unlinkat(f->fds[MAILBOX_NEW], message_name(next).text, 0) != 0)
            return errno == ENOENT ? 0 : errno;
        atomic_store(&f->expired, next);
    }
    return 0;
}

/* ---- a log ----------------------------------------------------------------------------------- */

/* The thread that frees the storage of used segments, and reserves it again for their next turn. */
static void *keep_fresh(void *context)
{
    struct used_file *f = context;
    stop_block_signals();
    while (!atomic_load(&f->is_closing)) {
        uint32_t seen = event_count(&f->turned);
        for (unsigned i = 0; i < f->file->count; i++) {
            if (i == atomic_load(&f->segment) || atomic_load(&f->is_fresh[i]))
                continue;
            int fd = f->fds[i];
            int code = ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0 ? errno : 0;
            if (code == 0 && f->file->segment == SEGMENT_PREALLOCATED)
                code = storage_reserve(fd, f->file->bytes);
            if (code != 0)
                atomic_store(&f->keeper_failure, code);
            atomic_store(&f->is_fresh[i], true);
            event_happens(&f->turned, EVENT_WAKES_ALL);
        }
        if (!atomic_load(&f->is_closing))
            event_wait(&f->turned, seen, clock_ns() + BILLION);
    }
    return NULL;
}

/* commit_group.store for a log. Puts the write off while a step syncs the log, if the profile does,
 * but no longer than that says. Otherwise writes all units from the one in which the records begin
 * to the one in which they end, at most MAX_WRITE at once. Waits for a fresh segment. */
static int store_records(void *context, uint64_t records, uint64_t *sync_ns)
{
    struct used_file *f = context;
    const uint64_t unit = f->file->unit;
    if (f->file->put_off_ns > 0 && atomic_load(&f->is_syncing)) {
        uint64_t now_ns = clock_ns();
        f->put_off_ns = f->put_off > 0 ? f->put_off_ns : now_ns;
        if (now_ns - f->put_off_ns < f->file->put_off_ns) {
            f->put_off += records;
            return 0;
        }
    }
    uint64_t bytes = (f->put_off + records) * f->record_bytes;
    f->put_off = 0;
    while (bytes > 0) {
        const unsigned segment = atomic_load(&f->segment);
        uint64_t room = (f->file->bytes - f->at) / f->record_bytes * f->record_bytes;
        uint64_t written = MIN(bytes, room);
        uint64_t from = f->at / unit * unit;
        uint64_t end = written > 0 ? round_up(f->at + written, unit) : from;
        f->at += written;
        bytes -= written;
        while (from < end) {
            size_t part = (size_t)MIN(end - from, f->buffer_bytes);
            pattern_fill(f->state->setup.pattern, f->buffer, part, f->number + segment, from,
                         f->cycle);
            int code =
                storage_write(f->fds[segment], f->buffer, part, unit == 1 ? -1 : (int64_t)from);
            if (code != 0)
                return code;
            from += part;
        }
        if (bytes == 0)
            break;
        unsigned next = (segment + 1) % f->file->count;
        for (;;) {
            uint32_t seen = event_count(&f->turned);
            if (atomic_load(&f->is_fresh[next]))
                break;
            event_wait(&f->turned, seen, clock_ns() + BILLION);
        }
        int code = atomic_load(&f->keeper_failure);
        if (code != 0)
            return code;
        if (f->has_keeper)
            atomic_store(&f->is_fresh[segment], false);
        f->at = 0;
        f->cycle += next == 0;
        atomic_store(&f->segment, next);
        event_happens(&f->turned, EVENT_WAKES_ALL);
    }
    return f->syncs ? storage_sync(f->state, f->fds[atomic_load(&f->segment)], false, sync_ns) : 0;
}

/* ---- a file that steps write where they say -------------------------------------------------- */

/* A new file, not the last one cut to nothing: ext4 writes the contents of that at its close. */
static int plain_create(struct used_file *f)
{
    const struct made_name name = made_name(MADE_FILE, f->number);
    int directory = f->state->scratch.fd;
    descriptor_close(&f->fds[0]);
    do
        f->fds[0] =
            openat(directory, name.text, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    while (f->fds[0] < 0 && errno == EEXIST && unlinkat(directory, name.text, 0) == 0);
    f->at = 0;
    return f->fds[0] >= 0 ? 0 : errno;
}

static int plain_remove(struct used_file *f)
{
    descriptor_close(&f->fds[0]);
    return unlinkat(f->state->scratch.fd, made_name(MADE_FILE, f->number).text, 0) == 0 ? 0 : errno;
}

/* ---- a profile ------------------------------------------------------------------------------- */

/* Finds out what steps need. Returns whether only one thread at a time may do them. */
static bool take_steps(struct state *s, const struct profile_step *steps)
{
    bool takes_turns = false;
    for (const struct profile_step *step = steps;
         step < steps + PROFILE_STEPS && step->act != ACT_NONE; step++) {
        const struct profile_file *f = &s->profile->files[step->file];
        struct used_file *u = &s->files[step->file];
        uint64_t bytes = f->kind == PROFILE_MAILBOX   ? f->bytes
                         : step->act == ACT_WRITE_RUN ? f->unit * step->count
                         : step->act == ACT_PUT       ? round_up(step->bytes, PATTERN_UNIT_MAX)
                                                      : f->unit;
        s->buffer_bytes = MAX(s->buffer_bytes, bytes);
        takes_turns |= f->kind == PROFILE_FILE;
        if (step->act == ACT_CREATE)
            u->is_created_later = true;
        if (step->act == ACT_RENAME)
            s->files[step->count].is_created_later = true;
        if (u->record_bytes == 0 && (step->act == ACT_COMMIT || step->act == ACT_APPEND)) {
            u->record_bytes = step->bytes;
            u->syncs = step->act == ACT_COMMIT;
        }
    }
    return takes_turns;
}

/* Makes a file of the profile. profile_target_finish() closes and removes it in either case. */
static int open_profile_file(struct state *s, unsigned i, struct err *e)
{
    const struct profile_file *f = &s->profile->files[i];
    const struct scratch *scratch = &s->scratch;
    struct used_file *u = &s->files[i];
    int rc = 0;
    int code = 0;
    u->file = f->kind == PROFILE_NO_FILE ? NULL : f;
    u->state = s;
    u->number = f->kind == PROFILE_FILE ? i : i * LOG_SEGMENTS;
    for (unsigned k = 0; k < LOG_SEGMENTS; k++)
        u->fds[k] = -1;
    switch (f->kind) {
    case PROFILE_NO_FILE:
        return 0;
    case PROFILE_LOG:
        u->cycle = 1;
        u->buffer_bytes = round_up(MAX_WRITE, f->unit);
        u->group = (struct commit_group){
            .store = store_records, .context = u, .lock = PTHREAD_MUTEX_INITIALIZER};
        u->buffer = aligned_alloc(STORAGE_ALIGNMENT, round_up(u->buffer_bytes, STORAGE_ALIGNMENT));
        if (!u->buffer)
            return err_system(e, ENOMEM, "allocate memory for a buffer");
        for (unsigned k = 0; rc == 0 && k < f->count; k++) {
            rc = make_file(u, k, e);
            if (rc == 0 && f->segment == SEGMENT_RECYCLED)
                rc = fill_file(u, k, f->bytes, e);
            if (rc == 0 && f->segment == SEGMENT_PREALLOCATED)
                code = storage_reserve(u->fds[k], f->bytes);
            if (code != 0)
                rc = err_system(e, code, "reserve room for '%s' in %s", f->name, scratch->path);
            atomic_store(&u->is_fresh[k], true);
        }
        if (rc != 0 || f->segment == SEGMENT_RECYCLED)
            return rc;
        code = pthread_create(&u->keeper, NULL, keep_fresh, u);
        u->has_keeper = code == 0;
        return code ? err_system(e, code, "start a thread") : 0;
    case PROFILE_PAGES:
        u->pages = f->bytes / f->unit;
        u->begun = calloc(u->pages, sizeof *u->begun);
        u->ended = calloc(u->pages, sizeof *u->ended);
        for (unsigned k = 0; k < PAGES_LATCHES; k++)
            pthread_mutex_init(&u->latches[k], NULL);
        if (!u->begun || !u->ended)
            return err_system(e, ENOMEM, "allocate memory for the pages of '%s'", f->name);
        rc = make_file(u, 0, e);
        return rc ? rc : fill_file(u, 0, u->pages * f->unit, e);
    case PROFILE_MAILBOX:
        for (unsigned k = 0; k < MAILBOX_DIRECTORIES; k++) {
            const char *name = mailbox_names[k];
            if (mkdirat(scratch->fd, name, 0700) != 0)
                return err_system(e, errno, "make %s/%s/%s", scratch->path, scratch->name, name);
            int fd = directory_open(scratch->fd, name);
            if (fd < 0) {
                unlinkat(scratch->fd, name, AT_REMOVEDIR);
                return err_system(e, -fd, "open %s/%s/%s", scratch->path, scratch->name, name);
            }
            u->fds[k] = fd;
        }
        return 0;
    case PROFILE_FILE:
        if (u->is_created_later)
            return 0;
        code = plain_create(u);
        return code ? err_system(e, code, "create the file '%s' in %s", f->name, scratch->path)
                    : fill_file(u, 0, f->bytes, e);
    }
    return 0;
}

/* `stream` selects the random numbers. */
static int actor_open(struct actor *t, struct state *s, uint64_t stream, struct err *e)
{
    t->shared = s;
    rng_init(&t->random, s->setup.plan->seed, stream);
    t->buffer = aligned_alloc(STORAGE_ALIGNMENT, round_up(s->buffer_bytes, STORAGE_ALIGNMENT));
    return t->buffer ? 0 : err_system(e, ENOMEM, "allocate memory for the requests of a thread");
}

/* Reads pages, which are never partial, and with -verify checks them in time that does not count.
 * While a page is being written, a read may return any generation, and even parts of two. If it
 * cuts a unit's stamp in two, the unit looks as if no write had made it. */
static int read_pages(struct actor *t, struct used_file *f, unsigned count)
{
    const struct state *s = f->state;
    const size_t unit = s->setup.pattern->unit_bytes;
    const enum verify_mode verify = s->setup.plan->verify;
    struct pattern_origin found;
    t->call = CALL_READ;
    for (unsigned i = 0; i < count; i++) {
        uint64_t page = rng_below(&t->random, f->pages);
        const uint64_t from = page * f->file->unit;
        uint32_t ended = atomic_load(&f->ended[page]);
        ssize_t got;
        do
            got = pread(f->fds[0], t->buffer, f->file->unit, (off_t)from);
        while (got < 0 && errno == EINTR);
        if (got != (ssize_t)f->file->unit)
            return got < 0 ? errno : EIO;
        uint64_t before_ns = clock_ns();
        bool was_still = atomic_load(&f->begun[page]) == ended;
        bool is_right = true;
        for (uint64_t at = 0; verify != VERIFY_OFF && at < f->file->unit; at += unit) {
            const struct pattern_place expected = {
                .file = f->number,
                .unit = (from + at) / unit,
                .generation = was_still ? ended : PATTERN_ANY,
            };
            enum corruption_kind kind = pattern_check(s->setup.pattern, t->buffer + at, &expected,
                                                      verify == VERIFY_FULL, &found);
            bool may_move = kind == CORRUPTION_TORN || kind == CORRUPTION_FLIPPED;
            is_right &= kind == CORRUPTION_NONE || (!was_still && may_move);
        }
        if (verify != VERIFY_OFF)
            atomic_fetch_add(&s->setup.verified->bytes, f->file->unit);
        t->aside_ns += clock_ns() - before_ns;
        if (!is_right) {
            atomic_fetch_add(&s->setup.verified->damaged, 1);
            t->call = CALL_DAMAGED;
            return EIO;
        }
        t->bytes += f->file->unit;
    }
    return 0;
}

/* Does a step. Returns 0 or a positive errno; the failed call is in t->call. */
static int do_step(struct actor *t, const struct profile_step *s)
{
    struct state *shared = t->shared;
    struct used_file *f = &shared->files[s->file];
    struct used_file *other;
    const int directory = shared->scratch.fd;
    int fd = f->fds[atomic_load(&f->segment)];
    unsigned count;
    uint64_t sync_ns;
    uint64_t at;
    int code = 0;
    t->call = CALL_WRITE;
    switch (s->act) {
    case ACT_NONE:
        return 0;
    case ACT_READ:
        return read_pages(t, f, s->count);
    case ACT_WRITE:
    case ACT_WRITE_OUT:
        for (unsigned i = 0; code == 0 && i < s->count; i++) {
            uint64_t page = rng_below(&t->random, f->pages);
            code = write_pages(f, page, 1, t->buffer);
            if (code == 0 && s->act == ACT_WRITE_OUT &&
                sync_file_range(fd, (off_t)(page * f->file->unit), (off_t)f->file->unit,
                                SYNC_FILE_RANGE_WRITE) != 0 &&
                errno != EINTR && errno != ENOSYS)
                code = errno;
        }
        return code;
    case ACT_WRITE_RUN:
        count = s->count < f->pages ? s->count : (unsigned)f->pages;
        return write_pages(f, rng_below(&t->random, f->pages - count + 1), count, t->buffer);
    case ACT_APPEND:
    case ACT_COMMIT:
        t->call = f->syncs ? CALL_SYNC : CALL_WRITE;
        t->bytes += f->record_bytes;
        code = commit_group_join(&f->group, &sync_ns);
        t->sync_ns = MAX(t->sync_ns, sync_ns);
        return code;
    case ACT_SYNC:
    case ACT_SYNC_ALL:
        t->call = CALL_SYNC;
        atomic_store(&f->is_syncing, true);
        code = storage_sync(shared, fd, s->act == ACT_SYNC_ALL,
                            t->makes_requests ? &t->sync_ns : NULL);
        atomic_store(&f->is_syncing, false);
        return code;
    case ACT_DELIVER:
        t->bytes += f->file->bytes;
        return mailbox_deliver(f, t->buffer, &t->sync_ns, &t->call);
    case ACT_EXPIRE:
        t->call = CALL_UNLINK;
        return mailbox_expire(f);
    case ACT_CREATE:
        t->call = CALL_OPEN;
        return plain_create(f);
    case ACT_PUT:
        t->bytes += s->bytes;
        if (fd < 0)
            return ENOENT;
        at = s->at != AT_NEXT ? s->at : f->at + s->bytes <= f->file->bytes ? f->at : 0;
        f->at = at + s->bytes;
        pattern_fill(shared->setup.pattern, t->buffer, round_up(s->bytes, PATTERN_UNIT_MAX),
                     f->number, 0, ++f->writes);
        return storage_write(fd, t->buffer, s->bytes, (int64_t)at);
    case ACT_REMOVE:
        t->call = CALL_UNLINK;
        return plain_remove(f);
    case ACT_RENAME: /* the file goes on under the other's name */
        t->call = CALL_RENAME;
        other = &shared->files[s->count];
        if (renameat(directory, made_name(MADE_FILE, f->number).text, directory,
                     made_name(MADE_FILE, other->number).text) != 0)
            return errno;
        descriptor_close(&other->fds[0]);
        other->fds[0] = fd;
        other->at = f->at;
        f->fds[0] = -1;
        return 0;
    case ACT_SYNC_DIRECTORY:
        t->call = CALL_SYNC;
        return sync_directory(shared, ".", false, t->makes_requests ? &t->sync_ns : NULL);
    }
    return 0;
}

/* Does the steps up to the first ACT_NONE. Returns 0, or the failure as failure_of() makes it. */
static uint32_t actor_do(struct actor *t, const struct profile_step *steps)
{
    int code = 0;
    for (unsigned i = 0; code == 0 && i < PROFILE_STEPS && steps[i].act != ACT_NONE; i++)
        code = do_step(t, &steps[i]);
    return code ? failure_of(t->call, code) : 0;
}

static void fail_run(struct state *s, uint32_t failure)
{
    uint32_t none = 0;
    atomic_compare_exchange_strong(&s->failure, &none, failure);
    stop_request();
}

static int profile_check(struct plan *p, const struct settings *s, struct err *e)
{
    (void)p;
    return s->profile ? 0 : err_say(e, "the target profile needs -good-for=NAME");
}

/* The lowest limit on that subject; UINT64_MAX: there is none. */
static uint64_t limit_on(const struct profile *p, uint32_t on)
{
    uint64_t limit = UINT64_MAX;
    for (unsigned i = 0; i < PROFILE_LIMITS; i++)
        if (p->limits[i].name && p->limits[i].on == on)
            limit = MIN(limit, p->limits[i].nanoseconds);
    return limit;
}

static void *work_on(void *context)
{
    struct background_work *b = context;
    struct state *s = b->actor.shared;
    const uint32_t seen = event_count(&s->ends); /* before is_ending, so that no end is missed */
    uint64_t due_ns = clock_ns();
    stop_block_signals();
    while (!atomic_load(&s->is_ending)) {
        uint64_t begin_ns = clock_ns();
        if (b->takes_turns)
            pthread_mutex_lock(&s->turn);
        uint32_t failure = actor_do(&b->actor, b->work->steps);
        if (b->takes_turns)
            pthread_mutex_unlock(&s->turn);
        uint64_t end_ns = clock_ns();
        if (failure != 0) {
            fail_run(s, failure);
            break;
        }
        gauge_add(&b->gauge, end_ns - begin_ns, end_ns);
        due_ns += b->work->period_ns;
        if (due_ns + LATE_PERIODS * b->work->period_ns < end_ns)
            due_ns = end_ns;
        while (!atomic_load(&s->is_ending) && clock_ns() < due_ns)
            event_wait(&s->ends, seen, due_ns);
    }
    return NULL;
}

int profile_target_end(void *shared, uint64_t load_end_ns, struct err *e)
{
    struct state *s = shared;
    char text[256];
    atomic_store(&s->is_ending, true);
    event_happens(&s->ends, EVENT_WAKES_ALL);
    for (unsigned i = 0; i < PROFILE_WORKS; i++) {
        if (s->works[i].has_thread)
            pthread_join(s->works[i].thread, NULL);
        s->works[i].has_thread = false;
        gauge_end(&s->works[i].gauge, load_end_ns);
    }
    gauge_end(&s->syncs, load_end_ns);
    uint32_t failure = atomic_load(&s->failure);
    if (failure == 0)
        return 0;
    failure_describe(NULL, failure, text, sizeof text);
    err_say(e, "%s: %s: %s", s->profile->name, s->scratch.path, text);
    return -(int)(failure & 0xffff);
}

/* A second call does nothing. */
int profile_target_finish(void *shared, struct err *e)
{
    struct state *s = shared;
    int rc = 0;
    for (struct used_file *f = s->files; f < s->files + PROFILE_FILES; f++) {
        if (!f->file)
            continue;
        atomic_store(&f->is_closing, true);
        event_happens(&f->turned, EVENT_WAKES_ALL);
        if (f->has_keeper)
            pthread_join(f->keeper, NULL);
        if (f->file->kind == PROFILE_FILE && f->fds[0] >= 0)
            plain_remove(f);
        int removed = f->file->kind == PROFILE_MAILBOX ? mailbox_remove(f, e) : 0;
        rc = rc ? rc : removed;
        for (unsigned i = 0; i < LOG_SEGMENTS; i++)
            descriptor_close(&f->fds[i]);
        free(f->begun);
        free(f->ended);
        free(f->buffer);
        f->file = NULL;
    }
    int closed = s->has_scratch ? scratch_close(&s->scratch, e) : 0;
    s->has_scratch = false;
    return rc ? rc : closed;
}

static void close_target(void *shared)
{
    struct state *s = shared;
    struct err e = {0};
    profile_target_end(s, 0, NULL);
    profile_target_finish(s, &e);
    for (unsigned i = 0; i < PROFILE_WORKS; i++)
        free(s->works[i].actor.buffer);
}

/* Makes the files in a private directory, and begins the work beside the requests. */
static int profile_open(void *shared, const struct target_setup *setup, struct err *e)
{
    const struct plan *plan = setup->plan;
    const struct profile *p = plan->settings->profile;
    struct state *s = shared;
    struct scratch *scratch = &s->scratch;
    struct scratch_space space = {0};
    s->profile = p;
    s->setup = *setup;
    pthread_mutex_init(&s->turn, NULL);
    s->buffer_bytes = STORAGE_ALIGNMENT;
    s->takes_turns = take_steps(s, p->steps);
    for (unsigned i = 0; i < PROFILE_WORKS; i++) {
        s->works[i].takes_turns = take_steps(s, p->works[i].steps);
        s->takes_turns |= p->works[i].every && s->works[i].takes_turns;
    }
    gauge_init(&s->syncs, limit_on(p, LIMIT_ON_SYNC));
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < PROFILE_FILES; i++)
        rc = limits_file(p->files[i].bytes, e);
    if (rc == 0)
        rc = scratch_open(scratch, plan->url ? plan->url : ".", PATH_FAILS,
                          plan->settings->trusts_directory, e);
    s->has_scratch = rc == 0;
    if (rc == 0)
        rc = scratch_space(scratch, &space, e);
    uint64_t bytes = profile_bytes(p);
    bytes += bytes / 16 + MIB; /* the filesystem needs some for itself */
    if (rc == 0 && bytes > space.bytes)
        rc = err_say(e, "%s: the profile %s needs %s, and %s are free", scratch->path, p->name,
                     units_bytes(bytes).text, units_bytes(space.bytes).text);
    if (rc == 0)
        rc = scratch_make(scratch, 0, e);
    for (unsigned i = 0; rc == 0 && i < PROFILE_FILES; i++)
        rc = open_profile_file(s, i, e);
    for (unsigned i = 0; rc == 0 && i < PROFILE_WORKS; i++) {
        struct background_work *b = &s->works[i];
        b->work = &p->works[i];
        gauge_init(&b->gauge, limit_on(p, i));
        if (b->work->every || !b->work->name)
            continue;
        rc = actor_open(&b->actor, s, i, e);
        int code = rc == 0 ? pthread_create(&b->thread, NULL, work_on, b) : 0;
        b->has_thread = rc == 0 && code == 0;
        if (code != 0)
            rc = err_system(e, code, "start a thread");
    }
    return rc;
}

static int profile_join(void *thread, void *shared, unsigned channels, struct err *e)
{
    struct state *s = shared;
    struct actor *t = thread;
    (void)channels;
    t->makes_requests = true;
    return actor_open(t, s, PROFILE_WORKS + atomic_fetch_add(&s->threads, 1), e);
}

static void profile_leave(void *thread)
{
    free(((struct actor *)thread)->buffer);
}

/* After a failure of the storage the run ends, as the program would. Damage is only counted. */
static enum target_answer profile_submit(void *thread, struct request *r)
{
    struct actor *t = thread;
    struct state *s = t->shared;
    t->sync_ns = t->aside_ns = t->bytes = 0;
    if (s->takes_turns)
        pthread_mutex_lock(&s->turn);
    r->failure = actor_do(t, s->profile->steps);
    uint64_t done = atomic_fetch_add(&s->done, 1) + 1;
    for (unsigned i = 0; r->failure == 0 && i < PROFILE_WORKS; i++) {
        const struct profile_work *work = &s->profile->works[i];
        if (work->every == 0 || done % work->every != 0)
            continue;
        uint64_t begin_ns = clock_ns();
        r->failure = actor_do(t, work->steps);
        uint64_t end_ns = clock_ns();
        gauge_add(&s->works[i].gauge, end_ns - begin_ns, end_ns);
    }
    if (s->takes_turns)
        pthread_mutex_unlock(&s->turn);
    r->bytes = t->bytes;
    r->aside_ns = t->aside_ns;
    r->judged_ns = t->sync_ns;
    if (r->failure != 0 && t->call != CALL_DAMAGED)
        fail_run(s, r->failure);
    return TARGET_ENDED;
}

static void profile_forget(void *shared)
{
    struct state *s = shared;
    gauge_restart(&s->syncs);
    for (unsigned i = 0; i < PROFILE_WORKS; i++)
        gauge_restart(&s->works[i].gauge);
}

const struct gauge *profile_target_gauge(const void *shared, uint32_t on)
{
    const struct state *s = shared;
    return on == LIMIT_ON_SYNC ? &s->syncs : &s->works[on].gauge;
}

const struct target_ops target_profile = {
    .name = "profile",
    .traits = TARGET_BLOCKS | TARGET_LOCAL,
    .shared_bytes = sizeof(struct state),
    .thread_bytes = sizeof(struct actor),
    .check = profile_check,
    .open = profile_open,
    .join = profile_join,
    .submit = profile_submit,
    .leave = profile_leave,
    .describe = failure_describe,
    .forget = profile_forget,
    .close = close_target,
};
