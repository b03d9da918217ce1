#ifndef BONNIE_PRECONDITION_H
#define BONNIE_PRECONDITION_H

#include "bonnie/run_context.h"

/*
 * Writes the data set as often as the plan's steady state asks for, in chunks and through the
 * plan's engine, as put_block does, so that the storage is in the state that long use leads to. The
 * pool must be parked. The statistics that it counts mean nothing. Returns 0 or a negative errno.
 */
int precondition(struct run_context *r, struct err *e);

#endif
