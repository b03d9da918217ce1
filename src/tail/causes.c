// SPDX-License-Identifier: GPL-2.0-or-later
#include "tail/causes.h"

#include <string.h>

/* Most requests of one operation that are followed at the same time. */
#define MOST_REQUESTS 64

/* A request of the operation that is not complete yet. */
struct request {
    uint32_t device;
    bool is_issued;
    bool is_meta;
    uint64_t first; /* its sectors: from this one up to, but not including, `end` */
    uint64_t end;
    uint64_t left; /* number of sectors that are not complete yet */
};

/* The state of the operation at one moment. */
struct moment {
    const struct tail_op *op;
    enum { RUNNING, WANTS_CPU, ASLEEP } thread;
    struct request requests[MOST_REQUESTS];
    unsigned count;
    unsigned issued;  /* number of these requests that a device has */
    unsigned meta;    /* number of these requests for the filesystem's own data */
    unsigned flushes; /* number of flushes that a device is doing */
    unsigned commits; /* number of commits under way */
    bool had_request;
    bool sleeps_on; /* its requests are complete, but the thread has not been woken since */
    bool waits_for_log;
    bool frees_memory;
    bool pauses;
    uint64_t lock; /* address of the lock that the thread waits for; 0: none */
};

/* Whether the state of the thread says what the operation waits for. */
static bool thread_counts(const struct moment *m)
{
    return !m->op->is_queued || m->count == 0;
}

/* Whether the thread sleeps, but not for its own data, which would be in a request. */
static bool sleeps_elsewhere(const struct moment *m)
{
    return m->thread == ASLEEP && m->count == m->meta;
}

static bool is_reclaim(const struct moment *m)
{
    return m->frees_memory && thread_counts(m);
}

static bool is_cpu(const struct moment *m)
{
    return m->thread == WANTS_CPU && thread_counts(m);
}

static bool is_lock(const struct moment *m)
{
    return m->lock != 0 && thread_counts(m);
}

static bool is_writeback(const struct moment *m)
{
    return m->pauses && m->thread == ASLEEP && thread_counts(m);
}

/*
 * Nothing shows what the thread itself waits for, so this and what follows holds only where all
 * other reasons would be seen.
 */
static bool is_journal(const struct moment *m)
{
    return m->op->sees_all && (m->commits > 0 || m->waits_for_log) && sleeps_elsewhere(m);
}

/*
 * The limit of a control group holds an operation back before the operation has a request, so no
 * flush can be the reason for its wait.
 */
static bool is_group(const struct moment *m)
{
    return m->op->sees_all && m->op->is_limited && m->thread == ASLEEP && !m->had_request;
}

/*
 * A thread without a request may have asked for the flush itself, but not while it sleeps on after
 * its last request: then it waits for a thread of the kernel that has to finish that request.
 */
static bool is_flush(const struct moment *m)
{
    bool waits = m->thread == ASLEEP || (m->op->is_queued && m->count > 0);
    return m->flushes > 0 && waits && (m->count > 0 || (m->op->sees_all && !m->sleeps_on));
}

static bool is_device(const struct moment *m)
{
    return m->issued > 0 && (m->op->is_queued || m->thread == ASLEEP);
}

static bool is_queue(const struct moment *m)
{
    return m->count > 0 && (m->op->is_queued || m->thread == ASLEEP);
}

static bool is_program(const struct moment *m)
{
    return m->op->sees_all && m->thread == RUNNING && thread_counts(m);
}

static bool is_anything(const struct moment *m)
{
    (void)m;
    return true;
}

static const struct cause {
    const char *name;
    const char *words;
    bool (*holds)(const struct moment *m);
} causes[CAUSE_COUNT] = {
    [CAUSE_RECLAIM] = {"reclaim", "had to free memory first", is_reclaim},
    [CAUSE_CPU] = {"cpu", "waited for a CPU", is_cpu},
    [CAUSE_LOCK] = {"lock", "waited for a lock of the file", is_lock},
    [CAUSE_WRITEBACK] = {"writeback", "were held back until more was written back", is_writeback},
    [CAUSE_JOURNAL] = {"journal", "waited for a commit of the journal", is_journal},
    [CAUSE_GROUP] = {"group", "were held back by the limit of a control group", is_group},
    [CAUSE_FLUSH] = {"flush", "waited behind a flush", is_flush},
    [CAUSE_DEVICE] = {"device", "waited for the device itself", is_device},
    [CAUSE_QUEUE] = {"queue", "waited in the queue before the device", is_queue},
    [CAUSE_PROGRAM] = {"program", "ran in the program or the kernel", is_program},
    [CAUSE_UNKNOWN] = {"unknown", "unknown", is_anything},
};

static enum tail_cause cause_of(const struct moment *m)
{
    enum tail_cause cause = 0;
    while (!causes[cause].holds(m))
        cause++;
    return cause;
}

