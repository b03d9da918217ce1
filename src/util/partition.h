#ifndef UTIL_PARTITION_H
#define UTIL_PARTITION_H

#include <stdint.h>

/* Part `index` (from 0 on) of `total` things shared out among `parts` as evenly as can be. */
struct partition {
    uint64_t first;
    uint64_t count;
};
struct partition partition_of(uint64_t total, uint64_t parts, uint64_t index);

/* The reverse: the part that thing `number` belongs to. */
uint64_t partition_owner(uint64_t total, uint64_t parts, uint64_t number);

/* One of several among which things are dealt out in turn. All zeros: there are no others. */
struct stripe {
    unsigned others; /* how many there are besides this one */
    unsigned index;  /* of this one, from 0 on */
};

/* How many of `total` things it gets: no two get numbers that are more than 1 apart. */
uint64_t stripe_count(const struct stripe *s, uint64_t total);

/* Which of all things, numbered from 1 on, is its nth one, from 1 on. */
uint64_t stripe_number(const struct stripe *s, uint64_t n);

#endif
