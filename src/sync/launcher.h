#ifndef SYNC_LAUNCHER_H
#define SYNC_LAUNCHER_H

#include <stdbool.h>

#include "util/err.h"

/* What has started this process among others: mpirun, mpiexec, srun. */
struct launcher;

/* The launcher of this process; NULL: none. */
const struct launcher *launcher_find(void);

/* True when it tells an MPI library who is there. */
bool launcher_has_mpi(const struct launcher *l);

/*
 * Refuses that a launcher has started several processes where MPI sees `ranks` alone, or 1 where it
 * was not asked: each would make a run of its own, in the same directory at the same time. The
 * first of them says so; what e holds in the others is empty. Returns 0 or -EINVAL.
 */
int launcher_check(const struct launcher *l, unsigned ranks, struct err *e);

#endif
