// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/load/recorder.h"

/* The time series of a run, in a fixed number of slices. When all are used, slices are merged in
 * pairs, and later ones are twice as long. A slice has the distribution of latencies in HEAT_BINS
 * bins, HEAT_PER_DOUBLE for each doubling; the first has all times below HEAT_FROM_NS, and the last
 * all above its edge. Merged slices compute their percentiles from the bins. */
#define HEAT_BINS       112
#define HEAT_PER_DOUBLE 4
#define HEAT_FROM_NS    1000

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
    uint64_t end_ns; /* since the start of the run */
    struct slice_kind kinds[LOAD_KINDS];
};

/* The series of a run: slices of one second, and finer ones, for the HTML page. */
enum { INTERVALS, TIMELINE, SERIES };

struct series {
    uint64_t slice_ns;
    size_t room;
    size_t count;
    uint64_t next_ns; /* end of the current slice */
    struct slice *slices;
    struct counts before[LOAD_KINDS]; /* counts at the end of the last slice */
    struct histogram *seen;        /* response times at the end of the last slice, for each kind */
    struct histogram *slice_times; /* response times in the slice that has just ended */
};

/* Opens a series with room for `room` slices. Returns false when there is no memory. */
bool series_open(struct series *s, uint64_t slice_ns, size_t room);
void series_close(struct series *s);

/* Ends the current slice if its time is over, or if is_last is set. */
void series_update(struct series *s, const struct recorders *r, uint64_t elapsed_ns, bool is_last);

/* Merges another rank's series, which can then only be closed. Returns false without memory. */
bool series_merge(struct series *whole, struct series *part);

/* Lower edge of a bin, in ns. */
double heat_edge(unsigned bin);
