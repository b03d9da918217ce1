#ifndef BONLOAD_CONTROL_STEPS_H
#define BONLOAD_CONTROL_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/control/judge.h"
#include "bonload/load/run.h"
#include "measure/latencies.h"
#include "sync/coordinator.h"

/* The loads that a search or a sweep made one after another, and the measurements of each. */

struct step_kind {
    bool is_there;
    double load;     /* threads, or requests per second */
    double offered;  /* requests per second that became due; with threads, as achieved */
    double achieved; /* requests per second that ended, with failed ones */
    enum verdict verdict;
    uint64_t requests;
    uint64_t errors;
    struct latencies latencies;
    uint64_t limited_ns; /* the limited figure of a search: mean, percentile or maximum */
};

struct step {
    uint64_t start_ns; /* since the start of the run */
    uint64_t elapsed_ns;
    bool is_confirmation;
    struct step_kind kinds[LOAD_KINDS];
};

#define STEPS_MOST 256

struct steps {
    struct run *run;
    struct coordinator *coordinator; /* of the ranks that take the steps together */
    struct step *list;               /* in rank 0 */
    size_t count;                    /* steps beyond STEPS_MOST are not kept */
    uint64_t begin_ns;               /* start of the current step */
    uint64_t end_ns;                 /* its end; 0: it goes on */
    double offered[LOAD_KINDS];      /* in the current step, in requests per second; 0: there is no
                                        schedule */
    uint64_t due[LOAD_KINDS];        /* requests that were due before it */
    struct arrivals_cursor cursors[LOAD_KINDS];
    struct failures failures; /* failures counted before it; likewise misses and operations */
    struct failures misses;
    struct op_tally *ops;
    struct tally *before; /* of each kind */
    /* for each kind, in the step that ended last; in rank 0, of all ranks */
    struct tally *measured;
};

int steps_open(struct steps *s, struct run *run, struct coordinator *coordinator, struct err *e);
void steps_close(struct steps *s);

/* Begins the next step: what is counted from now on belongs to it. */
void steps_begin(struct steps *s, uint64_t now_ns);

/* Ends the time of the step; its requests may still be in flight. Only the first call counts. */
void steps_stop(struct steps *s, uint64_t now_ns);

/*
 * Ends the step, for which all ranks meet. In rank 0 *step becomes the measurements of all ranks,
 * and the caller fills in load, verdict and is_confirmation; in other ranks it becomes NULL.
 * Returns 0 or a negative errno with a line in e.
 */
int steps_end(struct steps *s, struct step **step, struct err *e);

#endif
