// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/targets/profile/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure/clock.h"
#include "sys/stop.h"
#include "util/units.h"

void commit_group_open(struct commit_group *g,
                       int (*store)(void *context, uint64_t records, uint64_t *sync_ns),
                       void *context)
{
    *g = (struct commit_group){.store = store, .context = context};
    pthread_mutex_init(&g->lock, NULL);
}

void commit_group_close(struct commit_group *g)
{
    pthread_mutex_destroy(&g->lock);
}

/* Closes the batch of all waiting records, which is now the current one. */
static void seal_batch(struct commit_group *g)
{
    g->records = g->waiting;
    g->waiting = 0;
    g->batch++;
    g->is_busy = true;
}

/*
 * Adds a record to the next batch, and returns that batch's number. *leads becomes true if the
 * caller must store it.
 */
static uint64_t enter_batch(struct commit_group *g, bool *leads)
{
    pthread_mutex_lock(&g->lock);
    uint64_t mine = g->batch + 1;
    g->waiting++;
    *leads = !g->is_busy;
    if (*leads)
        seal_batch(g);
    pthread_mutex_unlock(&g->lock);
    return mine;
}

/*
 * Whether the calling thread must store its batch: the batch is ready, and no thread has taken it.
 */
static bool take_lead(struct commit_group *g, uint64_t mine)
{
    pthread_mutex_lock(&g->lock);
    bool leads = g->is_handed && g->batch == mine;
    if (leads)
        g->is_handed = false;
    pthread_mutex_unlock(&g->lock);
    return leads;
}

static void store_batch(struct commit_group *g)
{
    uint64_t sync_ns = 0;
    int code = atomic_load(&g->failure);
    if (code == 0)
        code = g->store(g->context, g->records, &sync_ns);
    pthread_mutex_lock(&g->lock);
    if (code != 0)
        atomic_store(&g->failure, code);
    atomic_store(&g->sync_ns, sync_ns);
    atomic_store(&g->durable, g->batch);
    g->is_busy = false;
    if (g->waiting > 0) {
        seal_batch(g);
        g->is_handed = true;
    }
    pthread_mutex_unlock(&g->lock);
    event_happens(&g->ended, EVENT_WAKES_ALL);
}

int commit_group_join(struct commit_group *g, uint64_t *sync_ns)
{
    bool leads;
    uint64_t mine = enter_batch(g, &leads);
    while (!leads) {
        uint32_t seen = event_look(&g->ended);
        if (atomic_load(&g->durable) >= mine)
            break;
        leads = take_lead(g, mine);
        if (!leads)
            event_wait(&g->ended, seen, EVENT_NO_DEADLINE);
    }
    if (leads)
        store_batch(g);
    *sync_ns = atomic_load(&g->sync_ns);
    return atomic_load(&g->failure);
}

/*
 * Larger writes are split into calls of this size, because programs' buffers are about this large.
 */
#define WRITE_MOST (128 * KIB)

static bool is_kept_fresh(const struct log *l)
{
    return l->file->segment != SEGMENT_RECYCLED;
}

/*
 * The thread that refreshes used segments for their next turns: it frees their storage, and
 * reserves it again.
 */
static void *keep_fresh(void *context)
{
    struct log *l = context;
    stop_block_signals();
    while (!atomic_load(&l->is_closing)) {
        uint32_t seen = event_look(&l->turned);
        for (unsigned i = 0; i < l->file->count; i++) {
            if (i == atomic_load(&l->segment) || atomic_load(&l->is_fresh[i]))
                continue;
            int fd = l->fds[i];
            int code = ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0 ? errno : 0;
            if (code == 0 && l->file->segment == SEGMENT_PREALLOCATED)
                code = -storage_reserve(fd, l->file->bytes);
            if (code != 0)
                atomic_store(&l->keeper_failure, code);
            atomic_store(&l->is_fresh[i], true);
            event_happens(&l->turned, EVENT_WAKES_ALL);
        }
        if (!atomic_load(&l->is_closing))
            event_wait(&l->turned, seen, clock_ns() + BILLION);
    }
    return NULL;
}

/* Moves to the next segment when that is fresh. Returns 0 or a positive errno. */
static int turn_segment(struct log *l)
{
    unsigned next = (atomic_load(&l->segment) + 1) % l->file->count;
    for (;;) {
        uint32_t seen = event_look(&l->turned);
        if (atomic_load(&l->is_fresh[next]))
            break;
        event_wait(&l->turned, seen, clock_ns() + BILLION);
    }
    int code = atomic_load(&l->keeper_failure);
    if (code != 0)
        return code;
    if (is_kept_fresh(l))
        atomic_store(&l->is_fresh[atomic_load(&l->segment)], false);
    l->at = 0;
    l->round += next == 0;
    atomic_store(&l->segment, next);
    event_happens(&l->turned, EVENT_WAKES_ALL);
    return 0;
}

