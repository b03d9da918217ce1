// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/control/progress.h"
#include "bonload/judge/search.h"
#include "bonload/load/backing.h"
#include "bonload/load/series.h"
#include "measure/levels.h"
#include "sync/coordinator.h"
#include "tail/examiner.h"

/* Finds what the slowest requests waited for while a thread carried them out (-explain-tail). */
struct explainer {
    struct tail_trace trace; /* opened by the caller, if it is wanted */
    struct slow_box *boxes;  /* one for each load thread */
    unsigned box_count;
    struct counted_kind {
        const struct run *run;
        enum load_kind kind;
    } counted[LOAD_KINDS];
    struct examiner *examiner; /* NULL: the trace is not open */
};

void explainer_close(struct explainer *x);

/* A rank's report on a step, with times of its own clock. */
struct step_figures {
    uint64_t begin_ns;
    uint64_t end_ns; /* 0: the step goes on */
    struct others machine;
    double offered[LOAD_KINDS]; /* requests per second; 0: no schedule */
};

#define MAX_STEPS 256
struct steps {
    struct step list[MAX_STEPS]; /* in rank 0; a full list has the first steps and the last one */
    size_t count;
    struct step_figures current;
    uint64_t due[LOAD_KINDS]; /* number of requests that were due before the current step */
    struct arrivals_cursor cursors[LOAD_KINDS];
    /* What was counted before the current step. */
    struct failures failures;
    struct failures misses;
    struct tally before[MAX_TALLIES];
    /* What was counted in the last step; in rank 0, by all ranks. */
    struct tally measured[LOAD_KINDS];
    struct tally other; /* room for what another rank has counted */
};

/* The main thread's part in a run: it sets the load, watches the run a hundred times a second, and
 * ends it; no request ever waits for it. Between two steps the run pauses until no request is in
 * flight, so each belongs to one step, whose figures are the difference of two sums. After the
 * warm-up, which is forgotten, comes one step, or all those of a search or a sweep. */
enum stage {
    STAGE_WARMING, /* requests of the warm-up begin; they do not count */
    STAGE_COOLING, /* the last requests of the warm-up end */
    STAGE_STEP,    /* requests of a step begin, until end_ns; they count */
    STAGE_PAUSE,   /* the last requests of a step end before the next one begins */
    STAGE_OVER,    /* all requests have ended */
};

struct main_loop {
    struct run *run;
    struct coordinator *coordinator; /* the ranks that make the run together */
    enum stage stage;
    uint64_t pause_ns; /* when the last pause began */
    struct controller controller;
    struct steps *steps;
    struct series series[SERIES];
    struct track tracks[LOAD_KINDS]; /* time series of bytes */
    struct levels levels[LOAD_KINDS];
    struct progress_view view;
    struct live_file live;

    struct backing backing;       /* the devices below the files */
    struct cpu_quotas quotas;     /* of this process */
    struct reading before[SPANS]; /* when each span began */

    /* These begin when the warm-up is over, or else with the run. */
    int64_t start_time_ns; /* wall-clock time, since 1970 */
    uint64_t start_ns;
    uint64_t looked_ns;    /* the last look at what is counted, since start_ns */
    uint64_t looked_ended; /* number of requests that had ended by then */
    uint64_t cpu_ns;       /* CPU time that the process used before start_ns */
    struct backlog backlog;
    uint64_t left[LOAD_KINDS];          /* requests of earlier steps that had not ended with them */
    struct slowest earlier[LOAD_KINDS]; /* the slowest requests of a search's earlier loads */
    uint64_t end_ns; /* when the load ended and no further request could begin; 0: not yet */

    bool was_stopped; /* a signal stopped the run */
    bool is_bad_rate;
    bool has_succeeded; /* at least one request has succeeded */
    bool is_hopeless;   /* there were many failures and nothing else, so the load has ended */
    bool all_are_over;  /* the load of all ranks has ended */
    bool has_all_steps; /* the search or sweep has done all its steps */
    struct explainer *explainer;        /* set by the caller; NULL: nothing is to be explained */
    void (*asked)(struct main_loop *m); /* prints the figures so far, for SIGUSR1; may be NULL */
};

/* Opens a main loop for an open run. */
int main_loop_open(struct main_loop *m, struct run *run, struct coordinator *c, struct err *e);
void main_loop_close(struct main_loop *m);

/* Makes the whole run, until its last request has ended. A signal is not a failure. */
int main_loop_run(struct main_loop *m, struct err *e);

/* What was counted since a span began. */
struct reading main_loop_spent(const struct main_loop *m, enum span span);

/* Adds requests that were in flight at the end of a pause, with the length of the longest pause. */
void tally_add_left(struct tally *t, uint64_t count);
