#ifndef BONNIE_DIRECTORIES_H
#define BONNIE_DIRECTORIES_H

#include "bonnie/plan.h"
#include "storage/scratch.h"
#include "sync/coordinator.h"

/*
 * The private directories of all ranks. Each has one of its own; where ranks read what others have
 * written, all have the first one's. Their names follow from one random number, so that each rank
 * knows those of the others.
 */

/*
 * Makes the directory of this rank, when scratch_open() was successful, or joins the first one's.
 * *shift becomes the distance, in ranks, to the one whose files are read: as asked for, or one host
 * further where there are several and all see the same directory; else, and after a failure, 0.
 * Refuses a shift where the directory is not shared, and a plan for whose sum it is too small.
 * Returns 0 or a negative errno.
 */
int directories_make(struct scratch *s, unsigned *shift, const struct plan *p,
                     struct coordinator *c, uint64_t number, struct err *e);

/* The name of the host of the next rank. Without others there is none, and it is not touched. */
int directories_meet_next(char host[RANK_HOST_SIZE], const struct plan *p, struct coordinator *c,
                          struct err *e);

/*
 * After a signal, when this rank has cleaned up: says what the next ranks have left that were
 * killed, the first of them with its host. The rank before each of them does that, so that it is
 * said once.
 */
void directories_tell_abandoned(const struct plan *p, uint64_t number, const char *next_host);

#endif
