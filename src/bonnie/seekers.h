#ifndef BONNIE_SEEKERS_H
#define BONNIE_SEEKERS_H

#include "bonnie/run_context.h"
#include "sys/thread_pool.h"

/*
 * The seekers: forked processes that share the seeks of one phase (workloads/seeks.h), each with a
 * queue of its own.
 */
struct seekers;

/*
 * Forks the plan's seekers, and returns when all wait at their start. They seek in the open files
 * of all workers of r, use the tickets from first_ticket on, and record what they do in r's
 * statistics and corruption log. There are as many tickets as the plan has seeks, or, if the
 * workers' lap_ns is not 0, as many as can be used in that time. The pool must be parked. Returns 0
 * or a negative errno; on success *out is to be handed to seekers_release().
 */
int seekers_start(struct seekers **out, struct run_context *r, uint64_t first_ticket,
                  struct err *e);

/*
 * Releases the seekers, and waits for all of them. A seeker that fails or dies stops the others,
 * and its failure is returned. Fills times.
 */
int seekers_work(struct seekers *s, struct task_times *times, struct err *e);

/* The first unused ticket, after seekers_work(). */
uint64_t seekers_next_ticket(const struct seekers *s);

/* Ends the seekers that still run, and frees everything. s may be NULL. */
void seekers_release(struct seekers *s);

#endif
