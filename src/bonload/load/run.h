// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include "bonload/load/recorder.h"
#include "measure/slow_ops.h"
#include "sys/thread_pool.h"
#include "util/rng.h"

/* A schedule: when the requests of a rate are due, no matter what happens to them. Any free thread
 * takes the next ticket; no thread hands tickets out. Times are those of clock_ns(). */
struct arrivals {
    const struct rate_curve *curve; /* NULL: the rate does not change; set before it begins */
    double each; /* it has every `each`-th request of a curve, starting with number `first` */
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

#define SCHEDULES 4 /* kept, because threads may still take tickets of one that was replaced */

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

/* The spans in which waits for a CPU are added up: all that counts, and the current step. */
enum span { SPAN_RUN, SPAN_STEP, SPANS };

/* A load thread begins the requests of one kind on its channels, each when it is due, and counts
 * each at its end. If the target blocks, there is a load thread for each channel; otherwise at most
 * one for each CPU. Nobody hands out requests: one with a free channel asks whether any is due
 * (turn_of()). With threads one always is. At a rate it takes the next ticket of the schedule, one
 * atomic addition or compare-and-swap, and sleeps until then, unless the load changes. */
struct load_thread {
    struct run *run;
    struct load *load;
    struct recorder *recorder; /* unless threads share recorders: then each request chooses one */
    void *target;              /* the target's data for this thread */
    unsigned channels;
    struct request *requests; /* one request for each channel */
    struct request **unused;  /* requests that are not in flight */
    unsigned unused_count;
    uint64_t now_ns;         /* the last reading of the clock */
    uint64_t ticket_ns;      /* when the request of its ticket is due; 0: it has no ticket */
    unsigned share;          /* index among the load threads of the load */
    unsigned gate;           /* step that the load thread works for, as in run->gate */
    _Atomic unsigned parked; /* run->gate when it parked in a pause, with nothing in flight */
    uint64_t budget; /* number of requests that the load thread may begin before it asks for more */
    uint64_t numbers;     /* number of numbers taken from the run and not used yet */
    uint64_t next_number; /* the first of these */
    struct rng rng;       /* draws the operations */
    _Atomic uint64_t begun;
    _Atomic uint64_t ended;
    _Atomic uint64_t last_end_ns; /* when the load thread's last request ended, by clock_ns() */
    struct slowest slowest;
    struct slow_box *slow; /* where slow requests are reported; NULL: nowhere */
    pthread_t thread;
    _Atomic pid_t thread_id;    /* by which the kernel knows the thread; 0: it has not begun */
    _Atomic uint64_t waited_ns; /* how long it waited for a CPU; set when the thread ends */
    uint64_t waited_before_ns[SPANS]; /* the same when a span began */
};

#define LOAD_THREAD_OVER (~0U) /* load_thread.parked when it begins no further requests */

/* What a load thread does. Returns NULL when no request may begin and all have ended. */
void *load_thread_work(void *load_thread);

#define STOPPED_NS (BILLION / 2) /* without a look or the end of a request: we were stopped */

/* What all threads of a run share: the main loop and the load threads. */
struct run {
    const struct plan *plan;
    const struct target_ops *target;
    void *shared; /* the target's data for all threads */
    struct names names;
    struct sizes sizes;
    struct pattern pattern; /* of what is written */
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
    struct load_thread *threads;
    unsigned thread_count;
    unsigned started; /* number of load threads that have started */

    struct event change;             /* load, schedule or end have changed; all threads read them */
    struct event write_ended;        /* PACE_FOLLOWS: a write has succeeded, so reads may follow */
    _Atomic unsigned followers;      /* number of threads that wait for write_ended */
    _Atomic uint64_t exhausted_ns;   /* when the budget was used up; 0: it has not been */
    _Atomic uint64_t budget;         /* number of requests that have taken from the budget */
    _Atomic uint64_t most;           /* number of requests that may begin */
    _Atomic uint64_t counts_from_ns; /* requests that were due before this time do not count */
    _Atomic uint64_t looked_ns;      /* when the main thread last looked at the counts; 0: never */
    uint64_t followed_from;    /* PACE_FOLLOWS: successful writes before the budget was renewed */
    _Atomic uint64_t until_ns; /* requests that are due at this time or later are not made */
    uint64_t start_ns;
};

/* Opens everything, but starts no load thread. The caller must call run_close() after success. */
int run_open(struct run *r, const struct plan *p, struct err *e);
void run_close(struct run *r);

/* Pauses the run between two steps: no request begins, those in flight end, and those that are due
 * are dropped. load_threads_leave() takes those in flight at the end of the pause. */
void run_pause(struct run *r);
void run_resume(struct run *r);

/* Stops requests from beginning, or only wakes waiting threads, so that they look at the run. */
void run_end(struct run *r);
void run_wake(struct run *r);

/* Sets the load of a kind from now on: the number of active channels, or the rate in billionths of
 * requests per second. It is that of all ranks, and this rank takes its share. */
void run_set_load(struct run *r, enum load_kind kind, uint64_t all, uint64_t now_ns);

/* "write: NAME: REASON", and what may help against it. The caller frees it; NULL: no memory. */
char *run_describe_failure(const struct run *r, const struct failure *f);

/* Starts all load threads, which begin to make requests, and waits until all have ended. */
int load_threads_start(struct run *r, struct err *e);
void load_threads_join(struct run *r);

/* Number of load threads in a paused run that may still have requests in flight. */
unsigned load_threads_busy(const struct run *r);

/* Numbers of one kind's requests that have begun and ended. */
struct progress load_threads_progress(const struct run *r, enum load_kind kind);

/* In a pause: returns how many requests of one kind are in flight; these no longer count. */
uint64_t load_threads_leave(struct run *r, enum load_kind kind);

/* Begins a span: from now on, the load threads' waits for a CPU belong to it. */
void load_threads_begin_span(struct run *r, enum span span);

/* The longest time in a span that a load thread waited for a CPU, in ns; negative: unknown. */
double load_threads_longest_wait(const struct run *r, enum span span);

/* When paused or over: forgets counts and what is in flight, and renews the budget. */
void load_threads_forget(struct run *r);

#define BAD_RATE_SECONDS 2

/* The requests of a rate that are due and have not ended, as frequent measurements show them. A
 * second's worth is what became due in the last second, or 1 if that is less. */
struct backlog {
    uint64_t looked_ns;                /* time of the last measurement, or the start of the load */
    uint64_t staggered_ns[LOAD_KINDS]; /* time with more than one second's worth of such requests */
    bool is_bad;                       /* there were more than BAD_RATE_SECONDS' worth once */
    struct arrivals_cursor cursors[LOAD_KINDS][BAD_RATE_SECONDS + 1]; /* what was due [s] ago */
};

/* Measures the backlog of all kinds that have a rate. */
void backlog_measure(struct backlog *b, const struct run *r, uint64_t now_ns);
