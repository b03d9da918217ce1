#ifndef BONLOAD_STATS_SLOWEST_H
#define BONLOAD_STATS_SLOWEST_H

#include <stdint.h>

#include "bonload/plan/words.h"

/*
 * The slowest requests of a thread. Only that thread adds, while others may read: the thread counts
 * its changes, and a reader reads again if the count has changed.
 */
#define SLOWEST_KEPT 10

struct slow_request {
    uint64_t response_ns;
    uint64_t due_ns;
    uint64_t number;
    uint32_t failure;
    unsigned op;
};

struct slowest {
    unsigned changes; /* odd: a change is in progress */
    unsigned count;
    struct slow_request list[SLOWEST_KEPT]; /* longest first */
};

static inline void slow_copy(struct slow_request *to, const struct slow_request *from)
{
    __atomic_store_n(&to->response_ns, __atomic_load_n(&from->response_ns, __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
    __atomic_store_n(&to->due_ns, __atomic_load_n(&from->due_ns, __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
    __atomic_store_n(&to->number, __atomic_load_n(&from->number, __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
    __atomic_store_n(&to->failure, __atomic_load_n(&from->failure, __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
    __atomic_store_n(&to->op, __atomic_load_n(&from->op, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
}

/* Keeps a request if it is one of the slowest. */
static inline void slowest_add(struct slowest *s, const struct slow_request *request)
{
    unsigned at = s->count;
    if (at == SLOWEST_KEPT && request->response_ns <= s->list[at - 1].response_ns)
        return;
    __atomic_store_n(&s->changes, s->changes + 1, __ATOMIC_RELAXED);
    if (at < SLOWEST_KEPT)
        __atomic_store_n(&s->count, s->count + 1, __ATOMIC_RELEASE);
    else
        at--;
    for (; at > 0 && s->list[at - 1].response_ns < request->response_ns; at--)
        slow_copy(&s->list[at], &s->list[at - 1]);
    slow_copy(&s->list[at], request);
    __atomic_store_n(&s->changes, s->changes + 1, __ATOMIC_RELEASE);
}

static inline void slowest_clear(struct slowest *s)
{
    __atomic_store_n(&s->count, 0, __ATOMIC_RELEASE);
}

static inline void slowest_merge(struct slowest *whole, const struct slowest *part)
{
    struct slowest copy;
    unsigned changes;
    do {
        changes = __atomic_load_n(&part->changes, __ATOMIC_ACQUIRE);
        copy.count = __atomic_load_n(&part->count, __ATOMIC_ACQUIRE);
        for (unsigned i = 0; i < copy.count; i++)
            slow_copy(&copy.list[i], &part->list[i]);
    } while (changes % 2 != 0 || changes != __atomic_load_n(&part->changes, __ATOMIC_ACQUIRE));
    for (unsigned i = 0; i < copy.count; i++)
        slowest_add(whole, &copy.list[i]);
}

#endif
