#ifndef BONLOAD_WRITTEN_H
#define BONLOAD_WRITTEN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/*
 * What a run has written so far, without a list: writes are numbered from 1 on, a name is computed
 * from its number, and only failures are remembered. They are noted one by one up to 1 MiB of
 * memory, and then as blocks of 1024 numbers, which are left out as a whole; when there is no room
 * for further blocks either, everything from the next one on is left out. Safe in threads; nothing
 * locks.
 */
#define WRITTEN_SINGLES 131072 /* 1 MiB of numbers */
#define WRITTEN_BLOCKS  16384
#define WRITTEN_BLOCK   1024

/* A set of numbers above 0 that only grows: open addressing, 0 is an empty place. */
struct number_set {
    _Atomic uint64_t *places;
    size_t size; /* a power of two */
    _Atomic uint64_t count;
};

struct written {
    _Atomic uint64_t issued;  /* the last number that a write was given */
    _Atomic uint64_t last_ok; /* the highest number that was written successfully */
    _Atomic uint64_t ok_count;
    _Atomic uint64_t settled;    /* all numbers up to this one have ended */
    _Atomic uint64_t left_out;   /* all numbers from this one on are left out */
    _Atomic uint64_t removed;    /* all numbers up to this one have been taken to be removed */
    _Atomic uint64_t *in_flight; /* of each channel */
    unsigned channels;
    struct number_set singles;
    struct number_set blocks;
};

/* For writes on that number of channels. Returns 0 or -ENOMEM. */
int written_open(struct written *w, unsigned channels, struct err *e);

/* A channel begins its next write: returns the number. */
uint64_t written_begin(struct written *w, unsigned channel);

/* It has ended; `ok` is false if it failed. */
void written_end(struct written *w, unsigned channel, uint64_t number, bool ok);

/* Takes `count` numbers that are written without being followed one by one; the first of them. */
uint64_t written_take(struct written *w, uint64_t count);

/* Notes that nothing was written under that number. */
void written_leave_out(struct written *w, uint64_t number);

/* True when that number was written successfully, as far as it is known. */
bool written_has(const struct written *w, uint64_t number);

/*
 * One of the numbers that have been written successfully, each equally likely: `random` decides.
 * 0: there is none yet. When all have been removed, it is the last one.
 */
uint64_t written_pick(struct written *w, uint64_t random);

/*
 * Takes the oldest number that was written successfully and not yet removed, if none before it is
 * under way: it will not be picked any more. 0: there is none.
 */
uint64_t written_take_oldest(struct written *w);

/* True when somebody has taken that number to remove it. */
static inline bool written_is_removed(const struct written *w, uint64_t number)
{
    return number <= atomic_load(&w->removed);
}

void written_close(struct written *w);

#endif
