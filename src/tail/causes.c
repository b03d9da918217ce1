// SPDX-License-Identifier: GPL-2.0-or-later
#include "tail/causes.h"

#define MAX_REQUESTS 1024 /* of one operation that are followed at once: a device takes no more */
#define MAX_JOURNALS 4    /* whose latest commit is followed */

/* A request of the operation that is not complete yet. */
struct request {
    uint32_t device;
    bool is_issued, is_meta;
    uint64_t first; /* its sectors: from this one up to, but not including, `end` */
    uint64_t end;
    uint64_t left; /* number of sectors that are not complete yet */
};

struct moment {
    const struct tail_op *op;
    enum { RUNNING, WANTS_CPU, ASLEEP } thread;
    struct request requests[MAX_REQUESTS];
    unsigned count;
    unsigned issued;  /* number of these requests that a device has */
    unsigned meta;    /* number of these requests for the filesystem's own data */
    unsigned flushes; /* number of flushes that a device is doing */
    unsigned commits; /* number of commits under way */
    bool had_request;
    bool sleeps_on; /* its requests are complete, but the thread has not been woken since */
    bool waits_for_log, frees_memory, pauses;
    struct asked { /* who asked the latest journals for a commit */
        uint64_t journal;
        int32_t by;
    } asked[MAX_JOURNALS];
    unsigned asked_count;
    int32_t commit_by; /* thread that asked for the commit under way; 0: not known */
    uint64_t lock;     /* address of the lock that the thread waits for; 0: none */
};

const struct tail_cause_words tail_causes[CAUSE_COUNT] = {
    [CAUSE_RECLAIM] = {"reclaim", "had to free memory first"},
    [CAUSE_CPU] = {"cpu", "waited for a CPU"},
    [CAUSE_LOCK] = {"lock", "waited for a lock of the file"},
    [CAUSE_WRITEBACK] = {"writeback", "were held back until more was written back"},
    [CAUSE_JOURNAL] = {"journal", "waited for a commit of the journal"},
    [CAUSE_GROUP] = {"group", "were held back by the limit of a control group"},
    [CAUSE_FLUSH] = {"flush", "waited behind a flush"},
    [CAUSE_DEVICE] = {"device", "waited for the device itself"},
    [CAUSE_QUEUE] = {"queue", "waited in the queue before the device"},
    [CAUSE_PROGRAM] = {"program", "ran in the program or the kernel"},
    [CAUSE_UNKNOWN] = {"unknown", "for reasons not known"},
};

const char *tail_cause_words(enum tail_cause cause, enum tail_cause before)
{
    const size_t verb = strlen("waited ");
    const char *words = tail_causes[cause].words;
    bool is_told = strncmp(words, "waited ", verb) == 0 &&
                   strncmp(words, tail_causes[before].words, verb) == 0;
    return is_told ? words + verb : words;
}

static enum tail_cause cause_of(const struct moment *m)
{
    const struct tail_op *op = m->op;
    bool sleeps = m->thread == ASLEEP;
    /* While a request of a queued operation is in flight, its thread does other things. */
    bool thread_counts = !op->is_queued || m->count == 0;
    bool request_counts = op->is_queued || sleeps;
    if (m->frees_memory && thread_counts)
        return CAUSE_RECLAIM;
    if (m->thread == WANTS_CPU && thread_counts)
        return CAUSE_CPU;
    if (m->lock != 0 && thread_counts)
        return CAUSE_LOCK;
    if (m->pauses && sleeps && thread_counts)
        return CAUSE_WRITEBACK;
    /* Nothing shows what the thread itself waits for, so this and what follows holds only where all
     * other reasons would be seen. Waiting for its own data would need a request. */
    if (op->sees_all && (m->commits > 0 || m->waits_for_log) && sleeps && m->count == m->meta)
        return CAUSE_JOURNAL;
    /* The limit of a control group holds an operation back before the operation has a request, so
     * no flush can be the reason for its wait. */
    if (op->sees_all && op->is_limited && sleeps && !m->had_request && m->count == 0)
        return CAUSE_GROUP;
    /* A thread without a request may have asked for the flush itself, but not while it sleeps on
     * after its last request: then it waits for a thread of the kernel that has to finish that. */
    if (m->flushes > 0 && (m->count > 0 ? request_counts : sleeps && op->sees_all && !m->sleeps_on))
        return CAUSE_FLUSH;
    if (m->issued > 0 && request_counts)
        return CAUSE_DEVICE;
    if (m->count > 0 && request_counts)
        return CAUSE_QUEUE;
    return op->sees_all && m->thread == RUNNING && thread_counts ? CAUSE_PROGRAM : CAUSE_UNKNOWN;
}

bool tail_event_is_on(const struct tail_event *e, const struct device_set *devices)
{
    return device_set_has(devices, e->device >> 20,
                          e->device & ((1U << 20) - 1)); /* tail_device() */
}

static bool is_at(const struct tail_event *e, uint32_t device, uint64_t first, uint64_t end)
{
    return e->device == device && e->sector < end && first < e->sector + e->sectors;
}

