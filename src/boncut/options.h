// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "cli/option.h"

/* The commands of boncut: the first word of its command line. */
enum command {
    COMMAND_NONE,
    COMMAND_WRITE,
    COMMAND_CHECK,
    COMMAND_AUDIT,
    COMMAND_CAMPAIGN,
    COMMAND_FS_SHUTDOWN,
    COMMANDS
};

/* What the user asked for, or the default; nothing is looked up or computed. */
struct settings {
    int command;
    const char *directory;
    bool cleanup;
    bool trusts_directory;
    /* for `write` */
    struct optional workers;
    struct optional units;
    struct optional block_bytes;
    struct optional rate;
    struct optional seed;
    struct optional time_ns;
    unsigned methods; /* a bit for each method; 0: all methods */
    /* for `check` */
    bool json;
    const char *output; /* NULL: standard output */
    bool is_unmounted;  /* the filesystem no longer mounts */
    bool verbose;
    /* for `campaign` */
    const char *victim; /* the beginning of every command for the victim, such as `ssh host` */
    const char *cut;
    const char *before_check;
    const char *write_options;
    const char *logs;
    const char *page;
    struct optional cuts;
    struct optional after_least_ns;
    struct optional after_most_ns;
    struct optional timeout_ns;
    struct optional patience_ns;
    bool same_boot;
    /* for `fs-shutdown` */
    bool yes;
};

/* Reads the command line. Returns what cli_parse() returns. */
int options_parse(int argc, char *argv[], struct settings *s, struct err *e);

/* A command. It returns 0, a negative errno or an exit status, with a line in e (program.h). */
typedef int boncut_command(const struct settings *s, struct err *e);

/* Makes promises and prints them, until the power goes, a signal comes, or the time is over. */
boncut_command boncut_write;

/* Compares the log from standard input with the directory, and reports. */
boncut_command boncut_check;

/* Reports what can be known about a directory before any power cut. */
boncut_command boncut_audit;

/* Makes many cuts, but none again that the directory of logs has already, and reports on all. */
boncut_command boncut_campaign;

/* Kills the runs that work there, and stops the filesystem as a power failure would. */
boncut_command boncut_fs_shutdown;
