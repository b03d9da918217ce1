#ifndef VERIFY_GENERATIONS_H
#define VERIFY_GENERATIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

/*
 * Counts how often each block of the data set was changed, for tests that change blocks at random
 * places, several at once and in several processes. Each block has a counter of 16 bits in a shared
 * mapping. The counter is odd while the block is being changed, and grows by two with each change.
 * This is a sequence lock on which readers never wait: a reader compares the counters before and
 * after it reads.
 *
 * Beyond 2^25 blocks (64 MiB of counters), several blocks share one counter, and the number of
 * changes of a single block is unknown.
 */
struct generations {
    _Atomic uint16_t *counters; /* NULL: no block is ever changed */
    uint64_t count;
    bool is_exact; /* each block has a counter of its own */
};

/* Numbers of changes are known modulo this. */
#define GENERATIONS_CHANGES 32768

/* The counter of a block. */
static inline _Atomic uint16_t *generations_counter(const struct generations *g, uint64_t block)
{
    return &g->counters[g->is_exact ? block : block % g->count];
}

/* Allocates counters for `blocks` blocks. Returns 0, or a negative errno with a line in e. */
int generations_open(struct generations *g, uint64_t blocks, struct err *e);

void generations_close(struct generations *g);

/*
 * Number of times that a block was changed, modulo GENERATIONS_CHANGES. generations_stored() leaves
 * out a change that is in progress, and so tells a reader what the storage has. generations_next()
 * includes it, and so tells the writer what to store.
 */
static inline uint64_t generations_stored(const struct generations *g, uint64_t block)
{
    return g->counters ? atomic_load(generations_counter(g, block)) / 2U : 0;
}
static inline uint64_t generations_next(const struct generations *g, uint64_t block)
{
    if (!g->counters)
        return 0;
    return (atomic_load(generations_counter(g, block)) + 1U) / 2 % GENERATIONS_CHANGES;
}

/*
 * Begins to change `count` blocks, from block `first` on. Returns false, and begins nothing, when
 * another writer is changing one of them.
 */
bool generations_claim(struct generations *g, uint64_t first, uint64_t count);

/* Ends the change that generations_claim() began. */
void generations_release(struct generations *g, uint64_t first, uint64_t count);

/*
 * A number that a reader compares before and after it reads: if both are equal, none of the blocks
 * was changed in between. GENERATIONS_CHANGING means that one of them is being changed now; it
 * never counts as equal.
 */
#define GENERATIONS_CHANGING UINT64_MAX
uint64_t generations_version(const struct generations *g, uint64_t first, uint64_t count);

#endif
