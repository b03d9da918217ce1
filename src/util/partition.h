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

#endif
