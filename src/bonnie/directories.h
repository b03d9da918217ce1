// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/plan.h"
#include "storage/scratch.h"
#include "sync/coordinator.h"

/*
 * The private directories of all ranks. Each rank has a directory of its own; but where ranks read
 * what others have written, all use the first rank's. The names derive from one random number, so
 * each rank knows the names of the others.
 */

/* Refuses a plan that needs more room than there is. */
int directories_check_space(const struct plan *p, const struct scratch *s, struct err *e);

/*
 * Makes the directory of this rank, or joins the first rank's. scratch_open() must have succeeded.
 * This rank reads the files of the rank with a number higher by *shift. *shift is what the plan
 * says, or leads to another host if several hosts see the same directory; otherwise, and after a
 * failure, it is 0. Refuses a shift if the ranks do not share the directory, and a plan whose data
 * for all ranks does not fit.
 */
int directories_make(struct scratch *s, unsigned *shift, const struct plan *p,
                     struct coordinator *c, uint64_t number, struct err *e);

/* Stores the name of the next rank's host. Leaves `host` alone if there are no other ranks. */
int directories_meet_next(char host[RANK_HOST_SIZE], const struct plan *p, struct coordinator *c,
                          struct err *e);

/*
 * Reports, after a signal and when this rank has cleaned up, the directories that killed ranks
 * after this one have left, and the host of the first of them. Only the rank before a row of killed
 * ranks does so, so that each directory is reported once.
 */
void directories_report_abandoned(const struct plan *p, uint64_t number, const char *next_host);
