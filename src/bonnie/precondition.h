#ifndef BONNIE_PRECONDITION_H
#define BONNIE_PRECONDITION_H

#include "bonnie/run_context.h"

/*
 * Writes the data set as often as the plan's steady state needs, in chunks and through the plan's
 * engine, as put_block does, so that the storage is in the state of long use. The pool must be
 * parked. What this counts in the statistics has no meaning. Returns 0, or a negative errno with a
 * line in e.
 */
int precondition(struct run_context *r, struct err *e);

#endif
