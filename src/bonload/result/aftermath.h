#ifndef BONLOAD_RESULT_AFTERMATH_H
#define BONLOAD_RESULT_AFTERMATH_H

#include "bonload/load/run.h"
#include "sys/output.h"
#include "util/err.h"

/* What happens to written objects at the end of a run. */

/*
 * Writes the names of everything that was written successfully or, if nothing was to be written,
 * that was read: one per line, and each name once.
 */
int aftermath_dump(const struct run *run, struct output *output, struct err *e);

/*
 * Removes what was written; it is not a failure if something is gone already. After an object that
 * cannot be removed it continues with the others, unless there is no connection to the target.
 * Returns 0 or a negative errno, with a line in e about the first failure.
 */
int aftermath_remove(const struct run *run, struct err *e);

#endif
