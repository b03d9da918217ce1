#ifndef BONLOAD_LEDGER_NUMBER_SET_H
#define BONLOAD_LEDGER_NUMBER_SET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A growing set of numbers above 0 in memory of a fixed size: open addressing, where 0 is an empty
 * place. Safe in threads, without locks.
 */
struct number_set {
    _Atomic uint64_t *places; /* NULL: it is empty, and nothing can be added */
    size_t size;              /* a power of two */
    _Atomic uint64_t count;
};

/* Returns false when there is no memory. */
bool number_set_open(struct number_set *s, size_t size);
void number_set_close(struct number_set *s);

/* Adds a number; returns false when there is no room. */
bool number_set_add(struct number_set *s, uint64_t number);
bool number_set_has(const struct number_set *s, uint64_t number);

/* Removes all numbers, while nobody else uses the set. */
void number_set_clear(struct number_set *s);

/*
 * Exceptions among numbers that are used in sequence. They are recorded one by one in up to 1 MiB
 * of memory, then as blocks of 1024 numbers, all of which count as exceptions; when there is no
 * room for further blocks either, everything from the next number on counts.
 */
#define EXCEPTION_SINGLES 131072 /* 1 MiB of numbers */
#define EXCEPTION_BLOCKS  16384
#define EXCEPTION_BLOCK   1024

struct exceptions {
    struct number_set singles;
    struct number_set blocks;
    _Atomic uint64_t from; /* all numbers from this one on */
};

bool exceptions_open(struct exceptions *x);
void exceptions_close(struct exceptions *x);
void exceptions_note(struct exceptions *x, uint64_t number);

/* True for recorded exceptions, and for all numbers in a recorded block. */
bool exceptions_has(const struct exceptions *x, uint64_t number);
bool exceptions_may_have(const struct exceptions *x, uint64_t number);

#endif
