#ifndef BONLOAD_CONTROL_LIVE_H
#define BONLOAD_CONTROL_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bonload/load/run.h"
#include "util/err.h"

/*
 * -live-file: the figures of each second while the run goes on. A file whose name ends in .prom is
 * metrics (OpenMetrics, as a node exporter reads them), replaced as a whole each second; any other
 * gets a line of CSV each second.
 */
struct live_file {
    const char *path; /* NULL: none is wanted */
    bool is_metrics;
    FILE *csv;
    uint64_t last_ns;      /* when the present second began, since the beginning of the run */
    struct tally *before;  /* of each kind: what had been counted then */
    struct tally *now;     /* of each kind */
    struct tally *between; /* of each kind */
};

/* Opens the file of a plan, if there is one. Returns 0 or a negative errno with a line in e. */
int live_file_open(struct live_file *l, const struct plan *p, struct err *e);
void live_file_close(struct live_file *l);

/* Begins again, when all counting has. */
void live_file_restart(struct live_file *l);

/* To be called often; writes when a second is over, or the run is. */
int live_file_look(struct live_file *l, const struct run *run, uint64_t elapsed_ns, bool is_last,
                   struct err *e);

#endif
