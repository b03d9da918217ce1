// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/session.h"
#include "sync/coordinator.h"
#include "sys/program.h"

/* The program and its files have the same names with and without MPI. */
const char *program_name = "bonnie";
const struct coordinator_ops *const program_coordinator = &coordinator_mpi;

int main(int argc, char *argv[])
{
    return program_run(argc, argv, PROGRAM_STACK_KIB, bonnie);
}
