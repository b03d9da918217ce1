#ifndef BONLOAD_CONTROL_STEPS_H
#define BONLOAD_CONTROL_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/control/judge.h"
#include "bonload/load/run.h"
#include "measure/busy.h"
#include "measure/histogram.h"
#include "sync/coordinator.h"

/* The loads that a search or a sweep made, one after another, and what was measured with each. */

struct step_kind {
    bool is_there;
    double load;     /* threads, or requests per second */
    double offered;  /* requests per second that became due; with threads, the same as `achieved` */
    double achieved; /* requests per second that ended, failed ones included */
    enum verdict verdict;
    uint64_t requests;
    uint64_t errors;
    struct latencies latencies;
    /* figure that the search limits (mean, percentile or maximum); 0 in a sweep */
    uint64_t limited_ns;
};

struct step {
    uint64_t start_ns; /* since the start of the run */
    uint64_t elapsed_ns;
    struct busy_evidence machine; /* what others did meanwhile, on the busiest host */
    bool is_confirmation;
    struct step_kind kinds[LOAD_KINDS];
};

#define STEPS_MOST 256

/* A rank's report on a step, with times of its own clock. */
struct step_figures {
    uint64_t begin_ns;
    uint64_t end_ns;              /* 0: the step goes on */
    struct busy_evidence machine; /* set by the caller when the step has stopped */
    /* rate, in requests per second; 0: no schedule */
    double offered[LOAD_KINDS];
};

/* What is counted before and in a step. Each array has an element for each kind or operation. */
struct step_counts {
    struct tally before[LOAD_KINDS];   /* before the current step */
    struct tally measured[LOAD_KINDS]; /* in the last step; in rank 0, those of all ranks */
    struct tally other;                /* room for those of another rank */
    struct op_tally ops[OPS_MOST];     /* before the current step */
};

struct steps {
    struct run *run;
    struct coordinator *coordinator; /* the ranks that make the steps together */
    struct step *list;               /* all steps, in rank 0 */
    /* number of steps in the list; it keeps the first STEPS_MOST - 1 and the last one */
    size_t count;
    struct step_figures current;
    uint64_t due[LOAD_KINDS]; /* number of requests that were due before the current step */
    struct arrivals_cursor cursors[LOAD_KINDS];
    struct failures failures; /* before the current step */
    struct failures misses;   /* before the current step */
    struct step_counts *counts;
};

int steps_open(struct steps *s, struct run *run, struct coordinator *coordinator, struct err *e);
void steps_close(struct steps *s);

/* Begins the next step. Whatever is counted from now on belongs to it. */
void steps_begin(struct steps *s, uint64_t now_ns);

/*
 * Sets the end of the step. Its requests may still be in flight. Only the first call in a step
 * matters.
 */
void steps_stop(struct steps *s, uint64_t now_ns);

/*
 * Ends the step; all ranks meet for this. In rank 0 *step becomes the measurements of all ranks,
 * and the caller sets its load, verdict and is_confirmation; in other ranks *step becomes NULL.
 * Returns 0, or a negative errno with a line in e.
 */
int steps_end(struct steps *s, struct step **step, struct err *e);

#endif
