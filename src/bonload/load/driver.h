// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bonload/load/run.h"
#include "measure/slow_ops.h"
#include "util/rng.h"

/* The times that waits for a CPU are measured in: everything that counts, and the current step. */
enum span { SPAN_RUN, SPAN_STEP, SPANS };

/*
 * A driver is a thread that begins the requests of one kind on its channels, each when it is due,
 * and counts each at its end. If the target blocks, there is a driver for each channel; otherwise
 * there is at most one for each CPU, which keeps many requests in flight.
 *
 * Nobody hands out requests: a driver with a free channel asks whether one is due (turn_of()). With
 * threads one always is. At a rate the driver takes the next ticket of the schedule (arrivals.h),
 * one atomic addition or compare-and-swap, and sleeps until then, unless the load changes. Reads
 * that follow writes take a permission for each.
 */
struct driver {
    struct run *run;
    struct load *load;
    struct recorder *recorder; /* unless drivers share recorders: then each request chooses one */
    void *target;              /* the target's data for this thread */
    unsigned channels;
    struct request *requests; /* one request for each channel */
    struct request **unused;  /* those that are not in flight */
    unsigned unused_count;
    uint64_t now_ns;    /* the last reading of the clock */
    uint64_t ticket_ns; /* when the request of the driver's ticket is due; 0: it has no ticket */
    unsigned share;     /* index among the drivers of the load */
    unsigned gate;      /* step that the driver works for, as in run->gate */
    /* run->gate when the driver parked in a pause, with nothing in flight */
    _Atomic unsigned parked;
    uint64_t budget;      /* number of requests that the driver may begin before it asks for more */
    uint64_t numbers;     /* number of numbers taken from the run and not used yet */
    uint64_t next_number; /* the first of these */
    struct rng rng;       /* draws the operations */
    _Atomic uint64_t begun;
    _Atomic uint64_t ended;
    _Atomic uint64_t last_end_ns; /* when the driver's last request ended, by clock_ns() */
    struct slowest slowest;
    struct slow_box *slow; /* where slow requests are reported; NULL: nowhere */
    pthread_t thread;
    _Atomic pid_t thread_id;    /* by which the kernel knows the thread; 0: it has not begun */
    _Atomic uint64_t waited_ns; /* how long it waited for a CPU, when it is over */
    uint64_t waited_before_ns[SPANS]; /* the same when a span began */
};

/* Value of driver.parked when the driver begins no further requests. */
#define DRIVER_OVER (~0U)

/*
 * Opens driver number `share` of a load. Returns 0, or a negative errno with a line in e. The
 * caller must call driver_close() in either case.
 */
int driver_open(struct driver *d, struct run *run, struct load *load, unsigned share,
                struct err *e);
void driver_close(struct driver *d);

/* The work of the driver's thread. Returns when no request may begin and all have ended. */
void driver_work(struct driver *d);
