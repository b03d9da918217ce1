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
 * throughput and time, which gnuplot reads. With one pass the blocks are printed as they are
 * measured; with several, at the end, where the figure of a block is the mean of the middle third
 * of its passes.
 */
struct zcav_log {
    FILE *stream;     /* NULL: no log is wanted, and nothing is printed */
    const char *name; /* for messages */
    bool is_live;     /* it goes to a terminal that shows the progress bar, too */
    bool is_own;      /* zcav_log_close() closes the stream */
    bool is_read;     /* on a terminal: a sum need not have the words of Bonnie++ */
    char *text;       /* the output, if it is kept until the end; otherwise NULL */
    size_t length;
};

/* Removes the progress bar from a terminal before something else is printed. */
#define ZCAV_ERASE "\r\033[J"

/* The measurement of a block: bytes moved without a failure, and the time that all of it took. */
struct zcav_block {
    uint64_t bytes;
    uint64_t nanoseconds;
};

/*
 * Opens the log: the file at path, or standard output if path is NULL. With `keeps_back`, output to
 * standard output is kept until zcav_log_close(). Returns 0 or a negative errno with a line in e.
 */
int zcav_log_open(struct zcav_log *l, const char *path, bool keeps_back, struct err *e);

/* Functions that print lines. They return 0, or a negative errno with a line in e. */
int zcav_log_heading(struct zcav_log *l, unsigned passes, struct err *e);
int zcav_log_block(struct zcav_log *l, uint64_t offset, const struct zcav_block *block,
                   struct err *e);
int zcav_log_pass(struct zcav_log *l, bool writes, const struct zcav_block *sum, struct err *e);
int zcav_log_bad(struct zcav_log *l, bool writes, const struct bad_ranges *bad, struct err *e);

/*
 * Ends the log. Output that was kept is printed below a line with the name of the device, and
 * followed by two empty lines, so that gnuplot takes it for a data set of its own. Returns 0, or a
 * negative errno with a line in e when not everything was written.
 */
int zcav_log_close(struct zcav_log *l, const char *device, struct err *e);

/* Ends a log that is still open after a failure. */
void zcav_log_discard(struct zcav_log *l);

/* The result of all passes for one block: sorts them, and returns the mean of the middle third. */
struct zcav_block zcav_log_middle(struct zcav_block *passes, size_t count, uint64_t block_bytes);

#endif
