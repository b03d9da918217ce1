// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>

#include "cli/option.h"
#include "util/err.h"

/* The small programs: functions for program_run() (sys/program.h). */

/* Measures the throughput along devices, block by block. */
int zcav(int argc, char *argv[], struct err *e);

/* Compares ways of moving single bytes between a program and a file. */
int getc_putc(int argc, char *argv[], struct err *e);

/* Writes a file of random numbers, for bonnie -Z. */
int generate_randfile(int argc, char *argv[], struct err *e);

/* What the small programs share. */

enum tool_action { TOOL_RUN, TOOL_HELP, TOOL_VERSION, TOOL_OPTIONS };

/* Options that all small programs have. This must be the first field of a program's settings. */
struct tool_settings {
    int action;        /* an enum tool_action */
    const char *user;  /* USER[:GROUP] that the process changes to; NULL: none */
    const char *group; /* only in programs that measure */
};

/*
 * Reads the command line into the settings, which begin with a struct tool_settings. Prints what
 * --help or --version asks for; *runs becomes false if there is nothing else to do. Returns 0, or
 * -EINVAL with a line in e.
 */
int tool_parse(const struct option_table *table, int argc, char *argv[],
               struct tool_settings *settings, bool *runs, struct err *e);