/* Whether an event has to do with the operation. *r becomes the request that it is about. */
static bool concerns(struct moment *m, const struct tail_event *e, struct request **r)
{
    const struct tail_op *op = m->op;
    bool is_later = e->ns >= op->start_ns;
    *r = NULL;
    switch ((enum tail_kind)e->kind) {
    case TAIL_INSERT:
    case TAIL_ISSUE:
    case TAIL_COMPLETE:
        for (unsigned i = 0; i < m->count && !*r; i++)
            if (is_at(e, m->requests[i].device, m->requests[i].first, m->requests[i].end))
                *r = &m->requests[i];
        if (*r || e->kind == TAIL_COMPLETE)
            return *r;
        /* whether it begins a request of the operation */
        return (e->thread == op->thread && (!op->is_queued || (op->is_sent && is_later))) ||
               (is_later && op->sectors > 0 &&
                is_at(e, op->device, op->sector, op->sector + op->sectors));
    case TAIL_FLUSH_BEGIN:
    case TAIL_FLUSH_END:
    case TAIL_COMMIT_BEGIN:
    case TAIL_COMMIT_END:
        return !op->devices || tail_event_is_on(e, op->devices);
    case TAIL_ASK_COMMIT:
        return true;
    default:
        return e->thread == op->thread && is_later;
    }
}

/* Takes in an event that concerns the operation, with the request that it is about, or NULL. */
static void take_in(struct moment *m, const struct tail_event *e, struct request *r)
{
    switch ((enum tail_kind)e->kind) {
    case TAIL_INSERT:
    case TAIL_ISSUE:
        m->had_request |= e->ns >= m->op->start_ns; /* or it is of an earlier one */
        if (!r && m->count < MAX_REQUESTS) {
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
        break;
    case TAIL_COMPLETE:
        r->left = r->left > e->sectors ? r->left - e->sectors : 0;
        if (r->left > 0)
            break;
        m->issued -= r->is_issued;
        m->meta -= r->is_meta;
        *r = m->requests[--m->count];
        m->sleeps_on = m->count == 0 && m->thread == ASLEEP;
        break;
    case TAIL_FLUSH_BEGIN:
        m->flushes++;
        break;
    case TAIL_FLUSH_END:
        m->flushes -= m->flushes > 0;
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
    case TAIL_ASK_COMMIT:
        m->asked[m->asked_count++ % MAX_JOURNALS] = (struct asked){e->sector, e->thread};
        break;
    case TAIL_COMMIT_BEGIN:
        m->commits++;
        m->commit_by = 0;
        for (unsigned i = 0; i < MAX_JOURNALS; i++)
            if (m->asked[i].journal == (uint64_t)e->thread) {
                m->commit_by = m->asked[i].by;
                /* asked while it is busy, it commits once more, for nobody in particular */
                m->asked[i] = (struct asked){0};
            }
        break;
    case TAIL_COMMIT_END:
        m->commits -= m->commits > 0;
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
    default:
        break;
    }
}

void tail_share_add(struct tail_share shares[], unsigned room, int32_t thread, uint64_t amount)
{
    unsigned at = 0;
    while (at + 1 < room && shares[at].thread != 0 && shares[at].thread != thread)
        at++;
    if (shares[at].thread == thread)
        amount += shares[at].amount;
    if (thread == 0 || amount <= shares[at].amount)
        return;
    for (; at > 0 && shares[at - 1].amount < amount; at--)
        shares[at] = shares[at - 1];
    shares[at] = (struct tail_share){thread, amount};
}

static void add_span(struct tail_spans *spans, const struct moment *m, uint64_t ns,
                     const struct tail_event *end)
{
    enum tail_cause cause = cause_of(m);
    spans->ns[cause] += ns;
    if (cause == CAUSE_JOURNAL)
        tail_share_add(spans->blamed, TAIL_BLAMED, m->commit_by, ns);
    else if (cause == CAUSE_CPU && end && end->kind == TAIL_RUN)
        tail_share_add(spans->blamed, TAIL_BLAMED, (int32_t)end->sector, ns);
}

void tail_cut(struct tail_spans *spans, const struct tail_op *op,
              const struct tail_event *(*next)(void *context), void *context)
{
    struct moment m = {.op = op, .thread = op->thread >= 0 ? RUNNING : ASLEEP};
    uint64_t from_ns = op->start_ns;
    struct request *r;
    *spans = (struct tail_spans){0};
    for (const struct tail_event *e; (e = next(context)) && e->ns < op->end_ns;) {
        if (!concerns(&m, e, &r))
            continue;
        if (e->ns > from_ns) {
            add_span(spans, &m, e->ns - from_ns, e);
            from_ns = e->ns;
        }
        take_in(&m, e, r);
    }
    add_span(spans, &m, op->end_ns - from_ns, NULL);
    if (op->is_queued && !m.had_request) /* only its requests tell what it waits for */
        *spans = (struct tail_spans){.ns[CAUSE_UNKNOWN] = op->end_ns - op->start_ns};
}

enum tail_cause tail_largest(const struct tail_spans *spans)
{
    enum tail_cause largest = CAUSE_UNKNOWN;
    for (enum tail_cause cause = 0; cause < CAUSE_COUNT; cause++)
        if (spans->ns[cause] > spans->ns[largest])
            largest = cause;
    return largest;
}
