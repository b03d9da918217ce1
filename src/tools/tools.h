#ifndef TOOLS_TOOLS_H
#define TOOLS_TOOLS_H

#include "util/err.h"

/* The small programs: what program_run() (sys/program.h) is to do for each. */

/* Throughput along devices, block by block. */
int zcav(int argc, char *argv[], struct err *e);

/* The ways of moving single bytes between a program and a file. */
int getc_putc(int argc, char *argv[], struct err *e);

/* A file of random numbers, for bonnie -Z. */
int generate_randfile(int argc, char *argv[], struct err *e);

#endif
