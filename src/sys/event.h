#ifndef SYS_EVENT_H
#define SYS_EVENT_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * A recurring event that threads wait for: a futex(2) that counts. A thread reads the count,
 * decides that it has to wait, and waits for the count to change, so it misses nothing that happens
 * in between.
 */
struct event {
    _Atomic uint32_t count;
};

/* As until_ns: wait without a deadline. */
#define EVENT_NO_DEADLINE UINT64_MAX

static inline uint32_t event_look(const struct event *event)
{
    return atomic_load_explicit(&event->count, memory_order_acquire);
}

/* Signals the event; up to `most` of the waiting threads continue. */
void event_happens(struct event *event, int most);

/* As `most`: wake all waiting threads. */
#define EVENT_WAKES_ALL 0x7fffffff

/*
 * Waits until the event has happened since `seen` was read, or clock_ns() reaches until_ns. A
 * signal that is handled may end the wait early.
 */
void event_wait(struct event *event, uint32_t seen, uint64_t until_ns);

#endif
