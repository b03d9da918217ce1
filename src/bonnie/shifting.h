#ifndef BONNIE_SHIFTING_H
#define BONNIE_SHIFTING_H

#include "bonnie/run_context.h"

/*
 * While a test of several ranks reads, each works on the files of the rank `shift` further, so that
 * what its own host has in its caches is not measured. Each rank's work is turned over to exactly
 * one other: what is known of the contents goes with the files, and comes back with the changes.
 */

/* What is a worker's own, while it works on the files of another. */
struct lent_files {
    bool has_data; /* that of another rank */
    int fd;
    bool has_files; /* those of another rank */
    struct file_set files;
};

/* Whether the test works on what others have written. */
bool shifting_is_for(const struct run_context *r, const struct workload *w);

/*
 * All workers have prepared, and have nothing open. When this returns 0 they have the other rank's
 * files, and are to prepare for those.
 */
int shifting_begin(struct run_context *r, const struct workload *w, struct err *e);

/* The test has ended, and nothing is open: gives all back. */
int shifting_end(struct run_context *r, const struct workload *w, struct err *e);

/* After a failure: has the worker have its own files again, so that they can be removed. */
void shifting_abandon(struct run_context *r, unsigned worker);

#endif
