#ifndef SYNC_LAUNCHER_H
#define SYNC_LAUNCHER_H

#include <stdbool.h>

#include "util/err.h"

/* The program that has started this process together with others: mpirun, mpiexec, srun. */
struct launcher;

/* The launcher of this process; NULL: none. */
const struct launcher *launcher_find(void);

/* True when it tells an MPI library about the other processes. */
bool launcher_has_mpi(const struct launcher *l);

/*
 * Returns -EINVAL when a launcher has started several processes but MPI sees only `ranks` (1 if MPI
 * was not used): each would make a run of its own, in the same directory at the same time. The
 * first of them reports it; in the others e is empty. Returns 0 otherwise.
 */
int launcher_check(const struct launcher *l, unsigned ranks, struct err *e);

#endif
