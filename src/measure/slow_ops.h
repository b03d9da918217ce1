#ifndef MEASURE_SLOW_OPS_H
#define MEASURE_SLOW_OPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * How a worker tells another process of its slow operations: a box in memory that both share. The
 * worker alone puts operations in, the other alone takes them out; neither waits. The other decides
 * what is slow.
 */

/* One operation that took long. Times are of clock_ns(). */
struct slow_op {
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t offset; /* in its file */
    uint64_t place;  /* of its first byte on the filesystem's device */
    uint64_t placed; /* number of bytes from there on that are the operation's; 0: not known */
    int thread;      /* the kernel's number of the thread that made it */
    bool writes;
};

#define SLOW_ROOM 1024

struct slow_box {
    /* operations that take this long or longer are put in */
    _Alignas(64) _Atomic uint64_t over_ns;
    _Alignas(64) _Atomic uint64_t put; /* number of operations ever put in, */
    _Atomic uint64_t missed;           /* and of those for which there was no room */
    _Alignas(64) _Atomic uint64_t taken;
    struct slow_op ops[SLOW_ROOM];
};

/* Empties the box, while its worker does not work. Touches none of the operations' memory. */
static inline void slow_box_empty(struct slow_box *b)
{
    atomic_store_explicit(&b->put, 0, memory_order_relaxed);
    atomic_store_explicit(&b->missed, 0, memory_order_relaxed);
    atomic_store_explicit(&b->taken, 0, memory_order_relaxed);
}

/* Whether there is room for an operation; counts it as missed if there is none. */
static inline bool slow_box_has_room(struct slow_box *b)
{
    uint64_t put = atomic_load_explicit(&b->put, memory_order_relaxed);
    if (put - atomic_load_explicit(&b->taken, memory_order_acquire) < SLOW_ROOM)
        return true;
    atomic_store_explicit(&b->missed, atomic_load_explicit(&b->missed, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    return false;
}

/* Puts an operation in; there must be room. */
static inline void slow_box_put(struct slow_box *b, const struct slow_op *op)
{
    uint64_t put = atomic_load_explicit(&b->put, memory_order_relaxed);
    b->ops[put % SLOW_ROOM] = *op;
    atomic_store_explicit(&b->put, put + 1, memory_order_release);
}

/* Takes the oldest operation out; returns false when there is none. */
static inline bool slow_box_take(struct slow_box *b, struct slow_op *op)
{
    uint64_t taken = atomic_load_explicit(&b->taken, memory_order_relaxed);
    if (taken == atomic_load_explicit(&b->put, memory_order_acquire))
        return false;
    *op = b->ops[taken % SLOW_ROOM];
    atomic_store_explicit(&b->taken, taken + 1, memory_order_release);
    return true;
}

#endif