/*
 * Writes `bytes` of records: all units from the one in which they begin to the one in which they
 * end, in calls of at most WRITE_MOST. Returns 0 or a positive errno.
 */
static int write_records(struct log *l, uint64_t bytes)
{
    const uint64_t unit = l->file->unit;
    const unsigned segment = atomic_load(&l->segment);
    uint64_t from = l->at / unit * unit;
    uint64_t end = round_up(l->at + bytes, unit);
    l->at += bytes;
    for (int code = 0; from < end;) {
        size_t part = end - from < l->buffer_bytes ? (size_t)(end - from) : l->buffer_bytes;
        pattern_fill(&l->storage->pattern, l->buffer, part, l->first_number + segment, from,
                     l->round);
        code = storage_write(l->fds[segment], l->buffer, part, unit == 1 ? -1 : (int64_t)from);
        if (code != 0)
            return code;
        from += part;
    }
    return 0;
}

/* commit_group.store for a log. */
static int store_records(void *context, uint64_t records, uint64_t *sync_ns)
{
    struct log *l = context;
    uint64_t bytes = records * l->record_bytes;
    int code = 0;
    while (code == 0 && bytes > 0) {
        uint64_t room = (l->file->bytes - l->at) / l->record_bytes * l->record_bytes;
        uint64_t part = bytes < room ? bytes : room;
        code = part > 0 ? write_records(l, part) : turn_segment(l);
        bytes -= part;
    }
    return code == 0 && l->syncs ? storage_sync_timed(log_fd(l), false, l->gauge, sync_ns) : code;
}

static int make_segment(struct log *l, unsigned i, struct err *e)
{
    const struct profile_file *f = l->file;
    int fd = l->fds[i] = storage_make_file(l->storage, f, l->first_number + i, e);
    if (fd < 0)
        return fd;
    if (f->segment == SEGMENT_RECYCLED)
        return storage_fill(l->storage, f, fd, l->first_number + i, f->bytes, e);
    int rc = f->segment == SEGMENT_PREALLOCATED ? storage_reserve(fd, f->bytes) : 0;
    return rc ? err_system(e, -rc, "reserve room for '%s' in %s", f->name, l->storage->scratch.path)
              : 0;
}

int log_open(struct log *l, const struct storage *storage, const struct profile_file *file,
             unsigned first_number, struct gauge *gauge, struct err *e)
{
    int rc = 0;
    l->storage = storage;
    l->file = file;
    l->first_number = first_number;
    l->gauge = gauge;
    l->round = 1;
    l->buffer_bytes = round_up(WRITE_MOST, file->unit);
    for (unsigned i = 0; i < LOG_SEGMENTS; i++)
        l->fds[i] = -1;
    commit_group_open(&l->group, store_records, l);
    l->buffer = aligned_alloc(STORAGE_ALIGNMENT, round_up(l->buffer_bytes, STORAGE_ALIGNMENT));
    if (!l->buffer)
        return err_system(e, ENOMEM, "memory for a buffer");
    for (unsigned i = 0; rc == 0 && i < file->count; i++) {
        rc = make_segment(l, i, e);
        atomic_store(&l->is_fresh[i], true);
    }
    if (rc != 0 || !is_kept_fresh(l))
        return rc;
    int code = pthread_create(&l->keeper, NULL, keep_fresh, l);
    l->has_keeper = code == 0;
    return code ? err_system(e, code, "start a thread") : 0;
}

void log_close(struct log *l)
{
    if (!l->file)
        return;
    atomic_store(&l->is_closing, true);
    event_happens(&l->turned, EVENT_WAKES_ALL);
    if (l->has_keeper)
        pthread_join(l->keeper, NULL);
    for (unsigned i = 0; i < LOG_SEGMENTS; i++)
        if (l->fds[i] >= 0)
            close(l->fds[i]);
    commit_group_close(&l->group);
    free(l->buffer);
    l->file = NULL;
}

int log_append(struct log *l, uint64_t *longest_ns)
{
    uint64_t sync_ns;
    int code = commit_group_join(&l->group, &sync_ns);
    if (sync_ns > *longest_ns)
        *longest_ns = sync_ns;
    return code;
}

int log_fd(const struct log *l)
{
    return l->fds[atomic_load(&l->segment)];
}
