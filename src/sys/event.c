#include "sys/event.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/clock.h"

void event_happens(struct event *event, int most)
{
    atomic_fetch_add_explicit(&event->count, 1, memory_order_release);
    syscall(SYS_futex, &event->count, FUTEX_WAKE_PRIVATE, most, NULL, NULL, 0);
}

void event_wait(struct event *event, uint32_t seen, uint64_t until_ns)
{
    const struct timespec until = clock_timespec(until_ns);
    syscall(SYS_futex, &event->count, FUTEX_WAIT_BITSET_PRIVATE, seen,
            until_ns == EVENT_NO_DEADLINE ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY);
}
