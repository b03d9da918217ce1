#ifndef BONLOAD_FAILURES_H
#define BONLOAD_FAILURES_H

#include <stdatomic.h>
#include <stdint.h>

#include "bonload/words.h"

/*
 * How often each kind of failure happened. What a code means, the target knows. There is room for a
 * fixed number of kinds; those beyond it are counted together. Safe in threads; nothing locks.
 */
#define FAILURES_MOST 64

struct failure {
    _Atomic uint64_t key; /* its kind of load and code, in one number; 0: the place is empty */
    _Atomic uint64_t count;
    _Atomic uint64_t number; /* of the first such request; 0: not known yet */
};

struct failures {
    struct failure list[FAILURES_MOST];
    _Atomic uint64_t others;
};

/* Counts a failure; code is not 0. */
void failures_note(struct failures *f, enum load_kind kind, uint32_t code, uint64_t number);

static inline enum load_kind failure_kind(const struct failure *f)
{
    return (enum load_kind)(atomic_load(&f->key) >> 32);
}

static inline uint32_t failure_code(const struct failure *f)
{
    return (uint32_t)atomic_load(&f->key);
}

#endif
