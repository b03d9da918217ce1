// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "measure/reading.h"
#include "util/printable.h"

/* What limited the figure of a piece of work, and who disturbed it, by what was counted during the
 * work: one rule and its words, for all programs. docs/what-is-measured.md has the rules in words,
 * and an example of each. */
enum limited_by {
    LIMITED_UNKNOWN,
    LIMITED_DEVICE,
    LIMITED_PAGE_CACHE,
    LIMITED_SERVER,
    LIMITED_CPU,
    LIMITED_OTHERS,
    LIMITED_LIMIT, /* a control group's limit on CPU time or on a device */
    LIMITED_LINK,  /* the link to the device, which is slower than both its ends */
    LIMITED_COUNT
};

/* As terminal, JSON and page have it: "device", "page cache" ... "unknown"; for people, that is
 * "not known". */
extern const char *const limit_names[LIMITED_COUNT];
const char *limit_text(enum limited_by by);

/* Why a verdict was given. */
enum limit_reason {
    REASON_NOTHING_EXPLAINS, /* unknown: neither the device nor a CPU was busy */
    REASON_NO_DEVICE,        /* unknown: no device could be watched, and nothing else shows it */
    REASON_STORAGE_MOVED,   /* unknown: the bytes came from or went to storage that has no device */
    REASON_DOUBT,           /* unknown: nobody knows where the bytes were */
    REASON_DEVICE_BUSY,     /* device */
    REASON_DEVICE_HELD,     /* limit: the device was held to the limit of a control group */
    REASON_LINK_FULL,       /* link: the rate was what the link carries */
    REASON_IN_MEMORY,       /* page cache: the filesystem is in memory */
    REASON_READ_FROM_CACHE, /* page cache: storage read less than was asked for */
    REASON_NOT_DIRECT,      /* page cache: O_DIRECT was asked for, and the data went through it */
    REASON_NOT_WRITTEN,     /* page cache: storage wrote less than was asked for */
    REASON_NOT_SYNCED,      /* page cache: syncs returned, and none reached a drive */
    REASON_INSTANT,         /* page cache: requests took too little time for any device */
    REASON_SERVER_MOVED,    /* server: the bytes went over a network, and no CPU was wanted */
    REASON_NOTHING_MOVED,   /* cpu: the work asked for no transfer */
    REASON_COMPUTED,        /* cpu: the busiest worker computed most of the time */
    REASON_CPUS_FULL,       /* cpu: all workers together used all CPUs */
    REASON_QUOTA,           /* limit: a control group's quota of CPU time was used */
    REASON_OTHERS_COMPUTED, /* others: a worker waited for a CPU that other programs used */
    REASON_OTHERS_MOVED,    /* others: the device was busy with what they moved, too */
    REASON_HOST_TOOK,       /* others: the host of this virtual machine took its CPUs */
    REASON_COUNT
};

/* Whether O_DIRECT went past the page cache. */
enum direct_seen { DIRECT_NOT_KNOWN, DIRECT_NO, DIRECT_YES };

#define DIRECT_REASON 80

struct direct_use {
    bool asked; /* false: the rest means nothing */
    enum direct_seen seen;
    char reason[DIRECT_REASON]; /* what was seen: "btrfs buffered the writes" */
};

/* What others did on this machine meanwhile. A busy machine makes good storage look bad, because
 * threads wait for a CPU and requests for those of others, but never bad storage good. Percentages
 * are known unless they are negative. */
struct others {
    unsigned cpus;
    unsigned workers;         /* 0: unknown */
    double own_percent;       /* share of all CPUs that this process used */
    double used_percent;      /* share that others used, the kernel's threads included */
    double stolen_percent;    /* share that the host took */
    double waited_percent;    /* share of the time for which a worker was ready, but had no CPU */
    double throttled_percent; /* share of the time, at most, for which a quota held it back */
    double device_percent;    /* share of the device's bytes that others moved */
};

struct others others_of(const struct reading *spent, unsigned cpus, unsigned workers);

