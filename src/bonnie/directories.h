#ifndef BONNIE_DIRECTORIES_H
#define BONNIE_DIRECTORIES_H

#include "bonnie/plan.h"
#include "storage/scratch.h"
#include "sync/coordinator.h"

/*
 * The private directories of all ranks. Each rank has one of its own; where ranks read what others
 * have written, all use the first rank's. The names follow from one random number, so that each
 * rank knows those of the others.
 */

/* Refuses a plan that needs more room than there is. */
int directories_check_space(const struct plan *p, const struct scratch *s, struct err *e);

/*
 * Makes the directory of this rank, or joins the first rank's; scratch_open() must have succeeded.
 * *shift becomes the distance, in ranks, to the rank whose files are read: as the plan asks, or one
 * host further where there are several hosts and all see the same directory. Otherwise, and after a
 * failure, it is 0. Refuses a shift where the directory is not shared, and a plan whose data for
 * all ranks does not fit. Returns 0 or a negative errno.
 */
int directories_make(struct scratch *s, unsigned *shift, const struct plan *p,
                     struct coordinator *c, uint64_t number, struct err *e);

/* Stores the name of the next rank's host. Without other ranks host is left alone. */
int directories_meet_next(char host[RANK_HOST_SIZE], const struct plan *p, struct coordinator *c,
                          struct err *e);

/*
 * After a signal, when this rank has cleaned up: reports the directories that the next ranks have
 * left because they were killed, the first of them with its host. The rank before each of them does
 * that, so that each is reported once.
 */
void directories_tell_abandoned(const struct plan *p, uint64_t number, const char *next_host);

#endif
