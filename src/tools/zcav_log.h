// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"
#include "util/units.h"

/*
 * Ranges of a device that could not be read or written, sorted, and neither adjacent nor
 * overlapping. All zeros: there are none.
 */
struct bad_range {
    uint64_t offset;
    uint64_t bytes;
    int code; /* errno of the first failure in the range */
};

struct bad_ranges {
    struct bad_range *ranges;
    size_t count;
    size_t room;
};

/*
 * Adds a range of at least one byte, and merges it with those that it touches. *is_new becomes
 * whether it touched none.
 */
int bad_ranges_add(struct bad_ranges *b, const struct bad_range *range, bool *is_new,
                   struct err *e);

uint64_t bad_ranges_bytes(const struct bad_ranges *b);
void bad_ranges_release(struct bad_ranges *b);

/*
 * The text about one device, as Bonnie++'s zcav prints it: comments, and for each block its offset,
 * throughput and time, which gnuplot reads. With one pass, blocks are printed as they are measured.
 * With several passes they are printed at the end, and the figure of a block is the mean of the
 * middle third of its passes.
 */
struct zcav_log {
    FILE *stream;     /* NULL: no log is wanted, so nothing is printed */
    const char *name; /* name for messages */
    bool is_live;     /* goes to the terminal that also shows the progress bar */
    bool is_own;      /* zcav_log_close() closes the stream */
    bool is_read;     /* goes to a terminal, so a summary need not have Bonnie++'s words */
    char *text;       /* all output, if it is kept until the end; otherwise NULL */
    size_t length;
};

/* Removes the progress bar from a terminal before other output. */
#define ZCAV_ERASE "\r\033[J"

/* Of a block, the bytes that were moved without a failure, and the time of all transfers. */
struct zcav_block {
    uint64_t bytes;
    uint64_t nanoseconds;
};

static inline double zcav_seconds(uint64_t nanoseconds)
{
    return (double)nanoseconds / BILLION;
}

/*
 * Opens the log: the file at `path`, or standard output if that is NULL. With keeps_back, output
 * for standard output is kept until zcav_log_close().
 */
int zcav_log_open(struct zcav_log *l, const char *path, bool keeps_back, struct err *e);

/* These print lines. They return 0, or a negative errno with a line in e. */
int zcav_log_heading(struct zcav_log *l, unsigned passes, struct err *e);
int zcav_log_block(struct zcav_log *l, uint64_t offset, const struct zcav_block *block,
                   struct err *e);
int zcav_log_pass(struct zcav_log *l, bool writes, const struct zcav_block *sum, struct err *e);
int zcav_log_bad(struct zcav_log *l, bool writes, const struct bad_ranges *bad, struct err *e);

/*
 * Ends the log. Output that was kept comes below a line with the name of the device, and before two
 * empty lines, so that gnuplot takes it for a data set of its own. Returns 0, or a negative errno
 * with a line in e when not everything was written.
 */
int zcav_log_close(struct zcav_log *l, const char *device, struct err *e);

/* Ends a log that is still open after a failure. */
void zcav_log_discard(struct zcav_log *l);

/* Combines all passes for one block: sorts them, and returns the mean of the middle third. */
struct zcav_block zcav_log_middle(struct zcav_block *passes, size_t count, uint64_t block_bytes);
