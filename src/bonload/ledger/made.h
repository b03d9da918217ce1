#ifndef BONLOAD_LEDGER_MADE_H
#define BONLOAD_LEDGER_MADE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "bonload/ledger/number_set.h"

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

/* Records that the run renamed a file. */
void made_rename(struct made *m, uint64_t from, uint64_t to);

#endif
