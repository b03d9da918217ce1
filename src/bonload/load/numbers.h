#ifndef BONLOAD_LOAD_NUMBERS_H
#define BONLOAD_LOAD_NUMBERS_H

#include <stdint.h>

#include "bonload/load/run.h"

/* Numbers that a driver has taken from the run but not used yet. */
struct numbers {
    uint64_t next;
    uint64_t count;
};

/*
 * Gives a request its number, which determines its name. Where names do not matter, takes up to
 * `batch` numbers at once.
 */
void numbers_give(struct numbers *n, struct run *run, struct request *r, uint64_t batch);

/* Updates the ledgers when a write has ended. */
void numbers_settle(struct run *run, const struct request *r, uint64_t now_ns);

/* Records at the end of the run that nothing is written under the remaining numbers. */
void numbers_leave(struct numbers *n, struct run *run, enum load_kind kind);

#endif
