// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/units.h"
#include "verify/pattern.h"

struct header;
struct ledger;
struct whole_sizes;

/* A method is one way in which a program asks for durability. It has files for each worker, changes
 * the units in them step by step, and can tell after a cut whether every unit is as promised. */

/* Indexes in the table. Stamps on the storage contain them, so new methods go to its end. */
enum {
    METHOD_CACHED = 0,
    METHOD_DRIVE = 1,
    METHOD_SYNCFS = 9,
    METHOD_NEW_NAME = 17,
    METHOD_ATOMIC = 18,
    METHOD_PLAIN = 19,
    METHODS = 20
};
#define CANARY_METHODS (1U << METHOD_CACHED | 1U << METHOD_DRIVE | 1U << METHOD_PLAIN)

_Static_assert(METHODS <= 32, "the header of a log has a bit for each method");

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

#define FILE_TEXT 128 /* two names of a directory and what is in it */

/* A unit that is not known to be kept. */
struct loss {
    unsigned method;
    struct sight sight;
    char file[FILE_TEXT]; /* path below the private directory */
    uint64_t promised;
    uint64_t before_end_us; /* time from the promise to the last line of the log, in microseconds */
};

/* Units whose last promise was made within a certain time before the end of the log: `check` counts
 * those of the last 1, 2 and 3 seconds, and those of each tenth of a second. */
struct recent_units {
    uint64_t units;
    uint64_t lost; /* units that are lost in any way; unreadable ones do not count */
};
#define LAST_SECONDS 3
#define RECENT_BINS  30

/* Summary of the units of one method, or of all that promise something. Of a canary, units are
 * blocks whose last write may never have been made durable, without unreadable and foreign ones. */
struct tally {
    uint64_t units; /* number of units judged */
    uint64_t lost;  /* in one way or another */
    uint64_t found[FINDINGS];
    struct recent_units last[LAST_SECONDS]; /* in the last second, the last two and three */
};

/* Overwrites that were in progress at the cut. These numbers are facts, not faults. */
struct overwrites {
    uint64_t under_way; /* number of blocks that are newer than promised, in whole or in part */
    uint64_t torn;      /* number of those that have several versions */
    uint32_t torn_at;   /* of all these, as in struct sight */
};

#define LOSSES_NAMED 20

struct findings {
    struct tally methods[METHODS];
    struct tally sum;
    struct recent_units bins[RECENT_BINS]; /* of all methods; the last one ends with the log */
    struct overwrites overwrites;
    int error; /* errno of the first unit that is unreadable; 0: none */
    unsigned loss_count;
    struct loss losses[LOSSES_NAMED]; /* the first ones */
};

/* Counts a unit of a method, which is in `file`, a path below the private directory. */
void findings_add(struct findings *f, const struct ledger *l, unsigned method, uint32_t unit,
                  const struct sight *s, const char *file);

/* What a method needs to know about one worker. The fields below the line belong to the method. */
struct work {
    const struct header *header;
    const struct pattern *pattern;
    int directory_fd; /* the private directory */
    unsigned method;
    unsigned worker;
    uint32_t batch;            /* number of units that the step changes */
    const char *call;          /* name of the last system call, for messages */
    int error;                 /* its errno; 0: it was successful */
    int (*first_sync)(int fd); /* begin() syncs its files with this; NULL: the caller does */
    /* ---- */
    int fd;
    int other_fd;
    void *buffer; /* of method_buffer() */
    void *own;
};

#define METHOD_BUFFER 16

/* Allocates room for METHOD_BUFFER blocks, or the largest write that is promised whole, aligned for
 * O_DIRECT on any device. The caller frees it. NULL: no memory is left. */
void *method_buffer(const struct header *h);

/* What a method needs for judging its units. */
struct judging {
    const struct header *header;
    const struct ledger *ledger;
    const struct pattern *pattern;
    int directory_fd;
    bool evicts; /* cached pages may be from before the cut, so they are evicted before each read */
    unsigned method;
    unsigned worker;
    uint32_t first; /* number of its first unit */
    void *buffer;   /* as in struct work */
    struct findings *findings;
    uint64_t resident_bytes; /* number of bytes that could not be evicted */
    int failure;             /* a positive errno that ends the judging, or 0 */
};

