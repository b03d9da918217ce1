#ifndef BONLOAD_DRIVER_H
#define BONLOAD_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "bonload/run.h"
#include "util/rng.h"

/*
 * A thread that begins requests of one kind on its channels, each when it is due, and counts them
 * when they have ended. A target that blocks has one channel for each driver; any other has one
 * driver for each CPU, which keeps many requests in flight. Whoever has a free channel takes the
 * next ticket of the schedule and waits for its time.
 */
struct driver {
    struct run *run;
    struct load *load;
    struct recorder *recorder; /* chosen again for each request when recorders are shared */
    void *target;              /* this thread's part of the target */
    unsigned first_channel;
    unsigned channels;
    struct request *requests; /* one for each channel */
    struct request **unused;
    unsigned unused_count;
    struct request **done;
    unsigned in_flight;
    uint64_t now_ns;          /* the last look at the clock */
    uint64_t ticket_ns;       /* when the request of the ticket that it holds is due; 0: none */
    unsigned ticket_schedule; /* number of that ticket's schedule */
    unsigned share;           /* its number among the drivers of its load */
    uint64_t budget;          /* requests that it may begin without asking again */
    uint64_t next_number;     /* numbers that it may use without asking again ... */
    uint64_t numbers;         /* ... and how many */
    struct rng rng;           /* chooses operations */
    _Atomic uint64_t begun;
    _Atomic uint64_t ended;
    _Atomic uint64_t last_end_ns; /* when the last request ended */
    struct slowest slowest;
    pthread_t thread;
    bool has_thread;
};

/* Prepares a driver; failure leaves nothing to release. */
int driver_open(struct driver *d, struct run *run, enum load_kind kind, unsigned first_channel,
                unsigned channels, struct err *e);
void driver_close(struct driver *d);

/* What the thread does, until no further request may begin and all have ended. */
void driver_work(struct driver *d);

#endif
