// SPDX-License-Identifier: GPL-2.0-or-later
#include "tail/history.h"

#include "measure/clock.h"

#define DENSE_EVENTS ((size_t)1 << 19) /* room for events */
#define LEAST_EVENTS ((size_t)1 << 12) /* at least for so many of each CPU */
#define RARE_EVENTS  ((size_t)1 << 12)
#define NOTHING      UINT64_MAX /* the time of the next event of a source that has none for now */

int tail_history_open(struct tail_history *h, const struct tail_trace *const traces[],
                      unsigned count)
{
    size_t room = DENSE_EVENTS;
    unsigned sources = 0;
    for (unsigned i = 0; i < count; i++)
        sources += traces[i]->cpus;
    while (room < sources * LEAST_EVENTS)
        room *= 2;
    struct tail_event *events = calloc(room + RARE_EVENTS, sizeof *events);
    *h = (struct tail_history){.all = {.events = events, .room = room},
                               .rare = {.events = events + room, .room = RARE_EVENTS},
                               .sources = calloc(sources + 1, sizeof *h->sources),
                               .next_ns = calloc(sources + 1, sizeof *h->next_ns)};
    if (!events || !h->sources || !h->next_ns) {
        tail_history_close(h);
        return -ENOMEM;
    }
    for (unsigned i = 0; i < count; i++)
        for (unsigned cpu = 0; cpu < traces[i]->cpus; cpu++) {
            h->next_ns[h->source_count] = NOTHING;
            h->sources[h->source_count++] = (struct tail_source){.trace = traces[i], .cpu = cpu};
        }
    return 0;
}

void tail_history_close(struct tail_history *h)
{
    free(h->all.events);
    free(h->sources);
    free(h->next_ns);
    *h = (struct tail_history){0};
}

/* Number of the oldest event that is still in the ring. */
static uint64_t ring_first(const struct tail_ring *r)
{
    return r->count > r->room ? r->count - r->room : 0;
}

static struct tail_event *ring_at(const struct tail_ring *r, uint64_t number)
{
    return &r->events[number & (r->room - 1)];
}

