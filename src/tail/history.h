#ifndef TAIL_HISTORY_H
#define TAIL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tail/event.h"

/*
 * The events of the last moments, in memory of a fixed size: the newest overwrite the oldest. Those
 * of each CPU come in the order of time. What many operations are judged by, and is rare (flushes,
 * commits of the journal), is kept apart, and longer.
 */
struct tail_lane {
    struct tail_event *events;
    size_t room;
    uint64_t count; /* number of events ever added */
};

/* A stretch of time of which the kernel lost events. */
struct tail_gap {
    uint64_t from_ns;
    uint64_t to_ns;
};

#define TAIL_GAPS 256

struct tail_history {
    void *memory;
    size_t memory_bytes;
    struct tail_lane *lanes; /* one for each CPU */
    unsigned cpus;
    struct tail_lane rare;
    struct tail_gap gaps[TAIL_GAPS];
    uint64_t gap_count;
    struct tail_event *chosen; /* room for the events of one operation, twice */
};

/* The most events of one operation that are looked at. */
#define TAIL_CHOSEN 16384

/* Returns 0 or a negative errno. */
int tail_history_open(struct tail_history *h, unsigned cpus);
void tail_history_close(struct tail_history *h);

void tail_history_add(struct tail_history *h, unsigned cpu, const struct tail_event *e);

/* Notes that the kernel lost events of that CPU, from the last that was added up to to_ns. */
void tail_history_lost(struct tail_history *h, unsigned cpu, uint64_t to_ns);

/* An operation, and by what its events are known. */
struct tail_search {
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t before_ns; /* requests that its thread made this long before may be waited for */
    int thread;
    bool by_thread;  /* the requests that its thread makes meanwhile are its own */
    uint32_t device; /* where its data lie, if `sectors` is not 0 */
    uint64_t sector;
    uint64_t sectors;
};

/*
 * Finds the events of an operation, in the order of time, with those of a flush or commit that may
 * have begun before. They are valid until the next call. Returns false when some of them are lost,
 * or there are too many.
 */
bool tail_history_find(struct tail_history *h, const struct tail_search *s,
                       const struct tail_event **events, size_t *count);

#endif
