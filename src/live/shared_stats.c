// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/shared_stats.h"

#include <string.h>

#include "util/shared_memory.h"

int shared_stats_open(struct shared_stats *s, unsigned room, struct err *e)
{
    *s = (struct shared_stats){.room = room};
    return shared_memory_map((void **)&s->workers, room * sizeof *s->workers, e);
}

void shared_stats_close(struct shared_stats *s)
{
    shared_memory_unmap(s->workers, s->room * sizeof *s->workers);
    *s = (struct shared_stats){0};
}

void shared_stats_begin(struct shared_stats *s, unsigned used)
{
    s->used = used;
    memset(s->workers, 0, used * sizeof *s->workers);
}

void shared_stats_sum(const struct shared_stats *s, struct op_stats *sum)
{
    memset(sum, 0, sizeof *sum);
    for (unsigned i = 0; i < s->used; i++)
        op_stats_merge(sum, &s->workers[i].ops);
}

void shared_stats_latencies(const void *shared_stats, struct histogram *sum)
{
    const struct shared_stats *s = shared_stats;
    histogram_clear(sum);
    for (unsigned i = 0; i < s->used; i++)
        histogram_merge(sum, &s->workers[i].ops.latencies);
}

uint64_t shared_stats_plain_queues(const struct shared_stats *s)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < s->used; i++)
        count += s->workers[i].plain_queues;
    return count;
}
