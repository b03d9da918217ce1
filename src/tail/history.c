// SPDX-License-Identifier: GPL-2.0-or-later
#include "tail/history.h"

#include <errno.h>
#include <stdlib.h>

/* Room of all lanes together, in events; but each lane has room for LEAST_EVENTS at least. */
#define DENSE_EVENTS ((size_t)1 << 19)
#define LEAST_EVENTS ((size_t)1 << 12)
#define RARE_EVENTS  ((size_t)1 << 12)

int tail_history_open(struct tail_history *h, unsigned cpus)
{
    size_t each = LEAST_EVENTS;
    while (2 * each * cpus <= DENSE_EVENTS)
        each *= 2;
    size_t events = cpus * each + RARE_EVENTS + 2 * TAIL_CHOSEN;
    *h = (struct tail_history){.cpus = cpus};
    h->memory = calloc(1, events * sizeof(struct tail_event) + cpus * sizeof *h->lanes);
    if (!h->memory)
        return -ENOMEM;
    struct tail_event *next = h->memory;
    h->lanes = (struct tail_lane *)(void *)(next + events);
    for (unsigned i = 0; i < cpus; i++, next += each)
        h->lanes[i] = (struct tail_lane){.events = next, .room = each};
    h->rare = (struct tail_lane){.events = next, .room = RARE_EVENTS};
    h->chosen = next + RARE_EVENTS;
    return 0;
}

void tail_history_close(struct tail_history *h)
{
    free(h->memory);
    *h = (struct tail_history){0};
}

static void lane_add(struct tail_lane *l, const struct tail_event *e)
{
    l->events[l->count++ & (l->room - 1)] = *e;
}

/* Number of the oldest event that is still in the lane. */
static uint64_t lane_first(const struct tail_lane *l)
{
    return l->count > l->room ? l->count - l->room : 0;
}

static const struct tail_event *lane_at(const struct tail_lane *l, uint64_t number)
{
    return &l->events[number & (l->room - 1)];
}

/* The time before which the lane has lost events; 0: it has lost none. */
static uint64_t lane_oldest_ns(const struct tail_lane *l)
{
    return l->count > l->room ? lane_at(l, lane_first(l))->ns : 0;
}

