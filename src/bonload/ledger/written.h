#ifndef BONLOAD_LEDGER_WRITTEN_H
#define BONLOAD_LEDGER_WRITTEN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "bonload/ledger/number_set.h"
#include "util/err.h"

/*
 * What a run has written so far, without a list of it: writes are numbered from 1, and a name is
 * computed from its number. Only exceptions are stored: failed writes, which reads must avoid, and
 * with -cleanup the files that the run did not make. Safe in threads, without locks.
 */
struct written {
    _Atomic uint64_t issued;  /* the last number that a write has taken */
    _Atomic uint64_t last_ok; /* the highest number of a successful write */
    _Atomic uint64_t ok_count;
    _Atomic uint64_t settled;    /* no write up to this number is in flight */
    _Atomic uint64_t removed;    /* all writes up to this number have been taken for removal */
    _Atomic uint64_t *in_flight; /* for each channel, the number of its write in flight; 0: none */
    unsigned channels;
    struct exceptions left_out;
    /* numbers of names that existed before, or that the run could not open */
    struct exceptions not_made;
    struct number_set made_later; /* numbers of names whose file a later round made */
};

/* Opens w for writes on `channels` channels. Returns 0, or -ENOMEM with a line in e. */
int written_open(struct written *w, unsigned channels, struct err *e);

/* Takes the number for a channel's next write, and returns it. */
uint64_t written_begin(struct written *w, unsigned channel);

/* Ends the channel's write. `ok` is false if it failed. */
void written_end(struct written *w, unsigned channel, uint64_t number, bool ok);

/* Takes `count` numbers for writes that are not tracked one by one. Returns the first. */
uint64_t written_take(struct written *w, uint64_t count);

/* Records that nothing is written under that number. */
void written_leave_out(struct written *w, uint64_t number);

/* Whether the write with that number succeeded, as far as is known, and has not been removed. */
bool written_has(const struct written *w, uint64_t number);

/*
 * Picks one of the successful writes, all equally likely, by the random number `random`, and
 * returns its number. 0: there is none yet. When all have been removed, returns the last one.
 */
uint64_t written_pick(struct written *w, uint64_t random);

/*
 * Takes the oldest successful write for removal, and returns its number; written_pick() will not
 * return it again. 0: there is none, or an older write is in flight.
 */
uint64_t written_take_oldest(struct written *w);

/* Whether that write has been taken for removal. */
static inline bool written_is_removed(const struct written *w, uint64_t number)
{
    return number <= atomic_load(&w->removed);
}

/*
 * Records with -cleanup whether the write of that number made its file. Names recur after `period`
 * numbers; 0: never. If names recur, a later round may overtake the first one and make the file;
 * then the first round's write finds a file that belongs to this run all the same.
 */
void written_note_file(struct written *w, uint64_t number, uint64_t period, bool made);

void written_close(struct written *w);

/*
 * The names under which a run has made files, which it may make, rename and remove in any order.
 * The memory is bounded: once it is full, names are only counted. Safe in threads, without locks.
 */
struct made {
    uint64_t period; /* number of different names; 0: names never recur */
    struct number_set ours;
    struct number_set strange; /* names of files that the run did not make, but renamed */
    _Atomic uint64_t unknown;  /* number of names that did not fit into the sets */
};

/* Returns false when there is no memory. */
bool made_open(struct made *m, uint64_t period);
void made_close(struct made *m);

/* Records that the run made a file with the name of that number. Does nothing if m is NULL. */
void made_note(struct made *m, uint64_t number);

/* Records that the run renamed a file. Does nothing if m is NULL. */
void made_rename(struct made *m, uint64_t from, uint64_t to);

#endif
