#ifndef BONLOAD_STEPS_H
#define BONLOAD_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/judge.h"
#include "bonload/run.h"
#include "measure/latencies.h"
#include "sync/coordinator.h"

/* The loads that a search or a sweep made one after the other, and what was measured at each. */

struct step_kind {
    bool is_there;
    double load;     /* threads, or requests per second */
    double offered;  /* requests per second that came due; with threads, as achieved */
    double achieved; /* requests per second that ended, failed ones included */
    enum verdict verdict;
    uint64_t requests;
    uint64_t errors;
    struct latencies latencies;
    uint64_t limited_ns; /* what the limit of a search is on: mean, percentile or longest */
};

struct step {
    uint64_t start_ns; /* since the beginning of the run */
    uint64_t elapsed_ns;
    bool is_confirmation;
    struct step_kind kinds[LOAD_KINDS];
};

#define STEPS_MOST 256

struct steps {
    struct run *run;
    struct coordinator *coordinator; /* of the ranks that go through them together */
    struct step *list;               /* in rank 0 */
    size_t count;                    /* those beyond STEPS_MOST are not kept */
    uint64_t begin_ns;               /* of the present one */
    uint64_t due[LOAD_KINDS];        /* requests that were due before */
    struct arrivals_cursor cursors[LOAD_KINDS];
    struct tally *before;   /* of each kind */
    struct tally *measured; /* of each kind, in the step that ended last; in rank 0, of all ranks */
};

int steps_open(struct steps *s, struct run *run, struct coordinator *coordinator, struct err *e);
void steps_close(struct steps *s);

/* What ends from now on belongs to the next step. */
void steps_begin(struct steps *s, uint64_t now_ns);

/*
 * Ends the step, for which all ranks meet. In rank 0 *step becomes what they have measured
 * together, and the caller fills in load, verdict and is_confirmation; in the others it becomes
 * NULL. Returns 0 or a negative errno with a line in e.
 */
int steps_end(struct steps *s, uint64_t now_ns, struct step **step, struct err *e);

#endif
