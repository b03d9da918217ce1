// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdatomic.h>

#include "util/err.h"

/* What became of the numbers of a run's writes. The memory is fixed; all is safe in threads,
 * without locks. Name, size and contents follow from the number (names.h, targets/target.h). */

/* A set of numbers above 0 that only grows: open addressing. */
struct number_set {
    _Atomic uint64_t *places; /* NULL: the set is empty and takes no numbers */
    size_t size;              /* number of places, a power of two */
    _Atomic uint64_t count;
};

/* Opens a set with `size` places. Returns false when there is no memory. */
bool number_set_open(struct number_set *s, size_t size);
void number_set_close(struct number_set *s);

/* Adds a number. Returns whether the set has it now: a full set takes no more. */
bool number_set_add(struct number_set *s, uint64_t number);
bool number_set_has(const struct number_set *s, uint64_t number);

struct exceptions {
    struct number_set singles;
    struct number_set blocks;
    _Atomic uint64_t from; /* all numbers from this one on are exceptions */
};

/* Whether the number counts as an exception, perhaps only by its block. */
bool exceptions_may_have(const struct exceptions *x, uint64_t number);

struct version_place {
    _Atomic uint64_t writes; /* number of writes begun in the upper half, ended in the lower half */
    _Atomic uint64_t last;   /* record of the last write (NUMBER_BITS in written.c); 0: unknown */
};

/* What a run has written so far. Writes are numbered from 1, and only exceptions are stored: failed
 * writes, which reads must avoid, and with -remove the files that the run did not make. */
struct written_set {
    _Atomic uint64_t issued;  /* the last number that a write has taken */
    _Atomic uint64_t last_ok; /* the highest number of a successful write */
    _Atomic uint64_t ok_count;
    _Atomic uint64_t settled;    /* no write up to this number is in flight */
    _Atomic uint64_t removed;    /* all writes up to this number have been taken for removal */
    _Atomic uint64_t *in_flight; /* for each channel, the number of its write in flight; 0: none */
    unsigned channels;
    struct exceptions left_out;
    struct exceptions not_made;   /* numbers of names that existed before, or could not be opened */
    struct number_set made_later; /* numbers of names whose file a later cycle made */
    struct version_place *names;  /* NULL: names do not recur, so they are not tracked */
};

int written_open(struct written_set *w, unsigned channels, struct err *e);
void written_close(struct written_set *w);

/* Begins a channel's next write, and returns its number. Ends it; `ok` is false if it failed. */
uint64_t written_begin(struct written_set *w, unsigned channel);
void written_end(struct written_set *w, unsigned channel, uint64_t number, bool ok);

/* Records that nothing is written under that number. */
void written_leave_out(struct written_set *w, uint64_t number);

/* Whether the write with that number succeeded, as far as is known, and has not been removed. */
bool written_has(const struct written_set *w, uint64_t number);

/* Picks one of the successful writes, all equally likely, by the random number `random`, and
 * returns its number. 0: there is none yet. When all have been removed, returns the last one. */
uint64_t written_pick(struct written_set *w, uint64_t random);

/* Takes the oldest successful write for removal: its number; 0: none, or an older is in flight. */
uint64_t written_take_oldest(struct written_set *w);

/* Whether that write has been taken for removal. */
static inline bool written_is_removed(const struct written_set *w, uint64_t number)
{
    return number <= atomic_load(&w->removed);
}

/* Records with -remove whether the write of that number made its file. Names recur after `period`
 * numbers (0: never): then a later cycle may make the file, before the first one's write. */
void written_note_file(struct written_set *w, uint64_t number, uint64_t period, bool made);

/* Makes w track which write a name holds, because names recur. written_close() ends it. */
int versions_open(struct written_set *w, struct err *e);

/* Begins a write of the name with that hash. Ends it, with what versions_begin() returned. */
uint64_t versions_begin(struct written_set *w, uint64_t hash);
void versions_end(struct written_set *w, uint64_t hash, uint64_t begun, uint64_t number, bool ok);

/* The state of a name before it is read. */
struct version {
    uint64_t writes;
    uint64_t last; /* number of the last write to a name with the same entry; 0: unknown */
    bool is_quiet; /* no write was in progress */
};

struct version versions_read(const struct written_set *w, uint64_t hash);

/* Whether a write was in progress when *before was taken, or has begun since. */
bool versions_changed(const struct written_set *w, uint64_t hash, const struct version *before);

/* The names under which a run has made files. Once the memory is full, they are only counted. */
struct made_set {
    uint64_t period; /* number of different names; 0: names never recur */
    struct number_set ours;
    struct number_set strange; /* names of files that the run did not make, but renamed */
    _Atomic uint64_t unknown;  /* number of names that did not fit into the sets */
};

/* Returns false when there is no memory. */
bool made_open(struct made_set *m, uint64_t period);
void made_close(struct made_set *m);

/* Record that the run made a file with the name of that number, or renamed one. m may be NULL. */
void made_note(struct made_set *m, uint64_t number);
void made_rename(struct made_set *m, uint64_t from, uint64_t to);
