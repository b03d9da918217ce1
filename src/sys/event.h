#ifndef SYS_EVENT_H
#define SYS_EVENT_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * Something that happens again and again, and that threads wait for: a futex(2) that counts. A
 * thread looks, decides that it has to wait, and waits for a change since that look, so nothing
 * that happens between is missed.
 */
struct event {
    _Atomic uint32_t count;
};

/* No time at which waiting ends. */
#define EVENT_NO_DEADLINE UINT64_MAX

static inline uint32_t event_look(const struct event *event)
{
    return atomic_load_explicit(&event->count, memory_order_acquire);
}

/* It happens; up to `most` of the threads that wait go on. */
void event_happens(struct event *event, int most);

/* Everybody. */
#define EVENT_WAKES_ALL 0x7fffffff

/*
 * Waits until it has happened since `seen`, or clock_ns() reaches until_ns. A signal that is
 * handled may end the wait early.
 */
void event_wait(struct event *event, uint32_t seen, uint64_t until_ns);

#endif