/* Number of the first event at or after `ns`. */
static uint64_t lane_seek(const struct tail_lane *l, uint64_t ns)
{
    uint64_t low = lane_first(l);
    uint64_t high = l->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (lane_at(l, middle)->ns < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void tail_history_add(struct tail_history *h, unsigned cpu, const struct tail_event *e)
{
    bool is_rare = e->kind == TAIL_FLUSH_BEGIN || e->kind == TAIL_FLUSH_END ||
                   e->kind == TAIL_COMMIT_BEGIN || e->kind == TAIL_COMMIT_END ||
                   e->kind == TAIL_ASK_COMMIT;
    if (!is_rare)
        lane_add(&h->lanes[cpu], e);
    else if (e->ns > h->blind_ns) /* what began earlier may have ended in a gap */
        lane_add(&h->rare, e);
}

void tail_history_lost(struct tail_history *h, unsigned cpu, uint64_t to_ns)
{
    const struct tail_lane *l = &h->lanes[cpu];
    uint64_t from_ns = l->count > 0 ? lane_at(l, l->count - 1)->ns : 0;
    h->gaps[h->gap_count++ % TAIL_GAPS] = (struct tail_gap){from_ns, to_ns};
    h->blind_ns = to_ns > h->blind_ns ? to_ns : h->blind_ns;
    h->rare.count = 0;
}

/* Whether the history has all events of that time. */
static bool is_complete(const struct tail_history *h, uint64_t start_ns, uint64_t end_ns)
{
    uint64_t gaps = h->gap_count < TAIL_GAPS ? h->gap_count : TAIL_GAPS;
    for (uint64_t i = 0; i < gaps; i++)
        if (h->gaps[i].from_ns < end_ns && h->gaps[i].to_ns > start_ns)
            return false;
    for (unsigned i = 0; i < h->cpus; i++)
        if (lane_oldest_ns(&h->lanes[i]) > start_ns)
            return false;
    return true;
}

/* Most pages that are read from one CPU in a row. */
#define MAX_PAGES 4096

bool tail_history_read(struct tail_history *h, const struct tail_trace *t, unsigned first_lane,
                       bool (*take)(void *context, unsigned lane, struct tail_event *e),
                       void *context)
{
    struct tail_page page;
    struct tail_event events[2];
    size_t bytes;
    for (unsigned cpu = 0; cpu < t->cpus; cpu++) {
        unsigned lane = first_lane + cpu;
        for (unsigned i = 0; i < MAX_PAGES && (bytes = tail_trace_read(t, cpu)) > 0; i++) {
            if (!tail_page_begin(&page, &t->layout, t->page, bytes))
                continue;
            h->lost_events += page.lost;
            for (const unsigned char *record; (record = tail_page_next(&page, &bytes));) {
                if (page.follows_loss)
                    tail_history_lost(h, lane, page.ns);
                page.follows_loss = false;
                unsigned count = tail_decode(&t->decoder, record, bytes, page.ns, events);
                h->seen_events += count > 0;
                for (unsigned k = 0; k < count; k++) {
                    if (!take)
                        tail_history_add(h, lane, &events[k]);
                    else if (!take(context, lane, &events[k]))
                        return false;
                }
            }
        }
    }
    return true;
}

static bool overlaps(const struct tail_event *e, uint32_t device, uint64_t sector, uint64_t sectors)
{
    return e->device == device && e->sector < sector + sectors && sector < e->sector + e->sectors;
}

bool tail_event_is_on(const struct tail_event *e, const struct device_set *devices)
{
    for (unsigned i = 0; i < devices->count; i++)
        if (e->device == tail_device(devices->devices[i].major, devices->devices[i].minor))
            return true;
    return false;
}

uint64_t tail_history_bytes(const struct tail_history *h, const struct tail_op *op,
                            struct tail_share shares[], unsigned room)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < h->cpus; i++) {
        const struct tail_lane *l = &h->lanes[i];
        for (uint64_t n = lane_seek(l, op->start_ns); n < l->count; n++) {
            const struct tail_event *e = lane_at(l, n);
            if (e->ns > op->end_ns)
                break;
            if (e->kind != TAIL_BIO || !tail_event_is_on(e, op->devices))
                continue;
            uint64_t bytes = (uint64_t)e->sectors * 512;
            sum += bytes;
            tail_share_add(shares, room, e->thread, bytes);
        }
    }
    return sum;
}

/* The events chosen so far. */
struct choice {
    struct tail_event *events;
    size_t count;
    uint64_t since_ns; /* what a lane has of earlier times is not chosen */
    size_t requests;   /* number of those that begin a request; these come first, by their place */
    uint32_t longest;  /* number of sectors of the longest of these */
    bool is_full;
};

static void choose(struct choice *c, const struct tail_event *e)
{
    c->is_full = c->count == TAIL_CHOSEN;
    if (!c->is_full)
        c->events[c->count++] = *e;
}

/* Whether the event begins a request of the operation. */
static bool begins_request(const struct tail_op *op, const struct tail_event *e)
{
    if (e->kind != TAIL_INSERT && e->kind != TAIL_ISSUE)
        return false;
    if (e->thread == op->thread && (!op->is_queued || (op->is_sent && e->ns >= op->start_ns)))
        return true;
    return e->ns >= op->start_ns && op->sectors > 0 &&
           overlaps(e, op->device, op->sector, op->sectors);
}

/* Whether the request is at or behind a place on a device. */
static bool is_behind(const struct tail_event *request, uint32_t device, uint64_t sector)
{
    return request->device == device ? request->sector >= sector : request->device > device;
}

/* Whether the event is about one of the requests, of which there may be thousands. */
static bool is_about(const struct choice *c, const struct tail_event *e)
{
    uint64_t end = e->sector + e->sectors;
    size_t low = 0;
    size_t high = c->requests;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_behind(&c->events[middle], e->device, end))
            high = middle;
        else
            low = middle + 1;
    }
    for (size_t i = low; i-- > 0;) {
        const struct tail_event *request = &c->events[i];
        if (overlaps(e, request->device, request->sector, request->sectors))
            return true;
        if (request->device != e->device || request->sector + c->longest <= e->sector)
            return false;
    }
    return false;
}

