// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/load/arrivals.h"

#include <math.h>

#include "util/rng.h"
#include "util/units.h"

double arrivals_rate(const struct arrivals *a, uint64_t now_ns)
{
    if (!a->curve)
        return (double)a->rate / (double)BILLION;
    return rate_curve_rate(a->curve, now_ns > a->start_ns ? now_ns - a->start_ns : 0) / a->each;
}

uint64_t arrivals_at(const struct arrivals *a, uint64_t n)
{
    if (a->curve)
        return a->start_ns + rate_curve_time(a->curve, a->first + (double)n * a->each);
    /* rounded up: arrivals_due() counts what is due by then */
    return a->start_ns + mul_div_up(n, BILLION * BILLION, a->rate);
}

/*
 * The exponential gap between the request that is due at due_ns and the next one. The gap depends
 * only on due_ns, so one atomic number is all the state that threads share.
 */
static uint64_t gap_after(const struct arrivals *a, uint64_t due_ns)
{
    double uniform = ((double)(rng_mix(a->key ^ (due_ns - a->start_ns)) >> 11) + .5) * 0x1p-53;
    if (a->curve) {
        uint64_t passed_ns = due_ns - a->start_ns;
        double number = rate_curve_due(a->curve, passed_ns) - log(uniform) * a->each;
        return rate_curve_time(a->curve, number) + 1 - passed_ns;
    }
    double gap = -log(uniform) * 1e18 / (double)a->rate;
    return gap < 1 ? 1 : gap < 1e18 ? (uint64_t)(gap + .5) : UINT64_C(1000000000000000000);
}

void arrivals_begin(struct arrivals *a, enum arrival how, uint64_t rate, uint64_t seed,
                    uint64_t start_ns)
{
    a->how = how;
    a->start_ns = start_ns;
    a->rate = rate;
    a->key = rng_mix(seed);
    atomic_store(&a->taken, 0);
    atomic_store(&a->next_ns, start_ns + gap_after(a, start_ns));
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

/* Number of requests of a curve that are due. Fractions may make the estimate wrong by one. */
static uint64_t due_of_curve(const struct arrivals *a, uint64_t now_ns)
{
    double number = (rate_curve_due(a->curve, now_ns - a->start_ns) - a->first) / a->each;
    uint64_t due = number < 0 ? 0 : (uint64_t)number;
    while (arrivals_at(a, due) <= now_ns)
        due++;
    while (due > 0 && arrivals_at(a, due - 1) > now_ns)
        due--;
    return due;
}

uint64_t arrivals_due(const struct arrivals *a, struct arrivals_cursor *cursor, uint64_t now_ns)
{
    if (now_ns < a->start_ns)
        return 0;
    if (a->how == ARRIVAL_CONSTANT)
        return a->curve ? due_of_curve(a, now_ns)
                        : mul_div(now_ns - a->start_ns, a->rate, BILLION * BILLION) + 1;
    if (cursor->start_ns != a->start_ns)
        *cursor = (struct arrivals_cursor){.start_ns = a->start_ns,
                                           .next_ns = a->start_ns + gap_after(a, a->start_ns)};
    for (; cursor->next_ns <= now_ns; cursor->count++)
        cursor->next_ns += gap_after(a, cursor->next_ns);
    return cursor->count;
}
