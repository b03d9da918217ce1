// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/run_context.h"

/*
 * Seekers are forked processes that share the seeks of one phase. They draw tickets from one
 * counter. The ticket and the seed decide where to seek, so the offsets of a run do not depend on
 * which seeker is faster. Every tenth ticket rewrites its chunk.
 */
struct seekers;

/*
 * Forks the plan's seekers, and returns when all of them wait at their start. They seek in the open
 * files of all workers of r, use the tickets from first_ticket on, and record what they do in r's
 * statistics and corruption log. There are as many tickets as the plan has seeks; but if the
 * workers' lap_ns is not 0, as many as the seekers can use in that time. The pool must be parked.
 * After success the caller must call seekers_release(*out).
 */
int seekers_start(struct seekers **out, struct run_context *r, uint64_t first_ticket,
                  struct err *e);

/* Lets the seekers start, and waits for all. One that fails or dies stops the others. */
int seekers_work(struct seekers *s, struct task_times *times, struct err *e);

/* The first unused ticket, when the seekers have worked. */
uint64_t seekers_next_ticket(const struct seekers *s);

/* Ends all seekers that still run, and frees s, which may be NULL. */
void seekers_release(struct seekers *s);
