#ifndef BONLOAD_STATS_FAILURES_H
#define BONLOAD_STATS_FAILURES_H

#include <stdatomic.h>
#include <stdint.h>

#include "bonload/plan/words.h"

/*
 * Counts the failures of each kind. Only the target knows what their codes mean. There is room for
 * FAILURES_MOST kinds; all others are counted together. Safe in threads, without locks.
 */
#define FAILURES_MOST 64

#define REASON_TEXT 256 /* room for the description of a failure */

struct failure {
    _Atomic uint64_t key; /* kind of load and code in one number; 0: the entry is empty */
    _Atomic uint64_t count;
    _Atomic uint64_t number; /* number of the first request that failed so; 0: unknown so far */
};

struct failures {
    struct failure list[FAILURES_MOST];
    _Atomic uint64_t others[LOAD_KINDS];
};

/* Counts a failure. `code` must not be 0. */
void failures_note(struct failures *f, enum load_kind kind, uint32_t code, uint64_t number);

/* Copies the counts so far. No other thread may use `copy`. */
void failures_copy(struct failures *copy, const struct failures *f);

/* Clears all counts. */
void failures_clear(struct failures *f);

static inline enum load_kind failure_kind(const struct failure *f)
{
    return (enum load_kind)(atomic_load(&f->key) >> 32);
}

static inline uint32_t failure_code(const struct failure *f)
{
    return (uint32_t)atomic_load(&f->key);
}

#endif
