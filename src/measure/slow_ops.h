// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdatomic.h>

#include "util/base.h"

/* How a worker tells the examiner, another process, about its slow operations (of a thread that
 * makes requests: their service times): through a box in shared memory, into which only the worker
 * puts them and from which only the examiner takes them; neither waits for the other. */

/* One slow operation. The times are from clock_ns(). */
struct slow_op {
    uint64_t start_ns, end_ns;
    uint64_t offset; /* in the file */
    uint64_t place;  /* where its first byte is on the filesystem's device, in bytes */
    uint64_t placed; /* number of contiguous bytes from `place` on; 0: the place is not known */
    int thread;      /* thread ID of the thread that made it */
    bool writes;
};

#define SLOW_ROOM 1024

struct slow_box {
    /* the worker puts in operations that take this long or longer */
    _Alignas(64) _Atomic uint64_t over_ns;
    _Alignas(64) _Atomic uint64_t put; /* number of operations ever put in */
    _Alignas(64) _Atomic uint64_t taken;
    struct slow_op ops[SLOW_ROOM];
};

/* Empties the box. The worker must not be at work. Does not touch the memory of the operations. */
static inline void slow_box_empty(struct slow_box *b)
{
    atomic_store_explicit(&b->put, 0, memory_order_relaxed);
    atomic_store_explicit(&b->taken, 0, memory_order_relaxed);
}

/* Whether the box has room for an operation. */
static inline bool slow_box_has_room(const struct slow_box *b)
{
    uint64_t put = atomic_load_explicit(&b->put, memory_order_relaxed);
    return put - atomic_load_explicit(&b->taken, memory_order_acquire) < SLOW_ROOM;
}

/* Puts an operation into the box, which must have room. */
static inline void slow_box_put(struct slow_box *b, const struct slow_op *op)
{
    uint64_t put = atomic_load_explicit(&b->put, memory_order_relaxed);
    b->ops[put % SLOW_ROOM] = *op;
    atomic_store_explicit(&b->put, put + 1, memory_order_release);
}

/* Takes the oldest operation out of the box. Returns false when the box is empty. */
static inline bool slow_box_take(struct slow_box *b, struct slow_op *op)
{
    uint64_t taken = atomic_load_explicit(&b->taken, memory_order_relaxed);
    if (taken == atomic_load_explicit(&b->put, memory_order_acquire))
        return false;
    *op = b->ops[taken % SLOW_ROOM];
    atomic_store_explicit(&b->taken, taken + 1, memory_order_release);
    return true;
}
