#ifndef BONNIE_SEEKERS_H
#define BONNIE_SEEKERS_H

#include "bonnie/run_context.h"
#include "sys/thread_pool.h"

/*
 * The seekers: forked processes that together make the seeks of one phase (workloads/seeks.h), each
 * with a queue of its own.
 */
struct seekers;

/*
 * Forks the plan's seekers, and returns when all wait at their start. They seek in the open files
 * of all the context's workers, as the tickets from first_ticket on say, and count and log in its
 * statistics and corruption log. There are as many tickets as the plan has seeks, or, if the
 * workers' lap_ns is not 0, as many as are used in that time. The pool must be parked. Returns 0 or
 * a negative errno; on success *out is to be handed to seekers_release().
 */
int seekers_start(struct seekers **out, struct run_context *r, uint64_t first_ticket,
                  struct err *e);

/*
 * Lets the seekers go, and waits for all of them. A seeker that fails or dies makes the others
 * stop, and is the failure. Fills times.
 */
int seekers_work(struct seekers *s, struct task_times *times, struct err *e);

/* After that, the first ticket that none of them has used. */
uint64_t seekers_next_ticket(const struct seekers *s);

/* Ends seekers that are still there, and frees all. s may be NULL. */
void seekers_release(struct seekers *s);

#endif
