// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "boncut/ledger.h"

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

/* The state of a unit. */
enum finding {
    FOUND_KEPT,
    FOUND_LOST,      /* a sector is older than promised */
    FOUND_FOREIGN,   /* zeros, or contents of another place, another run or unknown origin */
    FOUND_TORN,      /* a file that was promised as a whole has parts of two versions */
    FOUND_MISSING,   /* a name is missing */
    FOUND_CAME_BACK, /* a name exists that should be gone */
    FOUND_WRONG_SIZE,
    FOUND_UNREADABLE, /* an error: neither kept nor lost */
    FOUND_UNKNOWN,    /* unsound after a later call failed: nothing is known */
    FINDINGS
};

/* The findings as words for reports: "came_back". */
extern const char *const finding_names[FINDINGS];

/* The state of a range of a file. */
struct sight {
    enum finding finding;
    uint64_t offset; /* offset of the first sector that breaks the promise, or else of the range */
    bool is_kept_in_part; /* some sectors are as promised */
    bool has_version;     /* a version was found there */
    uint64_t found;
    const char *detail; /* kind of foreign contents, or "torn" */
    uint64_t oldest;    /* versions in the sectors, if all of them are sound */
    uint64_t newest;
    /* smallest alignment of a boundary between versions, in bytes; 0: there is no boundary */
    uint32_t torn_at;
};

/* A unit that is not known to be kept. */
#define FILE_TEXT 128 /* two names of a directory and what is in it */

struct loss {
    unsigned method;
    struct sight sight;
    char file[FILE_TEXT]; /* path below the private directory */
    uint64_t promised;
    uint64_t before_end_us; /* time from the promise to the last line of the log, in microseconds */
};

/* Units whose last promise was made within a certain time before the end of the log. */
struct recent_units {
    uint64_t units;
    uint64_t lost; /* units that are lost in any way; unreadable ones do not count */
};

#define RECENT_BINS 30

/* Summary of the units of one method. */
struct tally {
    uint64_t units; /* number of units judged */
    uint64_t found[FINDINGS];
    /* units promised in the last second, the last two and the last three */
    struct recent_units last[LAST_SECONDS];
};

/* Summary of the blocks of a control group, without those that are unreadable or foreign. */
struct control_tally {
    uint64_t blocks; /* blocks whose last write may never have been made durable */
    uint64_t lost;
    uint64_t torn; /* of `plain`: parts of two versions */
};

/* Overwrites that were in progress at the cut. These numbers are facts, not faults. */
struct overwrites {
    uint64_t under_way; /* number of blocks that are newer than promised, in whole or in part */
    uint64_t torn;      /* number of those that have several versions */
    uint32_t torn_at;   /* smallest power of two that divides the offset of any boundary between
                           versions, in bytes; 0: there is no boundary */
};

#define LOSSES_NAMED 20

struct findings {
    struct tally methods[METHODS];
    struct control_tally controls[METHODS];
    struct recent_units bins[RECENT_BINS]; /* all methods together, in steps of a tenth of a second;
                                        the last bin ends with the log */
    struct overwrites overwrites;
    uint64_t new_names; /* number of files that were synced without their directory */
    /* number of these files that still have their name, which POSIX does not promise */
    uint64_t new_names_present;
    int error; /* errno of the first unit that is unreadable; 0: none */
    unsigned loss_count;
    struct loss losses[LOSSES_NAMED]; /* the first LOSSES_NAMED losses */
};

/* Counts a unit of a method, which is in `file`. */
void findings_add(struct findings *f, const struct ledger *l, unsigned method, uint32_t unit,
                  const struct sight *s, const char *file);

/* Adds up the tallies of all methods in `sum`. */
void findings_sum(const struct findings *f, struct tally *sum);

/* Number of units that are lost in one way or another. */
uint64_t tally_losses(const struct tally *t);
