// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/load/run.h"
#include "live/progress.h"
#include "sys/output.h"

/* What a run reports on standard error: the live display, which is a line that is redrawn on a
 * terminal, and lines elsewhere; with -verbose, failures; with -memory-debug, the memory used. */
struct progress_view {
    bool is_terminal;
    const char *title; /* stands first on the line; NULL: none. Not owned */
    struct progress_bar bar;
    uint64_t next_ns;
    uint64_t last_ns;
    struct recent_counts *counted; /* until the last update, and before; NULL: no display. Owned */
    uint64_t told_failures;        /* failures that have been reported: a bit for each kind */
    uint64_t told_memory_ns;       /* time of the last report on memory, or the start of the load */
};

int progress_open(struct progress_view *v, bool is_wanted, struct err *e);

/* Reports what is due. To be called often. goal_ns: when the run ends (clock_ns()); 0: unknown. */
void progress_update(struct progress_view *v, const struct run *run, uint64_t now_ns,
                     uint64_t goal_ns);

/* Report each kind of failure once, with -verbose; and remove the line from the terminal. */
void progress_report_failures(struct progress_view *v, const struct run *run);
void progress_clear(void *view);

/* The file of -live-file: a line of CSV for each second or, if its name ends in .prom, metrics of
 * the last second, and in the end of the whole run (OpenMetrics, as a node exporter reads them). */
struct live_file {
    const char *path;              /* NULL: the user wants no file */
    FILE *csv;                     /* NULL: the file has metrics */
    struct output metrics;         /* has made the file with metrics */
    uint64_t last_ns;              /* when the current second began, in ns since requests count */
    struct recent_counts *counted; /* until now, and in the current second; owned, as csv is */
};

/* Opens the live file of a plan, if it has one. */
int live_file_open(struct live_file *l, const struct plan *p, struct err *e);

/* Writes the figures if a second is over, or if is_last is set. To be called often. */
int live_file_update(struct live_file *l, const struct run *run, uint64_t elapsed_ns, bool is_last,
                     struct err *e);