/* Number of the first event at or after `ns`. */
static uint64_t ring_seek(const struct tail_ring *r, uint64_t ns)
{
    uint64_t low = ring_first(r);
    uint64_t high = r->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (ring_at(r, middle)->ns < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void tail_history_add(struct tail_history *h, const struct tail_event *e)
{
    bool is_rare = e->kind == TAIL_FLUSH_BEGIN || e->kind == TAIL_FLUSH_END ||
                   e->kind == TAIL_COMMIT_BEGIN || e->kind == TAIL_COMMIT_END ||
                   e->kind == TAIL_ASK_COMMIT;
    struct tail_ring *r = is_rare ? &h->rare : &h->all;
    uint64_t last_ns = r->count > 0 ? ring_at(r, r->count - 1)->ns : 0;
    struct tail_event *added = ring_at(r, r->count++);
    *added = *e;
    if (e->ns < last_ns) /* the kernel told of it too late */
        added->ns = last_ns;
}

void tail_history_lost(struct tail_history *h, uint64_t from_ns, uint64_t to_ns)
{
    h->gaps[h->gap_count++ % TAIL_GAPS] = (struct tail_gap){from_ns, to_ns};
}

/* Goes on to the next event of a source. */
static void advance(struct tail_history *h, unsigned source)
{
    struct tail_source *s = &h->sources[source];
    h->next_ns[source] = NOTHING;
    while (s->taken == s->count) {
        size_t bytes;
        const unsigned char *record = tail_page_next(&s->page, &bytes);
        if (record) {
            if (s->page.follows_loss)
                tail_history_lost(h, s->last_ns, s->page.ns);
            s->page.follows_loss = false;
            s->last_ns = s->page.ns;
            s->count = tail_decode(&s->trace->decoder, record, bytes, s->page.ns, s->events);
            s->taken = 0;
            h->seen_events += s->count > 0;
        } else if (tail_trace_read(s->trace, s->cpu, &s->page)) {
            h->lost_events += s->page.lost;
        } else {
            return;
        }
    }
    h->next_ns[source] = s->events[s->taken].ns;
}

void tail_history_read(struct tail_history *h,
                       void (*take)(void *context, const struct tail_trace *from,
                                    struct tail_event *e),
                       void *context)
{
    const uint64_t now_ns = clock_ns(); /* what is older has been recorded */
    for (unsigned i = 0; i < h->source_count; i++)
        if (h->next_ns[i] == NOTHING)
            advance(h, i);
    for (;;) {
        uint64_t first_ns = now_ns;
        uint64_t second_ns = now_ns;
        unsigned first = 0; /* the source with the oldest event */
        for (unsigned i = 0; i < h->source_count; i++) {
            if (h->next_ns[i] < first_ns) {
                second_ns = first_ns;
                first_ns = h->next_ns[i];
                first = i;
            } else if (h->next_ns[i] < second_ns) {
                second_ns = h->next_ns[i];
            }
        }
        if (first_ns == now_ns)
            return;
        struct tail_source *s = &h->sources[first];
        do {
            struct tail_event *e = &s->events[s->taken++];
            if (take)
                take(context, s->trace, e);
            else
                tail_history_add(h, e);
            advance(h, first);
        } while (h->next_ns[first] < second_ns);
    }
}

uint64_t tail_history_bytes(const struct tail_history *h, const struct tail_op *op,
                            struct tail_share shares[], unsigned room)
{
    uint64_t sum = 0;
    for (uint64_t n = ring_seek(&h->all, op->start_ns); n < h->all.count; n++) {
        const struct tail_event *e = ring_at(&h->all, n);
        if (e->ns > op->end_ns)
            break;
        if (e->kind != TAIL_BIO || !tail_event_is_on(e, op->devices))
            continue;
        uint64_t bytes = (uint64_t)e->sectors * 512;
        sum += bytes;
        tail_share_add(shares, room, e->thread, bytes);
    }
    return sum;
}

/* The events of both rings, in the order of time. */
struct course {
    const struct tail_history *h;
    uint64_t next; /* number of the next event in each ring */
    uint64_t next_rare;
};

static const struct tail_event *next_event(void *context)
{
    struct course *c = context;
    bool has_more = c->next < c->h->all.count;
    const struct tail_event *e = ring_at(&c->h->all, c->next);
    const struct tail_event *rare = ring_at(&c->h->rare, c->next_rare);
    if (c->next_rare < c->h->rare.count && (!has_more || rare->ns < e->ns)) {
        c->next_rare++;
        return rare;
    }
    c->next++;
    return has_more ? e : NULL;
}

void tail_history_explain(const struct tail_history *h, const struct tail_op *op,
                          struct tail_record *r)
{
    const struct tail_ring *all = &h->all;
    uint64_t gaps = h->gap_count < TAIL_GAPS ? h->gap_count : TAIL_GAPS;
    uint64_t whole_ns = 0; /* from here to the operation no event is lost */
    uint64_t since_ns = op->start_ns - op->before_ns;
    r->is_lost = all->count > all->room && ring_at(all, ring_first(all))->ns > op->start_ns;
    for (uint64_t i = 0; i < gaps; i++) {
        r->is_lost |= h->gaps[i].from_ns < op->end_ns && h->gaps[i].to_ns > op->start_ns;
        if (h->gaps[i].to_ns <= op->start_ns && h->gaps[i].to_ns > whole_ns)
            whole_ns = h->gaps[i].to_ns;
    }
    /* what began earlier may have ended in a gap */
    struct course c = {.h = h,
                       .next = ring_seek(all, since_ns > whole_ns ? since_ns : whole_ns),
                       .next_rare = ring_seek(&h->rare, whole_ns)};
    if (r->is_lost)
        r->spans.ns[CAUSE_UNKNOWN] = r->latency_ns;
    else
        tail_cut(&r->spans, op, next_event, &c);
    r->cause = tail_largest(&r->spans);
}
