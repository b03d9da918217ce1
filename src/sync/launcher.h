#ifndef SYNC_LAUNCHER_H
#define SYNC_LAUNCHER_H

#include <stdbool.h>

#include "util/err.h"

/* The program that has started this process and others: mpirun, mpiexec, srun. */
struct launcher;

/* The launcher of this process; NULL: there is none. */
const struct launcher *launcher_find(void);

/* Whether the launcher tells an MPI library about the other processes. */
bool launcher_has_mpi(const struct launcher *l);

/*
 * Returns -EINVAL when a launcher has started several processes, but MPI knows only of `ranks` (1
 * if MPI was not used): each process would make a run of its own, in the same directory at the same
 * time. The first process reports that; in the others e is empty. Otherwise returns 0.
 */
int launcher_check(const struct launcher *l, unsigned ranks, struct err *e);

#endif
