// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/base.h"

/* Part `index`, from 0 on, of `total` things divided into `parts` parts as evenly as possible. */
struct partition {
    uint64_t first;
    uint64_t count;
};

static inline struct partition partition_of(uint64_t total, uint64_t parts, uint64_t index)
{
    ASSUME(parts > 0);
    uint64_t each = total / parts;
    uint64_t rest = total % parts; /* each of the first parts gets one more */
    return (struct partition){.first = index * each + MIN(index, rest),
                              .count = each + (index < rest ? 1 : 0)};
}

/* The reverse: the part that has thing `number`. */
static inline uint64_t partition_owner(uint64_t total, uint64_t parts, uint64_t number)
{
    uint64_t each = total / parts;
    uint64_t in_larger_parts = total % parts * (each + 1);
    return number < in_larger_parts ? number / (each + 1)
                                    : total % parts + (number - in_larger_parts) / each;
}

/* One of several takers to whom things are dealt out in turn. All zeros: it is the only taker. */
struct stripe {
    unsigned others; /* number of takers besides this one */
    unsigned index;  /* number of this taker, counted from 0 */
};

/* This taker's share of `total` things. The shares of two takers differ by 1 at most. */
static inline uint64_t stripe_count(const struct stripe *s, uint64_t total)
{
    return partition_of(total, (uint64_t)s->others + 1, s->index).count;
}

/* The number, among all things, of the nth thing that this taker gets. Both count from 1. */
static inline uint64_t stripe_number(const struct stripe *s, uint64_t n)
{
    return n + (n - 1) * s->others + s->index;
}
