#ifndef BONLOAD_LEDGER_VERSIONS_H
#define BONLOAD_LEDGER_VERSIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

/*
 * Which write a name holds now, if names recur: an entry for each name, which several share if
 * there are more names than entries. An entry has the numbers of writes that began and ended, and
 * the number of the last one, if no other overlapped it and it is below 2^40. Safe in threads,
 * without locks.
 */
#define VERSION_PLACES 65536

struct version_place {
    _Atomic uint64_t writes; /* begun in the upper half, ended in the lower half */
    _Atomic uint64_t last;   /* the last write, and how many had begun by then; 0: unknown */
};

struct versions {
    struct version_place *places; /* NULL: names do not recur, and nothing is tracked */
};

int versions_open(struct versions *v, struct err *e);
void versions_close(struct versions *v);

/* Begins a write of a name, given by its hash; the result is for versions_end(). */
uint64_t versions_begin(struct versions *v, uint64_t hash);

/* Ends it; `ok` is false if it failed. */
void versions_end(struct versions *v, uint64_t hash, uint64_t begun, uint64_t number, bool ok);

/* The state of a name before it is read. */
struct version {
    uint64_t writes;
    /* number of the last write to it, or to another name with this entry; 0: unknown */
    uint64_t last;
    bool is_quiet; /* no write was in progress */
};
struct version versions_look(const struct versions *v, uint64_t hash);

/* True when a write has begun since. */
bool versions_changed(const struct versions *v, uint64_t hash, const struct version *before);

#endif
