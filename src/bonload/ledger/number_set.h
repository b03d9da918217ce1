#ifndef BONLOAD_LEDGER_NUMBER_SET_H
#define BONLOAD_LEDGER_NUMBER_SET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A set of numbers above 0 that can only grow, in memory of a fixed size: open addressing, with 0
 * for an empty place. Safe in threads, without locks.
 */
struct number_set {
    _Atomic uint64_t *places; /* NULL: the set is empty and takes no numbers */
    size_t size;              /* number of places, a power of two */
    _Atomic uint64_t count;
};

/* Opens a set with `size` places. Returns false when there is no memory. */
bool number_set_open(struct number_set *s, size_t size);
void number_set_close(struct number_set *s);

/* Adds a number. Returns false when the set is full. */
bool number_set_add(struct number_set *s, uint64_t number);
bool number_set_has(const struct number_set *s, uint64_t number);

/* Removes all numbers. No other thread may use the set meanwhile. */
void number_set_clear(struct number_set *s);

/*
 * Exceptions among numbers that are used in sequence. The first ones are stored one by one, in up
 * to 1 MiB. Later ones are stored as blocks of 1024 numbers, which count as exceptions as a whole.
 * When no more blocks fit, every number from the start of the next block on counts.
 */
#define EXCEPTION_SINGLES 131072 /* 1 MiB of numbers */
#define EXCEPTION_BLOCKS  16384
#define EXCEPTION_BLOCK   1024

struct exceptions {
    struct number_set singles;
    struct number_set blocks;
    _Atomic uint64_t from; /* all numbers from this one on are exceptions */
};

bool exceptions_open(struct exceptions *x);
void exceptions_close(struct exceptions *x);

/* Records an exception. */
void exceptions_note(struct exceptions *x, uint64_t number);

/*
 * exceptions_has(): whether the number is stored as an exception by itself. exceptions_may_have():
 * whether it counts as one, perhaps only because of its block.
 */
bool exceptions_has(const struct exceptions *x, uint64_t number);
bool exceptions_may_have(const struct exceptions *x, uint64_t number);

#endif
