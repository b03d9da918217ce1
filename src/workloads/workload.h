#ifndef BONNIE_WORKLOADS_WORKLOAD_H
#define BONNIE_WORKLOADS_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "job.h"
#include "measure/samples.h"
#include "pattern.h"
#include "plan.h"
#include "scratch.h"
#include "workloads/datafile.h"
#include "workloads/fileset.h"

/*
 * What a test does, apart from when it does it. A workload's steps are given a struct work, the
 * worker's own, and touch nothing that another worker has.
 */

/* All that one worker works with. */
struct work {
    const struct plan *plan;
    const struct scratch *scratch;
    const struct pattern *pattern;
    unsigned char *buffer; /* room for one chunk, aligned for direct I/O */
    size_t buffer_bytes;
    struct samples samples; /* of the present phase */
    struct datafile data;   /* its share of the data set */
    struct fileset files;   /* its share of the metadata files */
};

struct workload {
    const char *title; /* for the progress line */
    bool reads;        /* what it reads is to come from the device: caches are emptied before */
    bool forked;       /* its work is done by forked seekers, not by the workers */
    struct job job;    /* the context is a struct work */
};

/*
 * For tests that read: sees to it that the first `bytes` of the worker's data file hold what they
 * should, and that none of it is cached, unless the plan is to keep that.
 */
int work_have_data(struct work *w, uint64_t bytes, struct err *e);

/* What the test of that number does. */
const struct workload *workload_of(enum test_id test);

/* One for each test; the file of that name holds it. */
extern const struct workload workload_putc;
extern const struct workload workload_getc;
extern const struct workload workload_put_block;
extern const struct workload workload_get_block;
extern const struct workload workload_rewrite;
extern const struct workload workload_seeks;
extern const struct workload workload_seq_create;
extern const struct workload workload_seq_stat;
extern const struct workload workload_seq_del;
extern const struct workload workload_ran_create;
extern const struct workload workload_ran_stat;
extern const struct workload workload_ran_del;

#endif
