// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/err.h"
#include "util/printable.h"

/* The time series of the bytes of a piece of work, in bounded memory, and the levels that its speed
 * falls to when a cache is full or a credit is used up.
 *
 * A series is a list of sums. A further point is kept when it is a step of time or a step of bytes
 * later than the last one. When there is no room left, both steps become a 512th of the whole, so a
 * short fast part of the work has many points, and so has a long slow one. */
#define TRACK_ROOM 2048
#define MAX_LEVELS 4

/* What had been counted at a moment. Two points differ by what happened between them. */
struct track_point {
    uint64_t ns, bytes;
    uint64_t read_bytes; /* what the devices below did; 0: unknown */
    uint64_t written_bytes, read_ops, write_ops, busy_ns;
};

/* All zeros: an empty series. Has no pointers, so forked processes can share it. */
struct track {
    uint64_t step_ns, step_bytes;
    size_t last;                           /* index of the last point */
    struct track_point points[TRACK_ROOM]; /* the first one is zero: the beginning */
};

/* Adds a point if it is a step later than the last one, and returns it: the caller may set what the
 * devices did. Otherwise returns NULL. `bytes` may not be less than in the last one. */
struct track_point *track_add(struct track *c, uint64_t ns, uint64_t bytes);

/* Longest time until the next point: places are known to 0.1 % of their time, or to 10 ms. */
uint64_t track_pause_ns(uint64_t elapsed_ns);

/* Ends the series with this point, which replaces all that are not earlier, and returns it. */
struct track_point *track_end(struct track *c, uint64_t ns, uint64_t bytes);

/* A part of a series with one speed. A stall, in which nothing moves, is part of a level and not a
 * level itself; a stall at the end of the series, such as a final sync, belongs to no level. */
struct level {
    struct track_point from, to;
    double rate;            /* bytes per second */
    double ci95[2];         /* 95 % confidence interval of the rate */
    const char *limited_by; /* a static text; "unknown" or NULL: unknown */
};

struct levels {
    unsigned count; /* 0: there are no levels: the speed is even, slopes, or is too short */
    struct level list[MAX_LEVELS];
};

#define LEVELS_FALL_PERCENT   20                   /* the least fall */
#define LEVELS_SHORTEST_NS    UINT64_C(3000000000) /* each level but the first must last so long, */
#define LEVELS_SHORTEST_SHARE 20                   /* and a 20th of the series */

/* Finds where the speed of a series falls for good, and the levels on both sides.
 *
 * The values are the logarithms of the speed between two points. The place of a fall is the one
 * with the least squares; the place within its interval is where the lines of both levels meet. It
 * is a fall if the difference of both means, squared, is at least LEVELS_THRESHOLD times what the
 * scatter explains. That scatter must allow for correlation: one second of a disk resembles the
 * next. It is estimated by self-normalisation: the sum of squares of the cumulated deviations from
 * the mean of each side (Shao and Zhang, "Testing for Change Points in Time Series", Journal of the
 * American Statistical Association 105, 2010), which needs no lag or bandwidth, and which also
 * grows with a slope; the larger estimate of both sides counts for both. The threshold comes from
 * simulated series (tests/unit/measure/test_levels.c), because that of Shao and Zhang is for a
 * fixed number of values on both sides. The interval of a rate has the normaliser of Lobato
 * ("Testing That a Dependent Process Is Uncorrelated", same journal 96, 2001), whose 95 % quantile
 * is 45.4.
 *
 * A slope has no place: near a fall, the difference must be most of that between the levels.
 * Returns 0, or -ENOMEM with a line in e. */
#define LEVELS_THRESHOLD 80

int levels_find(struct levels *levels, const struct track *c, struct err *e);

/* Adds what the speed fell to: "2.83 GiB/s for the first 41.2 GiB (14.6 s; limited by page cache);
 * then 901.1 MiB/s (limited by device)." With operation_bytes it counts operations of that size.
 * Nothing without levels. Without commas, because scripts take a line with one for the CSV line. */
void levels_words(struct label_text *words, const struct levels *levels, uint64_t operation_bytes);
