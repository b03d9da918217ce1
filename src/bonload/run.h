#ifndef BONLOAD_RUN_H
#define BONLOAD_RUN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/arrivals.h"
#include "bonload/failures.h"
#include "bonload/names.h"
#include "bonload/plan.h"
#include "bonload/recorder.h"
#include "bonload/sizes.h"
#include "bonload/slowest.h"
#include "bonload/targets/target.h"
#include "bonload/versions.h"
#include "bonload/written.h"
#include "sys/event.h"
#include "util/err.h"

/* What the threads of a run share. The main thread conducts it (conductor.h), drivers make the
 * requests (driver.h). */

/* A schedule is replaced by the next one while tickets of it are still being taken. */
#define SCHEDULES 4

/* The requests of one kind: when they may begin. */
struct load {
    enum load_kind kind;
    enum pace pace;
    unsigned channels;
    _Atomic unsigned active; /* PACE_CLOSED: channels below this number begin requests */
    _Atomic bool is_open;    /* false until the first write has succeeded, where reads need one */
    _Atomic bool is_over;    /* no further request begins */
    _Atomic uint64_t opened_ns; /* when the first request could begin */
    _Atomic bool opened;        /* somebody is about to open it, or has */
    struct arrivals schedules[SCHEDULES];
    _Atomic unsigned schedule; /* PACE_RATE: the one that counts now */
    _Atomic uint64_t rate;     /* its rate, of this rank; 0: no request is due */
    _Atomic uint64_t followed; /* PACE_FOLLOWS: reads that were begun */
    unsigned shares;           /* drivers that there are */
    _Atomic unsigned drivers;  /* that have not come to their end */
};

struct run {
    const struct plan *plan;
    const struct target_ops *target;
    void *shared; /* the target's */
    struct names names;
    struct sizes sizes;
    struct versions versions;
    struct written written;
    bool reads_written;            /* reads choose among what was written */
    _Atomic uint64_t read_numbers; /* last number of a run that only reads */
    _Atomic uint64_t removals;     /* last number of one that only removes */
    struct load loads[LOAD_KINDS];
    struct recorders recorders;
    struct recorder_rules rules;
    struct failures failures;
    struct failures misses;

    struct event change;             /* load, schedule or end: everybody has to look again */
    struct event write_ended;        /* PACE_FOLLOWS */
    _Atomic unsigned followers;      /* threads that wait for it */
    _Atomic uint64_t exhausted_ns;   /* when there was no budget for one more; 0: there is */
    _Atomic uint64_t budget;         /* requests that were begun */
    _Atomic uint64_t most;           /* and may be */
    _Atomic uint64_t counts_from_ns; /* requests that were due earlier are warming up */
    _Atomic uint64_t until_ns;       /* requests that are due then, or later, are not made */
    uint64_t start_ns;

    struct driver *drivers;
    unsigned driver_count;
};

/* Opens everything but the drivers. Returns 0 or a negative errno; on success run_close() follows.
 */
int run_open(struct run *r, const struct plan *p, struct err *e);
void run_close(struct run *r);

/* Starts a thread for each driver: requests begin. */
int run_start(struct run *r, struct err *e);

/* No further request of a kind begins; those in flight go on to their end. */
void run_end(struct run *r, enum load_kind kind);
void run_end_all(struct run *r);

/* Wakes all threads that wait, so that they look at the run again. */
void run_wake(struct run *r);

/* Waits until all drivers have come to their end. */
void run_join(struct run *r);

/* True when all drivers have come to their end by themselves. */
bool run_is_through(const struct run *r);

/*
 * Sets the load of a kind: number of active channels, or rate in billionths, from now on. Both are
 * those of all ranks, of which this one takes its share.
 */
void run_set_threads(struct run *r, enum load_kind kind, unsigned threads);
void run_set_rate(struct run *r, enum load_kind kind, uint64_t rate, uint64_t now_ns);

/* Puts a failure or a miss into words. */
void run_describe(const struct run *r, uint32_t failure, char *text, size_t size);

/* Sums over the drivers. */
struct progress {
    uint64_t begun;
    uint64_t ended;
};
struct progress run_progress(const struct run *r, enum load_kind kind);

/* Number of reads that follow the writes that have succeeded so far. */
uint64_t run_reads_allowed(const struct run *r);

/* A write has succeeded: opens the reads' load after the first one, lets followers begin. */
void run_tell_written(struct run *r, uint64_t now_ns);

#endif