/* Which names of a unit may and must exist after the cut. */
struct names_rule {
    unsigned sides;        /* number of directories; if 2, the second one has the odd versions */
    unsigned first_blocks; /* blocks of the file that each unit begins with; 0: there is none */
    bool is_absent; /* no version up to the promised one may exist; otherwise one from it on must */
    bool leaves_none;  /* no version before the promised one may exist */
    bool has_contents; /* each name is that of a file of one block */
    bool has_version;  /* the block contains that version; otherwise version 0 */
};

/* begin() and step() return false with the failed call in w->call, and its errno in w->error. */
struct method {
    const char *name;
    const char *promise; /* the calls that have returned when the promise is made, in words */
    bool is_canary; /* promises nothing; losses are expected, and show what the cut has reached */
    unsigned tails; /* number of units of each worker beyond --units */
    unsigned units_most; /* a worker has no more units, whatever --units says; 0: no limit */
    unsigned batch;      /* largest number of units that a step changes; 0: one */
    int open_flags;      /* of open(2), for files of blocks */
    int write_flags;     /* of pwritev2(2), for their blocks */
    struct names_rule names;
    /* what makes overwritten blocks durable, the call with the method's name; NULL: nothing */
    int (*sync)(int fd);
    uint64_t interval_ns; /* shortest time between the starts of two steps of a worker */

    /* Makes the worker's files with version 0 of all units. With w->first_sync it also syncs them;
     * otherwise the caller makes them durable later. NULL: this build lacks the method. */
    bool (*begin)(struct work *w);

    /* Gives w->batch units, from `unit` on, the next versions, durably unless it is a canary. */
    bool (*step)(struct work *w, uint32_t unit, const uint64_t versions[]);

    /* Ends what begin() has begun, except that the caller closes the descriptors. NULL: nothing. */
    void (*end)(struct work *w);

    /* Examines all units of j->worker, and adds them to j->findings. */
    void (*judge)(struct judging *j);

    /* Examines one unit, in the open file or directory of the worker, for units_judge(). */
    void (*check)(struct judging *j, int fd, uint32_t unit, uint64_t promised, struct sight *s);
};

extern const struct method methods[METHODS];

static inline bool method_promises(unsigned method)
{
    return !methods[method].is_canary && method != METHOD_NEW_NAME; /* which is counted as a fact */
}

/* Number of a method's units that each worker has. The units of a worker are consecutive. */
uint32_t method_units_of_worker(const struct header *h, unsigned method);
uint32_t method_units(const struct header *h, unsigned method);

/* The version of a block of a canary after `writes` writes of all its blocks. Each write goes to
 * the next CANARY_BATCH blocks, round and round, and adds 1 to their versions, at first 0. */
uint64_t canary_version(uint64_t writes, uint32_t block);

/* Number of blocks that each canary overwrites, and that each of its writes does: more than one, as
 * a cut loses only writes since the drive's last flush began, and workers flush all the time. */
#define CANARY_BLOCKS 256
#define CANARY_BATCH  16
#define CANARY_GROUPS (CANARY_BLOCKS / CANARY_BATCH)

/* The names of those that promise something, with a NULL at the end. */
extern const char *const method_words[];

/* Size of the largest file that the methods of the header make. */
uint64_t method_largest_file(const struct header *h);

void method_print_all(FILE *out);

/* Sets *method to the index of the method with that name. Returns false when there is none. */
bool method_find(const char *name, unsigned *method);

/* The sizes of direct writes that the filesystem of the directory promises to make whole. */
struct whole_sizes whole_sizes_of(int directory_fd);

/* Formats them: "4 KiB to 1 MiB", or one size if there is only one. */
struct units_text whole_sizes_words(const struct whole_sizes *sizes);