/* Whether the machine was busy; limit.c has the percentages:
 * - Of the threads that become ready to run, one in four finds its CPU taken by others or the host.
 * - A thread waited for a CPU for as much of the time, and not for other threads of this process.
 * - A quota held the process back for so long that this alone breaks a limit on a p99.
 * - Others moved so much of the device's bytes that its requests waited for theirs. */
bool others_are_busy(const struct others *o);
bool others_move_data(const struct others *o); /* the last of these */

/* Counts this process's CPU time for each of several that do the same work on one machine. */
void others_among(struct others *o, unsigned processes);

extern const struct others others_unknown; /* in which everything is */

/* Replaces *most by *other if that machine was busier. */
void others_keep_busier(struct others *most, const struct others *other);

/* "busy: others used 96 % of 2 CPUs (busy from 25 %); ..." No percentage is rounded up. */
struct label_text others_words(const struct others *o);

#define FILESYSTEM_TEXT 32

/* What was counted, and what the work was. */
struct evidence {
    struct reading spent;
    unsigned cpus;       /* number of CPUs that the process may use */
    unsigned workers;    /* 0: unknown; then how long each computed is not known either */
    uint64_t read_bytes; /* number of bytes that the work asked for */
    uint64_t written_bytes;
    double resident_percent; /* share of what was read that was cached before; 0: unknown */
    bool is_cold;            /* next to nothing of what was read is known to have been there */
    bool compresses;         /* the filesystem may have made the bytes fewer */
    const char *filesystem;  /* type of the filesystem, below an overlay; NULL: unknown */
    bool is_stored;          /* false: the work moved no data to the storage */
    bool computes; /* the work computes on every byte, so it takes more CPU time than copying */
    /* the work waits by itself: a device that moved its bytes is what it measured, if not busy */
    bool is_paced;
    uint64_t syncs;           /* number of syncs that returned, each of something newly written */
    unsigned in_flight;       /* number of operations that may sync at once */
    uint64_t instant_ns;      /* median request, if it need not wait for a device; 0: all must */
    const char *doubt;        /* why nobody knows where the bytes were; NULL: no reason */
    struct io_limit limit;    /* limits on the device */
    uint64_t link_per_second; /* the most bytes that the link to the drive carries; 0: not known */
    struct direct_use direct;
};

/* All percentages but held_percent and quota_percent are shares of the elapsed time or bytes. */
struct judgement {
    enum limited_by by;
    enum limit_reason reason;
    struct others others;
    char filesystem[FILESYSTEM_TEXT]; /* empty: unknown */
    bool device_known;                /* false: device_percent means nothing */
    enum source source;               /* the source of moved_percent; SOURCE_NONE: it is unknown */
    enum way way;                     /* whether the work read most, or wrote most */
    double device_percent;            /* time for which the device was busy */
    double computed_percent;    /* time for which the busiest worker computed; negative: unknown */
    double moved_percent;       /* share of the requested bytes that storage moved, at most 100 */
    double in_flight;           /* mean number of requests in the queues of the lowest devices */
    enum io_limit_kind held_by; /* the limit of which the largest share was used */
    uint64_t held_to;           /* value of this limit, per second */
    double held_percent;        /* share of it that was used; 0: there was no limit */
    uint64_t instant_ns;
    const char *doubt;
    struct direct_use direct;
    double quota_cpus; /* the quota of CPU time, and the share of it that was used */
    double quota_percent;
};

/* Sets *j by the evidence, of which only `doubt` need outlive the call. */
void limit_judge(struct judgement *j, const struct evidence *e);

/* Replaces each percentage by the smaller (pick is fmin) or the larger (fmax) of both. */
void limit_pick(struct judgement *j, const struct judgement *other, double (*pick)(double, double));

/* Writes the reason in words, with the figures on which it is based: one sentence with a full stop
 * and no commas, because scripts take a line with a comma for the CSV line. For several pieces of
 * work with the same reason, *least and *most have the smallest and the largest percentages of any;
 * for one, they are the same. */
#define LIMIT_SENTENCE 128
void limit_sentence(char text[static LIMIT_SENTENCE], const struct judgement *least,
                    const struct judgement *most);
