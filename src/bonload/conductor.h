#ifndef BONLOAD_CONDUCTOR_H
#define BONLOAD_CONDUCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/progress.h"
#include "bonload/result.h"
#include "bonload/run.h"
#include "bonload/search.h"
#include "bonload/series.h"
#include "bonload/standing.h"
#include "bonload/steps.h"
#include "bonload/sweep.h"
#include "sync/coordinator.h"

/*
 * The main thread's part in a run: it sets the load, watches the run, and ends it. It wakes up a
 * hundred times a second, and nothing that it does is on the path of a request.
 */
struct conductor {
    struct run *run;
    struct coordinator *coordinator; /* of the ranks that make the run together */
    struct standing all;             /* how the load of all ranks stood at the last look */
    struct steps steps;
    struct search search;
    struct sweep sweep;
    struct series intervals; /* of a second */
    struct series timeline;  /* finer, for the page */
    struct progress_view view;
    int64_t start_time_ns; /* of the clock on the wall */
    uint64_t start_ns;
    uint64_t looked_ns;
    uint64_t cpu_ns;  /* used before the run */
    bool is_warm;     /* the warming up is over */
    uint64_t warm_ns; /* when */
    uint64_t warm_due[LOAD_KINDS];
    uint64_t staggered_ns[LOAD_KINDS];
    uint64_t most;   /* requests that may begin after the warming up */
    uint64_t end_ns; /* when requests stopped to begin; 0: they go on */
    bool is_through; /* all have ended */
    struct arrivals_cursor cursors[LOAD_KINDS];
    bool was_stopped;   /* by a signal */
    bool is_over;       /* the load of all ranks has come to its end */
    bool may_be_warm;   /* rank 0 has ended its warming up */
    bool has_all_steps; /* of a search or a sweep */
    bool is_bad_rate;
    uint64_t told_failures; /* by -verbose: a bit for each */
    uint64_t memory_told_ns;
};

int conductor_open(struct conductor *c, struct run *run, struct coordinator *coordinator,
                   struct err *e);
void conductor_close(struct conductor *c);

/*
 * Makes the whole run, from the first request to the end of the last. A signal is no failure.
 */
int conductor_run(struct conductor *c, struct err *e);

/* Ends the load of all ranks, and here what has not come to its end by itself. */
void conductor_end(struct conductor *c, uint64_t now_ns);

/*
 * The figures so far, or when the run is over, those of all of it: then all ranks meet for the last
 * time, and rank 0 gets the figures of all. The result is to be released. Returns 0 or a negative
 * errno.
 */
int conductor_result(struct conductor *c, struct result *result, struct err *e);

#endif
