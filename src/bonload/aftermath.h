#ifndef BONLOAD_AFTERMATH_H
#define BONLOAD_AFTERMATH_H

#include "bonload/run.h"
#include "sys/output.h"
#include "util/err.h"

/* What is done with what a run wrote, when it is over. */

/*
 * Writes the names of everything that was written successfully, or, if nothing was to be written,
 * that was read, one a line; each name once.
 */
int aftermath_dump(const struct run *run, struct output *output, struct err *e);

/*
 * Removes what was written; what was not there any more is no failure. After one that cannot be
 * removed it goes on with the others, unless there is no connection to the target. Returns 0 or a
 * negative errno, with a line in e about the first.
 */
int aftermath_remove(const struct run *run, struct err *e);

#endif
