#ifndef BONNIE_SHIFTING_H
#define BONNIE_SHIFTING_H

#include "bonnie/run_context.h"

/*
 * While a test of several ranks reads, each rank works on the files of the rank `shift` numbers
 * further, so that its own host's caches do not help. Each rank's files are lent to exactly one
 * other rank: what is known about their contents goes with them, and comes back with the changes.
 */

/* Whether the test works on what other ranks have written. */
bool shifting_is_for(const struct run_context *r, const struct workload *w);

/*
 * Called when all workers have prepared and closed their files. When it returns 0, they have the
 * other rank's files, and must prepare for those.
 */
int shifting_begin(struct run_context *r, const struct workload *w, struct err *e);

/* Called when the test has ended and all files are closed: gives the files back. */
int shifting_end(struct run_context *r, const struct workload *w, struct err *e);

#endif
