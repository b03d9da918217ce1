// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/option.h"
#include "tools/tool.h"
#include "util/err.h"

/* What zcav's command line says. */

#define ZCAV_MOST_FILES 256

struct zcav_file {
    const char *path; /* "-": standard input */
    const char *log;  /* NULL: standard output */
};

/*
 * A range of whole blocks, in bytes, from `first` up to, but not including, `last`. If `last` is
 * UINT64_MAX, to the end.
 */
struct zcav_range {
    uint64_t first;
    uint64_t last;
};

struct zcav_settings {
    struct tool_settings common;
    uint64_t block_bytes;
    uint64_t chunk_bytes; /* at most block_bytes */
    struct optional passes;
    struct zcav_range range; /* as the user gave it, not yet rounded to blocks */
    struct optional
        skip; /* number of blocks of which one is measured; not given: all are measured */
    bool writes;
    bool yes;      /* the user confirms that the contents of devices may be lost */
    bool buffered; /* block devices are opened without O_DIRECT */
    bool direct;   /* regular files are opened with O_DIRECT, too */
    bool quiet;
    bool json;
    bool lists_engines;
    const char *page;   /* path of the page; NULL: none */
    const char *engine; /* name of the engine; NULL: default */
    struct optional iodepth;
    const char *pending_log; /* log for the next file on the command line */
    unsigned file_count;
    struct zcav_file files[ZCAV_MOST_FILES];
};

extern const struct option_table zcav_option_table;

/*
 * Reads the command line. *runs becomes false if it only asks for --help or the like, which has
 * then been printed. Returns 0, or -EINVAL with a line in e.
 */
int zcav_options(int argc, char *argv[], struct zcav_settings *s, bool *runs, struct err *e);
