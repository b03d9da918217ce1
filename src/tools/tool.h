// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/err.h"

/* The small programs: functions for program_run() (sys/program.h). */

/* Measures the throughput along devices, block by block. */
int zcav(int argc, char *argv[], struct err *e);

/* Compares ways of moving single bytes between a program and a file. */
int getc_putc(int argc, char *argv[], struct err *e);

/* Writes a file of random numbers, for bonnie -Z. */
int generate_randfile(int argc, char *argv[], struct err *e);
