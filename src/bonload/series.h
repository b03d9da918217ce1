#ifndef BONLOAD_SERIES_H
#define BONLOAD_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/recorder.h"
#include "util/err.h"

/*
 * The course of a run in slices of time. There is room for a fixed number of them: when it is full,
 * every two become one, and slices are twice as long from then on.
 *
 * A slice has the distribution of latencies in HEAT_BINS bins, four for each doubling, from which
 * the percentiles of slices that became one are taken; else they are exact.
 */
#define HEAT_BINS       112
#define HEAT_PER_DOUBLE 4
#define HEAT_FROM_NS    1000 /* the first bin takes everything below, and the last all above */

struct slice_kind {
    uint64_t good;
    uint64_t errors;
    uint64_t bytes;
    uint64_t p50_ns;
    uint64_t p99_ns;
    uint64_t max_ns;
    uint32_t heat[HEAT_BINS];
};

struct slice {
    uint64_t end_ns; /* since the beginning of the run */
    struct slice_kind kinds[LOAD_KINDS];
};

struct series {
    uint64_t slice_ns;
    size_t room;
    size_t count;
    uint64_t next_ns; /* when the slice that is being filled ends */
    struct slice *slices;
    struct counts before[LOAD_KINDS]; /* at the end of the last slice */
    struct histogram *seen;           /* the same, of each kind: response times */
    struct histogram *slice_times;    /* of the slice that has just ended */
};

int series_open(struct series *s, uint64_t slice_ns, size_t room, struct err *e);
void series_close(struct series *s);

/* Looks at what has been counted, if the present slice has ended (or the run has: is_last). */
void series_look(struct series *s, const struct recorders *r, uint64_t elapsed_ns, bool is_last);

/*
 * Adds the course of another rank to it, slice by slice; part is used up. Percentiles are from then
 * on those of the bins. False: there is no memory.
 */
bool series_merge(struct series *whole, struct series *part);

/* The lower edge of a bin, in ns. */
double heat_edge(unsigned bin);

#endif