static struct request *find_request(struct moment *m, const struct tail_event *e)
{
    for (unsigned i = 0; i < m->count; i++) {
        struct request *r = &m->requests[i];
        if (r->device == e->device && e->sector < r->end && r->first < e->sector + e->sectors)
            return r;
    }
    return NULL;
}

static void add_request(struct moment *m, const struct tail_event *e)
{
    struct request *r = find_request(m, e);
    m->had_request = true;
    if (!r && m->count < MOST_REQUESTS) {
        r = &m->requests[m->count++];
        *r = (struct request){.device = e->device,
                              .is_meta = e->is_meta,
                              .first = e->sector,
                              .end = e->sector + e->sectors,
                              .left = e->sectors};
        m->meta += r->is_meta;
    }
    if (r && e->kind == TAIL_ISSUE && !r->is_issued) {
        r->is_issued = true;
        m->issued++;
    }
}

static void complete_request(struct moment *m, const struct tail_event *e)
{
    struct request *r = find_request(m, e);
    if (!r)
        return;
    r->left = r->left > e->sectors ? r->left - e->sectors : 0;
    if (r->left > 0)
        return;
    m->issued -= r->is_issued;
    m->meta -= r->is_meta;
    *r = m->requests[--m->count];
    m->sleeps_on = m->count == 0 && m->thread == ASLEEP;
}

static void count_down(unsigned *count)
{
    *count -= *count > 0;
}

static void take_in(struct moment *m, const struct tail_event *e)
{
    switch ((enum tail_kind)e->kind) {
    case TAIL_INSERT:
    case TAIL_ISSUE:
        add_request(m, e);
        break;
    case TAIL_COMPLETE:
        complete_request(m, e);
        break;
    case TAIL_FLUSH_BEGIN:
        m->flushes++;
        break;
    case TAIL_FLUSH_END:
        count_down(&m->flushes);
        break;
    case TAIL_SLEEP:
        m->thread = ASLEEP;
        break;
    case TAIL_PREEMPT:
    case TAIL_WAKE:
        m->thread = m->thread == RUNNING && e->kind == TAIL_WAKE ? RUNNING : WANTS_CPU;
        m->sleeps_on = false;
        break;
    case TAIL_RUN:
        m->thread = RUNNING;
        m->pauses = false;
        break;
    case TAIL_COMMIT_BEGIN:
        m->commits++;
        break;
    case TAIL_COMMIT_END:
        count_down(&m->commits);
        break;
    case TAIL_LOG_WAIT:
    case TAIL_LOG_READY:
        m->waits_for_log = e->kind == TAIL_LOG_WAIT;
        break;
    case TAIL_LOCK_BEGIN:
        m->lock = e->sector;
        break;
    case TAIL_LOCK_END:
        m->lock = m->lock == e->sector ? 0 : m->lock;
        break;
    case TAIL_RECLAIM_BEGIN:
    case TAIL_RECLAIM_END:
        m->frees_memory = e->kind == TAIL_RECLAIM_BEGIN;
        break;
    case TAIL_DIRTY_PAUSE:
        m->pauses = true;
        break;
    }
}

/*
 * While a queued operation is in flight, its thread does other things, so only its requests tell
 * what it waits for.
 */
static bool can_be_explained(const struct tail_op *op, const struct tail_event events[],
                             size_t count)
{
    bool can = !op->is_queued;
    for (size_t i = 0; i < count && !can; i++)
        can = events[i].kind == TAIL_INSERT || events[i].kind == TAIL_ISSUE;
    return can;
}

void tail_cut(struct tail_spans *spans, const struct tail_op *op, const struct tail_event events[],
              size_t count)
{
    struct moment m = {.op = op, .thread = RUNNING};
    uint64_t from_ns = op->start_ns;
    memset(spans, 0, sizeof *spans);
    if (!can_be_explained(op, events, count)) {
        spans->ns[CAUSE_UNKNOWN] = op->end_ns - op->start_ns;
        return;
    }
    for (size_t i = 0; i < count && events[i].ns < op->end_ns; i++) {
        if (events[i].ns > from_ns) {
            spans->ns[cause_of(&m)] += events[i].ns - from_ns;
            from_ns = events[i].ns;
        }
        take_in(&m, &events[i]);
    }
    spans->ns[cause_of(&m)] += op->end_ns - from_ns;
}

enum tail_cause tail_largest(const struct tail_spans *spans)
{
    enum tail_cause largest = CAUSE_UNKNOWN;
    for (enum tail_cause cause = 0; cause < CAUSE_COUNT; cause++)
        if (spans->ns[cause] > spans->ns[largest])
            largest = cause;
    return largest;
}

const char *tail_cause_name(enum tail_cause cause)
{
    return causes[cause].name;
}

const char *tail_cause_words(enum tail_cause cause)
{
    return causes[cause].words;
}
