#include "bonload/arrivals.h"

#include <math.h>

#include "util/rng.h"
#include "util/units.h"

__extension__ typedef unsigned __int128 uint128;

void arrivals_begin(struct arrivals *a, enum arrival how, uint64_t rate, uint64_t seed,
                    uint64_t start_ns)
{
    a->how = how;
    a->start_ns = start_ns;
    a->rate = rate;
    a->key = rng_mix(seed);
    atomic_store(&a->taken, 0);
    atomic_store(&a->next_ns, start_ns);
    if (how == ARRIVAL_POISSON)
        arrivals_take(a); /* the first gap */
    atomic_store(&a->taken, 0);
}

uint64_t arrivals_at(const struct arrivals *a, uint64_t n)
{
    return a->start_ns + (uint64_t)((uint128)n * BILLION * BILLION / a->rate);
}

/*
 * The exponential gap behind the request that is due at that time. It is computed from the time
 * alone: so one atomic number is all the state that threads share.
 */
static uint64_t gap_after(const struct arrivals *a, uint64_t due_ns)
{
    double uniform = ((double)(rng_mix(a->key ^ (due_ns - a->start_ns)) >> 11) + .5) * 0x1p-53;
    double gap = -log(uniform) * 1e18 / (double)a->rate;
    return gap < 1 ? 1 : gap < 1e18 ? (uint64_t)(gap + .5) : UINT64_C(1000000000000000000);
}

uint64_t arrivals_take(struct arrivals *a)
{
    uint64_t n = atomic_fetch_add_explicit(&a->taken, 1, memory_order_relaxed);
    if (a->how == ARRIVAL_CONSTANT)
        return arrivals_at(a, n);
    uint64_t due = atomic_load_explicit(&a->next_ns, memory_order_relaxed);
    uint64_t next;
    do {
        next = due + gap_after(a, due);
    } while (!atomic_compare_exchange_weak_explicit(&a->next_ns, &due, next, memory_order_relaxed,
                                                    memory_order_relaxed));
    return due;
}

uint64_t arrivals_due(const struct arrivals *a, struct arrivals_cursor *cursor, uint64_t now_ns)
{
    if (now_ns < a->start_ns)
        return 0;
    if (a->how == ARRIVAL_CONSTANT)
        return (uint64_t)((uint128)(now_ns - a->start_ns) * a->rate / BILLION / BILLION) + 1;
    if (cursor->start_ns != a->start_ns)
        *cursor = (struct arrivals_cursor){.start_ns = a->start_ns,
                                           .next_ns = a->start_ns + gap_after(a, a->start_ns)};
    for (; cursor->next_ns <= now_ns; cursor->count++)
        cursor->next_ns += gap_after(a, cursor->next_ns);
    return cursor->count;
}
