#ifndef BONLOAD_LEDGER_VERSIONS_H
#define BONLOAD_LEDGER_VERSIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

/*
 * Knows which write a name holds, if names recur. Each name has an entry, which several names share
 * if there are more names than entries. An entry counts the writes that began and ended, and holds
 * the number of the last write if no other overlapped it and the number is below 2^40. Safe in
 * threads, without locks.
 */
#define VERSION_PLACES 65536

struct version_place {
    /* number of writes begun in the upper half, of writes ended in the lower half */
    _Atomic uint64_t writes;
    _Atomic uint64_t last; /* record of the last write (NUMBER_BITS in versions.c); 0: unknown */
};

struct versions {
    struct version_place *places; /* NULL: names do not recur, so nothing is tracked */
};

/* Returns 0, or -ENOMEM with a line in e. */
int versions_open(struct versions *v, struct err *e);
void versions_close(struct versions *v);

/* Begins a write of the name with that hash. Returns a value for versions_end(). */
uint64_t versions_begin(struct versions *v, uint64_t hash);

/* Ends the write for which versions_begin() returned `begun`. `ok` is false if the write failed. */
void versions_end(struct versions *v, uint64_t hash, uint64_t begun, uint64_t number, bool ok);

/* The state of a name before it is read. */
struct version {
    uint64_t writes;
    /* number of the last write to the name, or to another name with the same entry; 0: unknown */
    uint64_t last;
    bool is_quiet; /* no write was in progress */
};
struct version versions_look(const struct versions *v, uint64_t hash);

/* Whether a write was in progress when *before was taken, or has begun since. */
bool versions_changed(const struct versions *v, uint64_t hash, const struct version *before);

#endif
