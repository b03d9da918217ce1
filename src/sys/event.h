#ifndef SYS_EVENT_H
#define SYS_EVENT_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * An event that may happen again and again, and that threads wait for: a futex(2) that counts. A
 * thread reads the count, decides that it must wait, and waits until the count changes, so it
 * misses nothing that happens in between.
 */
struct event {
    _Atomic uint32_t count;
};

/* Value of until_ns for waiting without a deadline. */
#define EVENT_NO_DEADLINE UINT64_MAX

static inline uint32_t event_look(const struct event *event)
{
    return atomic_load_explicit(&event->count, memory_order_acquire);
}

/* Makes the event happen. Up to `most` waiting threads go on. */
void event_happens(struct event *event, int most);

/* Value of `most` for waking all waiting threads. */
#define EVENT_WAKES_ALL 0x7fffffff

/*
 * Waits until the event has happened after `seen` was read, or clock_ns() reaches until_ns. A
 * signal that is handled may end the wait early.
 */
void event_wait(struct event *event, uint32_t seen, uint64_t until_ns);

#endif
