#include "tail/decode.h"

#include <string.h>

/*
 * Bits of `flags` in contention_begin (include/trace/events/lock.h). A thread with one of these
 * spins instead of sleeping, with LOCK_MUTEX only at first.
 */
#define LOCK_SPINS (UINT64_C(1) << 0)
#define LOCK_MUTEX (UINT64_C(1) << 5)

/*
 * Bits of `prev_state` in sched_switch. A thread with one of these gives up its CPU because it has
 * to wait.
 */
#define STATE_SLEEPS 0xff

/* Values of an event's fields, in the order of its row in the table. */
struct values {
    uint64_t of[TAIL_EVENT_FIELDS];
    const unsigned char *text; /* the field that is not a number */
    size_t text_bytes;
};

/*
 * Makes 0, 1 or 2 events from the values, and returns their number. The caller has set the kind and
 * the thread of both.
 */
typedef unsigned reading(const struct values *v, struct tail_event events[static 2]);

static unsigned take_plain(const struct values *v, struct tail_event events[static 2])
{
    (void)v;
    (void)events;
    return 1;
}

/*
 * Only requests with sectors move data. A flush has none ("FF"), and neither has the last step of a
 * write that waited for a flush ("FWS").
 */
static unsigned take_request(const struct values *v, struct tail_event events[static 2])
{
    struct tail_event *e = &events[0];
    bool is_flush = v->text_bytes > 1 && v->text[0] == 'F' && v->text[1] == 'F';
    e->device = (uint32_t)v->of[0];
    e->sector = v->of[1];
    e->sectors = (uint32_t)v->of[2];
    e->is_meta = v->text_bytes > 0 && memchr(v->text, 'M', v->text_bytes) != NULL;
    if (e->sectors > 0)
        return 1;
    if (!is_flush || e->kind == TAIL_INSERT)
        return 0;
    e->kind = e->kind == TAIL_ISSUE ? TAIL_FLUSH_BEGIN : TAIL_FLUSH_END;
    return 1;
}

static unsigned take_switch(const struct values *v, struct tail_event events[static 2])
{
    events[0].kind = v->of[1] & STATE_SLEEPS ? TAIL_SLEEP : TAIL_PREEMPT;
    events[0].thread = (int32_t)v->of[0];
    events[1] = events[0];
    events[1].kind = TAIL_RUN;
    events[1].thread = (int32_t)v->of[2];
    return 2;
}

static unsigned take_woken(const struct values *v, struct tail_event events[static 2])
{
    events[0].thread = (int32_t)v->of[0];
    return 1;
}

/*
 * A thread that waits for a mutex counts as waiting even while it spins. For other locks only a
 * thread that sleeps counts.
 */
static unsigned take_lock(const struct values *v, struct tail_event events[static 2])
{
    events[0].sector = v->of[0];
    return events[0].kind == TAIL_LOCK_END || !(v->of[1] & LOCK_SPINS) || (v->of[1] & LOCK_MUTEX);
}

static unsigned take_pause(const struct values *v, struct tail_event events[static 2])
{
    (void)events;
    return (int64_t)v->of[0] > 0;
}

/* What only one type of filesystem does. */
#define COMMITS   "commits of the journal"
#define LOG_WAITS "waits for the log"

