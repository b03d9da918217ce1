// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/partition.h"

struct partition partition_of(uint64_t total, uint64_t parts, uint64_t index)
{
    uint64_t each = total / parts;
    uint64_t rest = total % parts; /* each of the first parts gets one more */
    return (struct partition){
        .first = index * each + (index < rest ? index : rest),
        .count = each + (index < rest ? 1 : 0),
    };
}

uint64_t partition_owner(uint64_t total, uint64_t parts, uint64_t number)
{
    uint64_t each = total / parts;
    uint64_t rest = total % parts;
    uint64_t in_larger_parts = rest * (each + 1);
    if (number < in_larger_parts)
        return number / (each + 1);
    return rest + (number - in_larger_parts) / each;
}

uint64_t stripe_count(const struct stripe *s, uint64_t total)
{
    return partition_of(total, (uint64_t)s->others + 1, s->index).count;
}

uint64_t stripe_number(const struct stripe *s, uint64_t n)
{
    return n + (n - 1) * s->others + s->index;
}
