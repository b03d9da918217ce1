// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdint.h>

/* Part `index`, from 0 on, of `total` things divided into `parts` parts as evenly as possible. */
struct partition {
    uint64_t first;
    uint64_t count;
};
struct partition partition_of(uint64_t total, uint64_t parts, uint64_t index);

/* The reverse: the part that has thing `number`. */
uint64_t partition_owner(uint64_t total, uint64_t parts, uint64_t number);

/* One of several takers to whom things are dealt out in turn. All zeros: it is the only taker. */
struct stripe {
    unsigned others; /* number of takers besides this one */
    unsigned index;  /* number of this taker, counted from 0 */
};

/* This taker's share of `total` things. The shares of two takers differ by 1 at most. */
uint64_t stripe_count(const struct stripe *s, uint64_t total);

/* The number, among all things, of the nth thing that this taker gets. Both count from 1. */
uint64_t stripe_number(const struct stripe *s, uint64_t n);