static const struct row {
    const char *path;
    const char *purpose;
    enum tail_scope scope;
    enum tail_kind kind;
    reading *take;
    const char *fields[TAIL_EVENT_FIELDS]; /* a field with text comes last */
} rows[TAIL_EVENTS] = {
    {"block/block_rq_insert",
     "requests to devices",
     SCOPE_DEVICES,
     TAIL_INSERT,
     take_request,
     {"dev", "sector", "nr_sector", "rwbs"}},
    {"block/block_rq_issue",
     "requests to devices",
     SCOPE_DEVICES,
     TAIL_ISSUE,
     take_request,
     {"dev", "sector", "nr_sector", "rwbs"}},
    {"block/block_rq_complete",
     "requests to devices",
     SCOPE_DEVICES,
     TAIL_COMPLETE,
     take_request,
     {"dev", "sector", "nr_sector", "rwbs"}},
    {"sched/sched_switch",
     "waits for a CPU",
     SCOPE_SWITCHED,
     TAIL_SLEEP,
     take_switch,
     {"prev_pid", "prev_state", "next_pid"}},
    {"sched/sched_wakeup", "waits for a CPU", SCOPE_WOKEN, TAIL_WAKE, take_woken, {"pid"}},
    {"jbd2/jbd2_start_commit", COMMITS, SCOPE_FILESYSTEM, TAIL_COMMIT_BEGIN, take_plain, {"dev"}},
    {"jbd2/jbd2_end_commit", COMMITS, SCOPE_FILESYSTEM, TAIL_COMMIT_END, take_plain, {"dev"}},
    {"xfs/xfs_log_force", LOG_WAITS, SCOPE_THREAD, TAIL_LOG_WAIT, take_plain, {NULL}},
    {"xfs/xfs_log_grant_sleep", LOG_WAITS, SCOPE_THREAD, TAIL_LOG_WAIT, take_plain, {NULL}},
    {"xfs/xfs_log_grant_wake", LOG_WAITS, SCOPE_THREAD, TAIL_LOG_READY, take_plain, {NULL}},
    {"writeback/balance_dirty_pages",
     "writers that are held back",
     SCOPE_THREAD,
     TAIL_DIRTY_PAUSE,
     take_pause,
     {"pause"}},
    {"vmscan/mm_vmscan_direct_reclaim_begin",
     "reclaim of memory",
     SCOPE_THREAD,
     TAIL_RECLAIM_BEGIN,
     take_plain,
     {NULL}},
    {"vmscan/mm_vmscan_direct_reclaim_end",
     "reclaim of memory",
     SCOPE_THREAD,
     TAIL_RECLAIM_END,
     take_plain,
     {NULL}},
    {"vmscan/mm_vmscan_memcg_reclaim_begin",
     "reclaim of memory",
     SCOPE_THREAD,
     TAIL_RECLAIM_BEGIN,
     take_plain,
     {NULL}},
    {"vmscan/mm_vmscan_memcg_reclaim_end",
     "reclaim of memory",
     SCOPE_THREAD,
     TAIL_RECLAIM_END,
     take_plain,
     {NULL}},
    {"lock/contention_begin",
     "locks",
     SCOPE_THREAD,
     TAIL_LOCK_BEGIN,
     take_lock,
     {"lock_addr", "flags"}},
    {"lock/contention_end", "locks", SCOPE_THREAD, TAIL_LOCK_END, take_lock, {"lock_addr"}},
};

const char *tail_event_path(unsigned index)
{
    return rows[index].path;
}

enum tail_scope tail_event_scope(unsigned index)
{
    return rows[index].scope;
}

const char *tail_event_purpose(unsigned index)
{
    return rows[index].purpose;
}

bool tail_decoder_learn(struct tail_decoder *d, unsigned index, const char *text)
{
    struct tail_format *f = &d->formats[index];
    f->is_known = tail_format_id(text, &f->id) && tail_format_field(text, "common_type", &d->id) &&
                  tail_format_field(text, "common_pid", &d->thread);
    for (unsigned i = 0; i < TAIL_EVENT_FIELDS && rows[index].fields[i] && f->is_known; i++)
        f->is_known = tail_format_field(text, rows[index].fields[i], &f->fields[i]);
    return f->is_known;
}

void tail_decoder_finish(struct tail_decoder *d)
{
    for (unsigned i = 0; i < TAIL_EVENTS; i++) {
        if (d->formats[i].is_known)
            continue;
        for (unsigned other = 0; other < TAIL_EVENTS; other++)
            if (strcmp(rows[other].purpose, rows[i].purpose) == 0)
                d->formats[other].is_known = false;
    }
}

bool tail_decoder_misses(const struct tail_decoder *d, unsigned index, const char *filesystem)
{
    const char *purpose = rows[index].purpose;
    if (d->formats[index].is_known)
        return false;
    if (strcmp(purpose, COMMITS) == 0)
        return strcmp(filesystem, "ext4") == 0 || strcmp(filesystem, "ext3") == 0;
    return strcmp(purpose, LOG_WAITS) != 0 || strcmp(filesystem, "xfs") == 0;
}

static void read_values(struct values *v, const struct tail_format *f, const unsigned char *record,
                        size_t bytes)
{
    for (unsigned i = 0; i < TAIL_EVENT_FIELDS; i++) {
        const struct tail_field *field = &f->fields[i];
        bool fits = field->offset <= bytes && field->size <= bytes - field->offset;
        v->of[i] = tail_field_value(field, record, bytes);
        if (!field->is_text || !fits)
            continue;
        v->text = record + field->offset;
        v->text_bytes = strnlen((const char *)v->text, field->size);
    }
}

unsigned tail_decode(const struct tail_decoder *d, const unsigned char *record, size_t bytes,
                     uint64_t ns, struct tail_event events[static 2])
{
    unsigned id = (unsigned)tail_field_value(&d->id, record, bytes);
    unsigned index = 0;
    while (index < TAIL_EVENTS && !(d->formats[index].is_known && d->formats[index].id == id))
        index++;
    if (index == TAIL_EVENTS)
        return 0;
    struct values values = {0};
    read_values(&values, &d->formats[index], record, bytes);
    events[0] = (struct tail_event){.ns = ns,
                                    .thread = (int32_t)tail_field_value(&d->thread, record, bytes),
                                    .kind = (uint8_t)rows[index].kind};
    return rows[index].take(&values, events);
}