/* Chooses the events that begin a request of the operation or, without `begins`, those that say
 * what became of its requests or its thread. */
static void choose_own(struct choice *c, const struct tail_history *h, const struct tail_op *op,
                       bool begins)
{
    for (unsigned i = 0; i < h->cpus; i++) {
        const struct tail_lane *l = &h->lanes[i];
        for (uint64_t n = lane_seek(l, c->since_ns); n < l->count && !c->is_full; n++) {
            const struct tail_event *e = lane_at(l, n);
            bool is_request =
                e->kind == TAIL_INSERT || e->kind == TAIL_ISSUE || e->kind == TAIL_COMPLETE;
            if (e->ns > op->end_ns)
                break;
            if (begins       ? begins_request(op, e)
                : is_request ? !begins_request(op, e) && is_about(c, e)
                             : e->thread == op->thread && e->ns >= op->start_ns)
                choose(c, e);
        }
    }
}

/* Whether an event may stand before another one. */
typedef bool order(const struct tail_event *a, const struct tail_event *b);

static bool by_time(const struct tail_event *a, const struct tail_event *b)
{
    return a->ns <= b->ns;
}

static bool by_place(const struct tail_event *a, const struct tail_event *b)
{
    return is_behind(b, a->device, a->sector);
}

/* Sorts the events by merging runs, to and fro between the halves of h->chosen. qsort() may
 * allocate memory, which is forbidden after a fork. */
static void sort_events(const struct tail_history *h, struct choice *c, order *is_before)
{
    for (size_t run = 1; run < c->count; run *= 2) {
        struct tail_event *from = c->events;
        struct tail_event *to = from == h->chosen ? h->chosen + TAIL_CHOSEN : h->chosen;
        c->events = to;
        for (size_t i = 0; i < c->count; i += 2 * run) {
            size_t first = i;
            size_t middle = i + run < c->count ? i + run : c->count;
            size_t second = middle;
            size_t end = middle + run < c->count ? middle + run : c->count;
            while (first < middle || second < end) {
                bool takes_first =
                    first < middle && (second == end || is_before(&from[first], &from[second]));
                *to++ = from[takes_first ? first++ : second++];
            }
        }
    }
}

bool tail_history_find(struct tail_history *h, const struct tail_op *op,
                       const struct tail_event **events, size_t *count)
{
    struct choice c = {.events = h->chosen, .since_ns = op->start_ns - op->before_ns};
    const struct tail_lane *rare = &h->rare;
    /* from since_ns on no event is lost, so that the end of all that began later is known, too */
    if (h->blind_ns > c.since_ns && h->blind_ns <= op->start_ns)
        c.since_ns = h->blind_ns;
    for (unsigned i = 0; i < h->cpus; i++)
        if (lane_oldest_ns(&h->lanes[i]) > c.since_ns)
            c.since_ns = lane_oldest_ns(&h->lanes[i]);
    choose_own(&c, h, op, true);
    sort_events(h, &c, by_place);
    c.requests = c.count;
    for (size_t i = 0; i < c.count; i++)
        if (c.events[i].sectors > c.longest)
            c.longest = c.events[i].sectors;
    choose_own(&c, h, op, false);
    for (uint64_t n = lane_first(rare); n < rare->count && !c.is_full; n++) {
        const struct tail_event *e = lane_at(rare, n);
        bool may_matter =
            !op->devices || e->kind == TAIL_ASK_COMMIT || tail_event_is_on(e, op->devices);
        if (e->ns <= op->end_ns && may_matter)
            choose(&c, e);
    }
    sort_events(h, &c, by_time);
    *events = c.events;
    *count = c.count;
    return !c.is_full && is_complete(h, op->start_ns, op->end_ns);
}

void tail_history_explain(struct tail_history *h, const struct tail_op *op, struct tail_record *r)
{
    const struct tail_event *events;
    size_t count;
    r->is_lost = !tail_history_find(h, op, &events, &count);
    if (r->is_lost)
        r->spans.ns[CAUSE_UNKNOWN] = r->latency_ns;
    else
        tail_cut(&r->spans, op, events, count);
    r->cause = tail_largest(&r->spans);
}
