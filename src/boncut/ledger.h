#ifndef BONCUT_LEDGER_H
#define BONCUT_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "boncut/header.h"
#include "util/err.h"

/* The last promise about a unit. The versions of a unit only grow. */
struct promise {
    uint64_t version; /* 0: nothing was promised */
    uint64_t time_us;
    uint64_t failed; /* the last version that a call failed to give it; if that is later than the
                        promised one, the sectors may hold anything */
};

/* `check` counts separately what was promised in the last 1, 2 and 3 seconds before the cut. */
#define LAST_SECONDS 3

#define METHODS_MOST 32

/* All promises of a log. Its memory depends on the number of units, not on that of promises. */
struct ledger {
    struct header header;
    struct promise *units[METHODS_MOST]; /* the units of each method; NULL: not in use */

    uint64_t promises[METHODS_MOST]; /* promises of each method; for control groups, writes */
    uint64_t last_us;                /* time of the latest line, in microseconds */
    uint64_t lines;                  /* number of lines without the header */
    uint64_t damaged;                /* number of lines ignored because of a wrong checksum */
    uint64_t repeated;               /* number of lines that say nothing beyond other ones */
    uint64_t unfinished;             /* 1: the last line has no newline, and was ignored */
    uint64_t cached_from;            /* writes of `cached` up to this number may be durable */
};

/*
 * Reads a log to its end, in one pass. After the header, lines may be missing, damaged, repeated
 * and in any order: then the ledger claims less. Returns 0, or a negative errno with a line in e
 * when the input is not a log, or contains logs of several runs.
 */
int ledger_read(struct ledger *l, int fd, struct err *e);

void ledger_release(struct ledger *l);

/* The last promise about a unit. */
static inline const struct promise *ledger_promise(const struct ledger *l, unsigned method,
                                                   uint32_t unit)
{
    return &l->units[method][unit];
}

/*
 * The version of a block in a control group after `writes` writes of the group. Each write goes to
 * the next CONTROL_BATCH blocks, round and round; a block starts with version 0, and each write to
 * it adds 1.
 */
uint64_t control_version(uint64_t writes, uint32_t block);

/* Number of blocks that each control group overwrites. */
#define CONTROL_BLOCKS 256

/*
 * Number of blocks that each write overwrites. A cut can lose only the writes since the start of
 * the drive's last flush, and the workers flush all the time, so one block per write would be too
 * few.
 */
#define CONTROL_BATCH  16
#define CONTROL_GROUPS (CONTROL_BLOCKS / CONTROL_BATCH)

#endif
