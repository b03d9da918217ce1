// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "bonload/ledger/names.h"
#include "bonload/ledger/written.h"
#include "bonload/plan/plan.h"
#include "bonload/stats/recorder.h"
#include "bonload/targets/target.h"
#include "sys/thread_pool.h"
#include "util/err.h"

/*
 * A schedule: when the requests of a rate are due, no matter what happens to them. Any free thread
 * takes the next ticket; no thread hands tickets out. Times are those of clock_ns().
 */
struct arrivals {
    /*
     * Set before arrivals_begin(): the schedule consists of every `each`-th request of a curve
     * (NULL: the rate does not change), starting with number `first`.
     */
    const struct rate_curve *curve;
    double each;
    double first;

    enum arrival how;
    uint64_t start_ns;
    uint64_t rate;            /* billionths of requests per second; of a curve, the largest rate */
    uint64_t key;             /* key of the random gaps */
    _Atomic uint64_t taken;   /* number of tickets taken */
    _Atomic uint64_t next_ns; /* with random gaps, when the next request is due */
};

/* Begins a schedule: its first request, or first random gap, is at start_ns. `rate` is not 0. */
void arrivals_begin(struct arrivals *a, enum arrival how, uint64_t rate, uint64_t seed,
                    uint64_t start_ns);

/* The rate at the time now_ns, in requests per second. */
double arrivals_rate(const struct arrivals *a, uint64_t now_ns);

/* Takes the next ticket, and returns when its request is due. Safe in threads. */
uint64_t arrivals_take(struct arrivals *a);

/* How far a reader has counted a schedule's requests. Must be zeroed at first. */
struct arrivals_cursor {
    uint64_t start_ns; /* start of the cursor's schedule; with another one, it starts again */
    uint64_t next_ns;
    uint64_t count;
};

/* Number of requests that are due up to now_ns, which must not decrease. */
uint64_t arrivals_due(const struct arrivals *a, struct arrivals_cursor *cursor, uint64_t now_ns);

/* When request n, counted from 0, is due with constant gaps. */
uint64_t arrivals_at(const struct arrivals *a, uint64_t n);

/* Number of schedules kept, because threads may still take tickets of one that was replaced. */
#define SCHEDULES 4

/* All requests of one kind: when they may begin. */
struct load {
    enum load_kind kind;
    enum pace pace;
    unsigned channels;
    _Atomic unsigned active;    /* PACE_CLOSED: number of channels that make requests */
    _Atomic bool is_open;       /* false: reads must wait for the first successful write */
    _Atomic uint64_t opened_ns; /* when the kind's first request could begin; 0: not yet */
    struct arrivals schedules[SCHEDULES];
    _Atomic unsigned schedule;     /* PACE_RATE: number of the current schedule */
    _Atomic uint64_t rate;         /* billionths, for this rank; 0: no request is due */
    _Atomic uint64_t followed;     /* PACE_FOLLOWS: number of reads begun */
    unsigned shares;               /* number of load threads */
    _Atomic unsigned threads_left; /* number of load threads that have not ended */
};

/* Whether requests become due by a schedule now. */
static inline bool load_has_schedule(const struct load *load)
{
    return load->pace == PACE_RATE && atomic_load(&load->rate) > 0 && atomic_load(&load->is_open);
}

/* The current schedule, if there is a rate. */
static inline const struct arrivals *load_schedule(const struct load *load)
{
    return &load->schedules[atomic_load(&load->schedule) % SCHEDULES];
}

/* What all threads of a run share: the main loop and the load threads. */
struct run {
    const struct plan *plan;
    const struct target_ops *target;
    void *shared; /* the target's data for all threads */
    struct names names;
    struct sizes sizes;
    struct written_set written;
    struct verify_counts verified;
    struct made_set made;          /* used with -remove and TARGET_NO_KINDS */
    bool reads_written;            /* reads choose among the run's own writes */
    _Atomic uint64_t read_numbers; /* last number that reads have used */
    _Atomic uint64_t removals;     /* last number of a removal, in a run that writes nothing */
    struct load loads[LOAD_KINDS];
    _Atomic bool is_over;  /* no further request may begin */
    _Atomic unsigned gate; /* even: another number for each step; odd: the run is paused */
    struct recorders recorders;
    struct recorder_rules rules;
    struct failures failures;
    struct failures misses;

    struct event change;             /* load, schedule or end have changed; all threads read them */
    struct event write_ended;        /* PACE_FOLLOWS: a write has succeeded, so reads may follow */
    _Atomic unsigned followers;      /* number of threads that wait for write_ended */
    _Atomic uint64_t exhausted_ns;   /* when the budget was used up; 0: it has not been */
    _Atomic uint64_t budget;         /* number of requests that have taken from the budget */
    _Atomic uint64_t most;           /* number of requests that may begin */
    _Atomic uint64_t counts_from_ns; /* requests that were due before this time do not count */
    uint64_t followed_from;    /* PACE_FOLLOWS: successful writes before the budget was renewed */
    _Atomic uint64_t until_ns; /* requests that are due at this time or later are not made */
    uint64_t start_ns;
};

/* Opens everything except the load threads. The caller must call run_close() after success. */
int run_open(struct run *r, const struct plan *p, struct err *e);
void run_close(struct run *r);

/*
 * Pauses the run between two steps: no request begins, those in flight end, and those that are due
 * are dropped. load_threads_leave() takes those that are still in flight at the end of the pause.
 */
void run_pause(struct run *r);
void run_resume(struct run *r);

/* Renews the budget from the next step on. The run must be paused. */
void run_renew_budget(struct run *r);

/* Stops requests from beginning. Those in flight continue. */
void run_end(struct run *r);

/* Wakes all waiting threads, so that they look at the run again. */
void run_wake(struct run *r);

/* Whether all load threads have ended. */
bool run_is_through(const struct run *r);

/*
 * Sets the load of a kind from now on: the number of active channels, or the rate in billionths of
 * requests per second. It is that of all ranks, and this rank takes its share.
 */
void run_set_load(struct run *r, enum load_kind kind, uint64_t all, uint64_t now_ns);

/*
 * Describes the first request that failed in this way, "write: NAME: open: No such file or
 * directory", and what may help. The caller frees the text; NULL: there is no memory.
 */
char *run_describe_failure(const struct run *r, const struct failure *f);

/* Number of reads that may follow the writes that have succeeded so far. */
uint64_t run_reads_allowed(const struct run *r);

/* Notes a successful write. The first one opens the load of reads; each lets followers begin. */
void run_open_reads(struct run *r, uint64_t now_ns);
