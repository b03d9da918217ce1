#ifndef TOOLS_ZCAV_LOG_H
#define TOOLS_ZCAV_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/bad_ranges.h"
#include "util/err.h"

/*
 * The text of one device, as Bonnie++'s zcav prints it: comments, and for each block offset,
 * throughput and time, which gnuplot reads. With one pass the blocks are printed as they come, with
 * several at the end: then the figure of a block is the mean of the middle third of its passes.
 */
struct zcav_log {
    FILE *stream;     /* NULL: nobody wants the text, and nothing is printed */
    const char *name; /* for messages */
    bool is_live;     /* it goes to a terminal that has the progress bar, too */
    bool is_own;      /* it is closed in the end */
    char *text;       /* what was printed, where it is kept back; else NULL */
    size_t length;
};

/* Takes the progress bar off a terminal, before something else is printed there. */
#define ZCAV_ERASE "\r\033[J"

/* What was measured of a block: bytes that were moved well, and how long all of it took. */
struct zcav_block {
    uint64_t bytes;
    uint64_t nanoseconds;
};

/*
 * Opens the log: the file at path, or standard output where it is NULL; then, if `keeps_back`, the
 * text is printed by zcav_log_close(). Returns 0 or a negative errno with a line in e.
 */
int zcav_log_open(struct zcav_log *l, const char *path, bool keeps_back, struct err *e);

/* Each of these prints lines. They return 0, or a negative errno with a line in e. */
int zcav_log_heading(struct zcav_log *l, unsigned passes, struct err *e);
int zcav_log_block(struct zcav_log *l, uint64_t offset, const struct zcav_block *block,
                   struct err *e);
int zcav_log_pass(struct zcav_log *l, bool writes, const struct zcav_block *sum, struct err *e);
int zcav_log_bad(struct zcav_log *l, bool writes, const struct bad_ranges *bad, struct err *e);

/*
 * Ends the log. What was kept back is printed, below a line with the name of the device, and two
 * empty lines after it: gnuplot takes it for a data set of its own. Returns 0, or a negative errno
 * with a line in e when not all of it was written.
 */
int zcav_log_close(struct zcav_log *l, const char *device, struct err *e);

/* Ends a log that is still open after a failure. */
void zcav_log_discard(struct zcav_log *l);

/* What the passes say of one block: sorts them, and returns the mean of the middle third. */
struct zcav_block zcav_log_middle(struct zcav_block *passes, size_t count, uint64_t block_bytes);

#endif
