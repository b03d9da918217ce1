// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bonload/load/run.h"
#include "bonload/stats/recorder.h"
#include "measure/slow_ops.h"
#include "util/rng.h"

/* The spans in which waits for a CPU are added up: all that counts, and the current step. */
enum span { SPAN_RUN, SPAN_STEP, SPANS };

/*
 * A load thread is a thread that begins the requests of one kind on its channels, each when it is
 * due, and counts each at its end. If the target blocks, there is a load thread for each channel;
 * otherwise there is at most one for each CPU, which keeps many requests in flight.
 *
 * Nobody hands out requests: a load thread with a free channel asks whether one is due (turn_of()).
 * With threads one always is. At a rate the load thread takes the next ticket of the schedule
 * (run.h), one atomic addition or compare-and-swap, and sleeps until then, unless the load
 * changes. Reads that follow writes take a permission for each.
 */
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

/* Value of load_thread.parked when the load thread begins no further requests. */
#define LOAD_THREAD_OVER (~0U)

/* What a load thread does. Returns NULL when no request may begin and all have ended. */
void *load_thread_work(void *load_thread);

/* All load threads of a run. */
struct load_threads {
    struct run *run;
    struct load_thread *list;
    unsigned count;
    unsigned started; /* number of load threads that have started */
};

/* Opens the load threads of an open run, which must outlive them. */
int load_threads_open(struct load_threads *c, struct run *run, struct err *e);
void load_threads_close(struct load_threads *c);

/* Starts all load threads, which begin to make requests. */
int load_threads_start(struct load_threads *c, struct err *e);

void load_threads_join(struct load_threads *c);

/* Number of load threads in a paused run that may still have requests in flight. */
unsigned load_threads_busy(const struct load_threads *c);

/* Numbers of one kind's requests that have begun and ended. */
struct progress load_threads_progress(const struct load_threads *c, enum load_kind kind);

/* In a pause: returns how many requests of one kind are in flight; these no longer count. */
uint64_t load_threads_leave(struct load_threads *c, enum load_kind kind);

/* Begins a span: from now on, the load threads' waits for a CPU belong to it. */
void load_threads_begin_span(struct load_threads *c, enum span span);

/* The longest time in a span that a load thread waited for a CPU, in ns; negative: unknown. */
double load_threads_longest_wait(const struct load_threads *c, enum span span);

/* Forgets all counts, and what is in flight, when paused or over. What was written stays known. */
void load_threads_forget(struct load_threads *c);

#define BAD_RATE_SECONDS 2

/*
 * The requests of a rate that are due and have not ended, as frequent measurements show them. A
 * second's worth is what became due in the last second, or 1 if that is less.
 */
struct backlog {
    uint64_t looked_ns;                /* time of the last measurement, or the start of the load */
    uint64_t staggered_ns[LOAD_KINDS]; /* time with more than one second's worth of such requests */
    bool is_bad;                       /* there were more than BAD_RATE_SECONDS' worth once */
    /* for each kind, what was due at the last measurement, 1 second before it, and so on */
    struct arrivals_cursor cursors[LOAD_KINDS][BAD_RATE_SECONDS + 1];
};

/* Measures the backlog of all kinds that have a rate. */
void backlog_measure(struct backlog *b, const struct load_threads *load_threads, uint64_t now_ns);
