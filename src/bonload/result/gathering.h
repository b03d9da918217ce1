#ifndef BONLOAD_RESULT_GATHERING_H
#define BONLOAD_RESULT_GATHERING_H

#include "bonload/control/conductor.h"
#include "bonload/result/result.h"
#include "util/err.h"

/*
 * Combines the figures of several ranks when all loads have ended: adds up amounts and histograms,
 * and lets times run from the first rank's start to the last rank's end, on rank 0's clock. In rank
 * 0, *result becomes the result of all ranks; in other ranks nothing changes. Does nothing with a
 * single rank. Returns 0, or a negative errno with a line in e.
 */
int gathering_end(struct conductor *c, struct result *result, struct err *e);

#endif
