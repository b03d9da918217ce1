#ifndef TOOLS_ZCAV_OPTIONS_H
#define TOOLS_ZCAV_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/values.h"
#include "tools/tool.h"
#include "util/err.h"

/* The settings from zcav's command line. */

#define ZCAV_MOST_FILES 256

struct zcav_file {
    const char *path; /* "-": standard input */
    const char *log;  /* NULL: standard output */
};

/*
 * From `first` up to, but not including, `last`, in bytes and whole blocks; last UINT64_MAX: to the
 * end.
 */
struct zcav_range {
    uint64_t first;
    uint64_t last;
};

struct zcav_settings {
    struct tool_settings common;
    uint64_t block_bytes;
    uint64_t chunk_bytes; /* at most block_bytes */
    struct given passes;
    struct zcav_range range; /* as given: not rounded to blocks yet */
    struct given skip;       /* only one of this many blocks is measured; not given: all */
    bool writes;
    bool yes;      /* confirms that the contents of devices may be lost */
    bool buffered; /* no O_DIRECT on block devices */
    bool direct;   /* O_DIRECT on regular files, too */
    bool quiet;
    bool json;
    bool lists_engines;
    const char *page;   /* NULL: none */
    const char *engine; /* NULL: the default */
    struct given iodepth;
    const char *pending_log; /* log for the next file */
    unsigned file_count;
    struct zcav_file files[ZCAV_MOST_FILES];
};

extern const struct option_table zcav_option_table;

/*
 * Reads the command line. *runs is false when only --help or the like was asked for, and has been
 * printed. Returns 0, or -EINVAL with a line in e.
 */
int zcav_options(int argc, char *argv[], struct zcav_settings *s, bool *runs, struct err *e);

#endif
