#ifndef BONCUT_LEDGER_H
#define BONCUT_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "boncut/header.h"
#include "util/err.h"

/* The last promise about a unit: versions only grow. */
struct promise {
    uint64_t version; /* 0: nothing was promised */
    uint64_t time_us;
    bool is_doubtful; /* a later call failed: its sectors may hold anything */
};

/* The number of last seconds before the cut that are counted separately. */
#define LAST_SECONDS 3

#define METHODS_MOST 32

/* All promises of a log. The memory depends on the number of units, not of promises. */
struct ledger {
    struct header header;
    struct promise *units[METHODS_MOST]; /* for each method in use */
    uint64_t promises[METHODS_MOST];     /* lines of each method; for control groups, writes */
    uint64_t last_us;                    /* time of the last line */
    uint64_t lines;                      /* number of lines without the header */
    uint64_t damaged;     /* number of lines that were ignored because of their checksum */
    uint64_t repeated;    /* number of lines that add nothing to earlier ones */
    uint64_t unfinished;  /* 1: the last line has no newline, and was ignored */
    uint64_t cached_from; /* writes of `cached` up to this one may be durable */
};

/*
 * Reads a log to its end, in one pass. Lines may be missing, damaged, repeated, and in any order
 * after the first: in that case less counts as promised. Returns 0, or a negative errno with a line
 * in e: the input is not a log, or contains logs of several runs.
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
 * The version of a block in a control group after its first `writes` writes: the number of the last
 * of these that wrote the block. Writes go round the blocks in turn; version 0 is what the run
 * began with.
 */
uint64_t control_version(uint64_t writes, uint32_t block);

/* Number of blocks that each control group overwrites. */
#define CONTROL_BLOCKS 256

/*
 * Number of blocks that a write overwrites. Only writes since the start of the last flush can be
 * lost, and the workers flush all the time.
 */
#define CONTROL_BATCH  16
#define CONTROL_GROUPS (CONTROL_BLOCKS / CONTROL_BATCH)

#endif
