#ifndef BONLOAD_LOAD_DRIVER_H
#define BONLOAD_LOAD_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "bonload/load/numbers.h"
#include "bonload/load/run.h"
#include "util/rng.h"

/*
 * A thread that begins the requests of one kind on its channels, each when it is due, and counts
 * each at its end. A target that blocks has one channel for each driver; any other has one driver
 * for each CPU, which keeps many requests in flight. A driver with a free channel takes the next
 * ticket of the schedule and waits until it is due.
 */
struct driver {
    struct run *run;
    struct load *load;
    struct recorder *recorder; /* chosen for each request when several drivers share recorders */
    void *target;              /* this thread's part of the target */
    unsigned first_channel;
    unsigned channels;
    struct request *requests; /* one for each channel */
    struct request **unused;
    unsigned unused_count;
    struct request **done;
    unsigned in_flight;
    uint64_t now_ns;          /* the last reading of the clock */
    uint64_t ticket_ns;       /* when the request of its ticket is due; 0: it has none */
    unsigned ticket_schedule; /* number of that schedule */
    unsigned share;           /* index among the drivers of its load */
    unsigned gate;            /* the step that it works for */
    _Atomic unsigned parked;  /* in a pause, load->gate when nothing is in flight here */
    uint64_t budget;          /* number of requests that it may begin without asking again */
    struct numbers numbers;
    struct rng rng; /* for choosing operations */
    _Atomic uint64_t begun;
    _Atomic uint64_t ended;
    _Atomic uint64_t last_end_ns; /* when the last request ended */
    struct slowest slowest;
    pthread_t thread;
    bool has_thread;
};

/* In driver.parked: the driver begins no further requests. */
#define DRIVER_OVER (~0U)

/* Prepares a driver; after a failure there is nothing to release. */
int driver_open(struct driver *d, struct run *run, enum load_kind kind, unsigned first_channel,
                unsigned channels, struct err *e);
void driver_close(struct driver *d);

/* The thread's main function: returns when no further request may begin and all have ended. */
void driver_work(struct driver *d);

#endif
