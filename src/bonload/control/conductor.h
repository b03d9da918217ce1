#ifndef BONLOAD_CONTROL_CONDUCTOR_H
#define BONLOAD_CONTROL_CONDUCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/control/live.h"
#include "bonload/control/outlook.h"
#include "bonload/control/progress.h"
#include "bonload/control/steering.h"
#include "bonload/control/steps.h"
#include "bonload/load/backing.h"
#include "bonload/load/backlog.h"
#include "bonload/load/crew.h"
#include "bonload/load/run.h"
#include "bonload/stats/series.h"
#include "sync/coordinator.h"

/*
 * The main thread's part in a run: it sets the load, watches the run, and ends it. It wakes up a
 * hundred times a second, and is never on the path of a request.
 *
 * A run is a sequence of steps, and between two of them it is paused until nothing is in flight. So
 * a step's figures are the difference of two sums, and each request is in exactly one step. The
 * warm-up is step 0, whose figures are forgotten. One step follows, or those of a search or a
 * sweep.
 */
enum stage {
    STAGE_WARMING, /* the first load is made, and does not count */
    STAGE_COOLING, /* its requests end */
    STAGE_STEP,    /* a load is made and counted */
    STAGE_PAUSE,   /* its requests end, before the next load is made */
    STAGE_ENDING,  /* no further request begins; those in flight end */
    STAGE_OVER,    /* all requests have ended */
};

struct conductor {
    struct run *run;
    struct crew crew;
    struct coordinator *coordinator; /* of the ranks that make the run together */
    enum stage stage;
    uint64_t stage_ns; /* when the stage began */
    bool counts;       /* the warm-up is over */
    struct steering steering;
    struct steps steps;
    struct series intervals; /* slices of a second */
    struct series timeline;  /* finer slices, for the page */
    struct progress_view view;
    struct live_file live;

    struct backing backing; /* the devices below the files */

    /* Of the part that counts: if there is a warm-up, from its end on. */
    int64_t start_time_ns; /* wall-clock time */
    uint64_t start_ns;
    uint64_t cpu_ns; /* CPU time used before that */
    struct backlog backlog;
    struct outlook outlook;
    struct slowest earlier[LOAD_KINDS]; /* from the earlier loads of a search */
    uint64_t end_ns;                    /* when requests stopped beginning; 0: they still begin */

    bool was_stopped; /* by a signal */
    bool is_bad_rate;
    bool all_are_over;      /* the load of all ranks has ended */
    bool has_all_steps;     /* all steps of the search or sweep are done */
    uint64_t told_failures; /* failures reported by -verbose: a bit for each */
    uint64_t memory_told_ns;
    void (*asked)(struct conductor
                      *c); /* called for SIGUSR1, which asks for the figures so far; may be NULL */
};

/* Opens a conductor for an open run with its drivers. Returns 0 or a negative errno. */
int conductor_open(struct conductor *c, struct run *run, struct coordinator *coordinator,
                   struct err *e);
void conductor_close(struct conductor *c);

/*
 * Conducts the whole run, from the first request to the end of the last. A signal is not a failure.
 */
int conductor_run(struct conductor *c, struct err *e);

/*
 * The figures so far or, when the run is over, those of the whole run: in that case all ranks meet
 * for the last time, and rank 0 gets the figures of all. The result has to be released. Returns 0
 * or a negative errno.
 */
struct result;
int conductor_result(struct conductor *c, struct result *result, struct err *e);

#endif
