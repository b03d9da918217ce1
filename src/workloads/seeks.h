#ifndef BONNIE_WORKLOADS_SEEKS_H
#define BONNIE_WORKLOADS_SEEKS_H

#include <stdatomic.h>
#include <stdint.h>

#include "contents.h"
#include "measure/samples.h"
#include "plan.h"
#include "queue.h"

/* Every so many seeks the chunk is rewritten. */
#define REWRITE_EVERY 10

/*
 * One seeker's part of the seek test. Seekers draw tickets from one counter; the ticket and the
 * seed decide where to seek, so the places of a run do not depend on who is faster, and every tenth
 * ticket rewrites its chunk.
 */
struct seeks {
    const struct plan *plan;
    struct contents *contents;
    atomic_uint_fast64_t *next_ticket; /* all seekers' */
    uint64_t end_ticket;               /* the first one that is not theirs */
    struct findings *findings;         /* the seeker's own */
};

/* Seeks until there are no more tickets; the queue is open on all data files. */
int seeks_run(const struct seeks *s, struct queue *q, struct samples *samples, struct err *e);

#endif
