#ifndef BONLOAD_VERSIONS_H
#define BONLOAD_VERSIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

/*
 * Which write a name holds now, where names are written again and again: one place for each name,
 * which others share where there are more names than places. A place knows how many writes began
 * and ended, and the number of the last one, if no other overlapped it and it is below 2^40. Safe
 * in threads; nothing locks.
 */
#define VERSION_PLACES 65536

struct version_place {
    _Atomic uint64_t writes; /* begun in the upper half, ended in the lower one */
    _Atomic uint64_t last;   /* the last write, and how many had begun with it; 0: unknown */
};

struct versions {
    struct version_place *places; /* NULL: names are written once, nothing is followed */
};

int versions_open(struct versions *v, struct err *e);
void versions_close(struct versions *v);

/* A write of a name (its hash) begins; what is returned is for versions_end(). */
uint64_t versions_begin(struct versions *v, uint64_t hash);

/* It has ended; `ok` is false if it failed. */
void versions_end(struct versions *v, uint64_t hash, uint64_t begun, uint64_t number, bool ok);

/* A look at a name before it is read. */
struct version {
    uint64_t writes;
    uint64_t last; /* number of the write that it holds, or that of another name; 0: unknown */
    bool is_quiet; /* no write was under way */
};
struct version versions_look(const struct versions *v, uint64_t hash);

/* True when a write has begun since. */
bool versions_changed(const struct versions *v, uint64_t hash, const struct version *before);

#endif
