#ifndef BONLOAD_LOAD_RUN_H
#define BONLOAD_LOAD_RUN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/ledger/names.h"
#include "bonload/ledger/sizes.h"
#include "bonload/ledger/versions.h"
#include "bonload/ledger/written.h"
#include "bonload/load/arrivals.h"
#include "bonload/plan/plan.h"
#include "bonload/stats/failures.h"
#include "bonload/stats/recorder.h"
#include "bonload/stats/slowest.h"
#include "bonload/targets/target.h"
#include "sys/event.h"
#include "util/err.h"

/*
 * The state that the threads of a run share. The main thread conducts the run (conductor.h), and
 * drivers make the requests (driver.h).
 */

/* A schedule may be replaced while tickets of the previous one are still being taken. */
#define SCHEDULES 4

/* The requests of one kind, and when they may begin. */
struct load {
    enum load_kind kind;
    enum pace pace;
    unsigned channels;
    _Atomic unsigned active;    /* PACE_CLOSED: channels below this number make requests */
    _Atomic bool is_open;       /* false: no write has succeeded yet, and reads need one */
    _Atomic bool is_over;       /* no further request may begin */
    _Atomic uint64_t opened_ns; /* when the first request could begin; 0: not yet */
    struct arrivals schedules[SCHEDULES];
    _Atomic unsigned schedule; /* PACE_RATE: index of the current schedule */
    _Atomic uint64_t rate;     /* its rate for this rank; 0: no request is due */
    _Atomic uint64_t followed; /* PACE_FOLLOWS: number of reads begun */
    /* twice the number of the step whose requests may begin; odd: none may */
    _Atomic unsigned gate;
    unsigned shares;          /* number of drivers */
    _Atomic unsigned drivers; /* number of drivers that have not ended */
};

struct run {
    const struct plan *plan;
    const struct target_ops *target;
    void *shared; /* data of the target */
    struct names names;
    struct sizes sizes;
    struct versions versions;
    struct written written;
    struct made made;              /* with -cleanup, for a target without kinds */
    uint64_t period;               /* number of names after which they recur; 0: never */
    bool reads_written;            /* reads choose among what was written */
    _Atomic uint64_t read_numbers; /* in a run that only reads, the last number used */
    _Atomic uint64_t removals;     /* in a run that only removes, the last number used */
    struct load loads[LOAD_KINDS];
    struct recorders recorders;
    struct recorder_rules rules;
    struct failures failures;
    struct failures misses;

    struct event change;             /* of load, schedule or end: all threads check again */
    struct event write_ended;        /* PACE_FOLLOWS */
    _Atomic unsigned followers;      /* number of threads that wait for it */
    _Atomic uint64_t exhausted_ns;   /* when the budget was used up; 0: it is not */
    _Atomic uint64_t budget;         /* number of requests begun */
    _Atomic uint64_t most;           /* number of requests that may begin */
    _Atomic uint64_t counts_from_ns; /* requests that were due earlier do not count */
    uint64_t followed_from;          /* PACE_FOLLOWS: number of writes that had succeeded before */
    _Atomic uint64_t until_ns;       /* requests due from then on are not made */
    uint64_t start_ns;
};

/*
 * Opens everything except the drivers. Returns 0 or a negative errno; after success run_close() is
 * needed.
 */
int run_open(struct run *r, const struct plan *p, struct err *e);
void run_close(struct run *r);

/* The number of threads that requests on that many channels need. */
unsigned run_threads(const struct run *r, unsigned channels);

/*
 * Begins a pause between two steps: no request begins, and those in flight end. A request belongs
 * to the step in which it began: if it is still in flight when the next step begins, it no longer
 * counts. Requests that were due and have not begun are dropped.
 */
void run_pause(struct run *r);
void run_resume(struct run *r);

/* The number of requests that may begin in this process, not counting those that follow others. */
uint64_t run_budget(const struct plan *p);

/* Called during a pause: from the next step on, that many requests may begin. */
void run_renew_budget(struct run *r, uint64_t most);

/* Stops requests of a kind from beginning; those in flight continue to their end. */
void run_end(struct run *r, enum load_kind kind);
void run_end_all(struct run *r);

/* When requests stopped beginning, if the budget or the duration has ended the load. */
uint64_t run_ended_ns(const struct run *r, uint64_t now_ns);

/* Wakes all threads that wait, so that they check the run again. */
void run_wake(struct run *r);

/* True when all drivers have ended by themselves. */
bool run_is_through(const struct run *r);

/*
 * Set the load of a kind from now on: the number of active channels, or the rate in billionths.
 * Both are for all ranks, and this rank takes its share.
 */
void run_set_threads(struct run *r, enum load_kind kind, unsigned threads);
void run_set_rate(struct run *r, enum load_kind kind, uint64_t rate, uint64_t now_ns);

/* Describes a failure or a miss. */
void run_describe(const struct run *r, uint32_t failure, char *text, size_t size);

/*
 * Describes the first request that failed in this way, and why: "write: NAME: open: No such file or
 * directory", with an option that may help. The caller frees the text; NULL: there is no memory for
 * it.
 */
char *run_tell_failure(const struct run *r, const struct failure *f);

/* The number of reads that may follow the writes that have succeeded so far. */
uint64_t run_reads_allowed(const struct run *r);

/*
 * Called when a write has succeeded: opens the reads' load after the first one, and lets followers
 * begin.
 */
void run_tell_written(struct run *r, uint64_t now_ns);

#endif
