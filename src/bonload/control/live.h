// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bonload/load/run.h"
#include "util/err.h"

/*
 * The file of -live-file: the figures of each second, while the run goes on. If its name ends in
 * .prom, it is replaced as a whole each second, with metrics (OpenMetrics, as a node exporter reads
 * them). Otherwise it gets a line of CSV each second.
 */
struct live_file {
    const char *path;       /* NULL: the user wants no file */
    FILE *csv;              /* NULL: the file has metrics */
    uint64_t last_ns;       /* when the current second began, in ns since requests count */
    struct recent *counted; /* until now, and in the current second */
};

/* Opens the live file of a plan, if it has one. Returns 0, or a negative errno with a line in e. */
int live_file_open(struct live_file *l, const struct plan *p, struct err *e);
void live_file_close(struct live_file *l);

/*
 * Writes the figures if a second is over, or if is_last is set. To be called often. Returns 0, or a
 * negative errno with a line in e.
 */
int live_file_look(struct live_file *l, const struct run *run, uint64_t elapsed_ns, bool is_last,
                   struct err *e);
