#ifndef BONNIE_SEEKERS_H
#define BONNIE_SEEKERS_H

#include "worker.h"
#include "workloads/workload.h"

/*
 * The seekers: forked processes that together make the seeks of one phase (workloads/seeks.h), each
 * with a queue of its own.
 */
struct seekers;

/*
 * Forks the plan's seekers, and returns when all wait at their start. They seek in the open files
 * of all work[0 .. plan->workers-1], as the tickets from first_ticket on say, and count on the
 * board, which has a place for each of them. The pool must be parked. Returns 0 or a negative
 * errno; on success *out is to be handed to seekers_release().
 */
int seekers_start(struct seekers **out, const struct plan *p, const struct work *work,
                  struct board *board, uint64_t first_ticket, struct err *e);

/*
 * Lets the seekers go, and waits for all of them. A seeker that fails or dies makes the others
 * stop, and is the failure. Fills times.
 */
int seekers_work(struct seekers *s, struct job_times *times, struct err *e);

/* Ends seekers that are still there, and frees all. s may be NULL. */
void seekers_release(struct seekers *s);

#endif
