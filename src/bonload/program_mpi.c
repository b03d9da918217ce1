#include "sync/coordinator.h"
#include "util/message.h"

/* The program and what it makes are the same with MPI as without. */
const char *program_name = "bonload";
const struct coordinator_ops *const program_coordinator = &coordinator_mpi;
