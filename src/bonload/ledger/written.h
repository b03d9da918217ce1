#ifndef BONLOAD_LEDGER_WRITTEN_H
#define BONLOAD_LEDGER_WRITTEN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/ledger/number_set.h"
#include "util/err.h"

/*
 * What a run has written so far, without a list: writes are numbered from 1, a name is computed
 * from its number, and only exceptions are stored: failures, which are left out, and with -cleanup
 * files that the run did not make. Safe in threads, without locks.
 */
struct written {
    _Atomic uint64_t issued;  /* the last number given to a write */
    _Atomic uint64_t last_ok; /* the highest number that was written successfully */
    _Atomic uint64_t ok_count;
    _Atomic uint64_t settled;    /* all numbers up to this one have ended */
    _Atomic uint64_t removed;    /* all numbers up to this one have been taken for removal */
    _Atomic uint64_t *in_flight; /* for each channel */
    unsigned channels;
    struct exceptions left_out;
    struct exceptions not_made;   /* names that existed before, or could not be opened */
    struct number_set made_later; /* names made by a later round of names */
};

/* Opens w for writes on that many channels. Returns 0 or -ENOMEM. */
int written_open(struct written *w, unsigned channels, struct err *e);

/* Begins a channel's next write; returns its number. */
uint64_t written_begin(struct written *w, unsigned channel);

/* Ends it; `ok` is false if it failed. */
void written_end(struct written *w, unsigned channel, uint64_t number, bool ok);

/* Takes `count` numbers that are written without being tracked one by one; returns the first. */
uint64_t written_take(struct written *w, uint64_t count);

/* Records that nothing was written under that number. */
void written_leave_out(struct written *w, uint64_t number);

/* True when that number was written successfully, as far as is known. */
bool written_has(const struct written *w, uint64_t number);

/*
 * Picks one of the successfully written numbers, each equally likely, with the random number
 * `random`. 0: there is none yet. When all have been removed, it returns the last one.
 */
uint64_t written_pick(struct written *w, uint64_t random);

/*
 * Takes the oldest number that was written successfully and not removed yet, unless an earlier one
 * is in flight: it will not be picked any more. 0: there is none.
 */
uint64_t written_take_oldest(struct written *w);

/* True when that number has been taken for removal. */
static inline bool written_is_removed(const struct written *w, uint64_t number)
{
    return number <= atomic_load(&w->removed);
}

/*
 * With -cleanup: records whether the write of that number made its file. Names recur after `period`
 * of them; 0: never. If names recur, a write of a later round may be the first to open its file:
 * then the write of the first round finds a file that nevertheless belongs to this run.
 */
void written_note_file(struct written *w, uint64_t number, uint64_t period, bool made);

void written_close(struct written *w);

#endif
