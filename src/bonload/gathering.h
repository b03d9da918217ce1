#ifndef BONLOAD_GATHERING_H
#define BONLOAD_GATHERING_H

#include "bonload/conductor.h"
#include "bonload/result.h"
#include "util/err.h"

/*
 * How the figures of several ranks become one when all have come to their end: amounts and
 * histograms are added up, each time goes from the first start to the last end on rank 0's clock.
 * In rank 0, *result becomes that of all; in the others nothing changes. Alone, there is nothing to
 * be done. Returns 0 or a negative errno with a line in e.
 */
int gathering_end(struct conductor *c, struct result *result, struct err *e);

#endif
