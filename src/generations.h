#ifndef BONNIE_GENERATIONS_H
#define BONNIE_GENERATIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

/*
 * How often each block of the data set was changed, for tests that change blocks at random places,
 * several at once and in several processes. A block has a counter of 16 bits in a shared mapping:
 * odd while somebody changes it, and two more after each change (a sequence lock, which readers
 * never wait for: a reader compares what it saw before with what it sees after).
 *
 * Beyond 2^25 blocks (64 MiB of counters) several blocks share one: then it is not known how often
 * a single block was changed.
 */
struct generations {
    _Atomic uint16_t *counters; /* NULL: nothing is ever changed */
    uint64_t count;
    bool is_exact; /* each block has its own */
};

/* The counter of a block. */
static inline _Atomic uint16_t *generations_counter(const struct generations *g, uint64_t block)
{
    return &g->counters[g->is_exact ? block : block % g->count];
}

/* Counters for so many blocks. Returns 0 or a negative errno. */
int generations_open(struct generations *g, uint64_t blocks, struct err *e);

void generations_close(struct generations *g);

/*
 * How often a block was changed, modulo 2^15. A change that is being made counts in `next`, which
 * is for who writes, and not in `stored`, which is for who has read what was there before it.
 */
static inline uint64_t generations_stored(const struct generations *g, uint64_t block)
{
    return g->counters ? atomic_load(generations_counter(g, block)) / 2U : 0;
}
static inline uint64_t generations_next(const struct generations *g, uint64_t block)
{
    return g->counters ? (atomic_load(generations_counter(g, block)) + 1U) / 2 % 32768 : 0;
}

/* Begins to change `count` blocks from `first` on; false when one of them is being changed. */
bool generations_claim(struct generations *g, uint64_t first, uint64_t count);

/* The change is made. */
void generations_release(struct generations *g, uint64_t first, uint64_t count);

/*
 * What a reader notes before and compares after: equal marks mean that none of the blocks was
 * changed between. GENERATIONS_CHANGING: one of them is being changed now; equals nothing.
 */
#define GENERATIONS_CHANGING UINT64_MAX
uint64_t generations_mark(const struct generations *g, uint64_t first, uint64_t count);

#endif
