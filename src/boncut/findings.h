#ifndef BONCUT_FINDINGS_H
#define BONCUT_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "boncut/ledger.h"

/* The state of a unit. */
enum finding {
    FOUND_KEPT,
    FOUND_LOST,      /* a sector is older than promised */
    FOUND_FOREIGN,   /* zeros, or contents of another place, of another run, or of unknown origin */
    FOUND_TORN,      /* a file that was promised as a whole has parts of two versions */
    FOUND_MISSING,   /* a name is missing */
    FOUND_CAME_BACK, /* a name exists that should be gone */
    FOUND_WRONG_SIZE,
    FOUND_UNREADABLE,
    FOUND_UNKNOWN, /* unsound, but a later call had failed: nothing is known, and it is no fault */
    FINDINGS
};

/* The findings as words for reports: "came_back". */
extern const char *const finding_names[FINDINGS];

/* A unit that is not as promised. */
#define FILE_TEXT 160
struct loss {
    unsigned method;
    enum finding finding;
    char file[FILE_TEXT]; /* path below the private directory */
    uint64_t offset;
    uint64_t promised;
    bool has_version; /* a version was found */
    uint64_t found;
    const char *detail;     /* about foreign contents: "zeroed"; about lost ones: "torn"; or NULL */
    uint64_t before_end_us; /* time from the promise to the last line of the log */
};

/* The last promises of units, by their time before the end of the log. */
struct recent {
    uint64_t units;
    uint64_t lost;
};

#define RECENT_BINS   30
#define RECENT_BIN_US 100000

/* The findings in the units of one method. */
struct tally {
    uint64_t units; /* number of units judged */
    uint64_t found[FINDINGS];
    struct recent last[LAST_SECONDS]; /* in the last second, the last two, the last three */
};

/* What is left of a control group. */
struct control_tally {
    uint64_t blocks; /* blocks that count: written when nothing had made them durable */
    uint64_t lost;
};

/* The state of overwrites that were in progress at the cut: facts, not faults. */
struct overwrites {
    uint64_t under_way; /* number of blocks that are newer than promised, in whole or in part */
    uint64_t torn;      /* number of those that have several versions */
    uint32_t torn_at;   /* the smallest alignment of a boundary between two versions, in bytes; 0:
                           there is none */
};

#define LOSSES_NAMED 20

struct findings {
    struct tally methods[METHODS_MOST];
    struct control_tally controls[METHODS_MOST];
    struct recent bins[RECENT_BINS]; /* for all methods together; the last bin ends with the log */
    struct overwrites overwrites;
    uint64_t new_names; /* files that were synced without their directory, */
    /* and how many of their names exist, which POSIX does not promise */
    uint64_t new_names_present;
    unsigned loss_count;
    struct loss losses[LOSSES_NAMED]; /* the first losses */
};

/*
 * Counts a unit of a method. `loss` has what was found, and where; its method, versions and times
 * are filled in here.
 */
void findings_add(struct findings *f, const struct ledger *l, unsigned method, uint32_t unit,
                  struct loss *loss);

/* The sum over all methods; `sum` counts as faults what is neither kept nor unknown. */
void findings_sum(const struct findings *f, struct tally *sum);
uint64_t tally_faults(const struct tally *t);

#endif
