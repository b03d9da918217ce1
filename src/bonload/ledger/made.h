#ifndef BONLOAD_LEDGER_MADE_H
#define BONLOAD_LEDGER_MADE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "bonload/ledger/number_set.h"

/*
 * The names under which a run has made files, in any order of making, renaming and removing. The
 * memory is bounded: names without room are only counted. Safe in threads, without locks.
 */
struct made {
    uint64_t period; /* number of names after which they recur; 0: never */
    struct number_set ours;
    struct number_set strange; /* names whose file came from elsewhere */
    _Atomic uint64_t unknown;  /* number of names without room */
};

/* Returns false when there is no memory. */
bool made_open(struct made *m, uint64_t period);
void made_close(struct made *m);

/*
 * Records that the name of that number was made. m may be NULL, in which case nothing is recorded.
 */
void made_note(struct made *m, uint64_t number);

/* Records that a file was renamed. */
void made_rename(struct made *m, uint64_t from, uint64_t to);

#endif
