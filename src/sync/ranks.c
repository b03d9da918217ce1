// SPDX-License-Identifier: GPL-2.0-or-later
#include "sync/ranks.h"

#include "util/units.h"

unsigned ranks_beside(const struct ranks *r, unsigned rank)
{
    unsigned count = 0;
    for (uint32_t i = 0; r->cards && i < r->count; i++)
        count += r->cards[i].host_first == r->cards[rank].host_first;
    return r->cards ? count : 1;
}

bool ranks_is_first(const struct ranks *r, unsigned rank)
{
    return !r->cards || r->cards[rank].host_first == rank;
}

uint64_t rank_clock_start(const struct ranks *r, unsigned rank, uint64_t ns)
{
    return r->cards ? ns + (uint64_t)r->cards[rank].before.ns : ns;
}

uint64_t rank_clock_end(const struct ranks *r, unsigned rank, uint64_t ns)
{
    return r->cards ? ns + (uint64_t)r->cards[rank].after.ns : ns;
}

void rank_clock_span(const struct ranks *r, unsigned rank, uint64_t *start, uint64_t *end)
{
    uint64_t own_ns = *end > *start ? *end - *start : 0;
    *start = rank_clock_start(r, rank, *start);
    *end = rank_clock_end(r, rank, *end);
    *end = MAX(*end, *start + own_ns);
}

void rank_span_add(struct rank_span *s, uint64_t start, uint64_t end)
{
    if (s->first_start == 0 || start < s->first_start)
        s->first_start = start;
    s->last_start = MAX(s->last_start, start);
    if (end < start) /* it has not ended */
        end = start;
    s->last_end = MAX(s->last_end, end);
}

/* Rounded up to three digits, so that the printed number is never too small. */
static struct units_text at_most(uint64_t nanoseconds)
{
    uint64_t step = 1;
    while (nanoseconds / step > 999)
        step *= 10;
    return units_time(round_up(nanoseconds, step));
}

void starts_text(char text[static STARTS_TEXT], uint64_t spread_ns, uint64_t clock_uncertainty_ns)
{
    int used = snprintf(text, STARTS_TEXT, "within %s of one another", at_most(spread_ns).text);
    if (clock_uncertainty_ns > 0)
        snprintf(text + used, STARTS_TEXT - (size_t)used,
                 " (their clocks could be compared to within %s)",
                 at_most(clock_uncertainty_ns).text);
}
