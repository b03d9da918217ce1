#ifndef BONNIE_WORKER_H
#define BONNIE_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "job.h"
#include "util/err.h"

/*
 * A pool of threads that do one job at a time together. Every worker prepares, all wait at a
 * barrier until the main thread lets them go, and work. Between jobs they are parked, and the main
 * thread may fork.
 *
 * A single worker is the main thread itself: as long as a program has no second thread, glibc's
 * stdio takes no locks, and the per-character tests are as fast as in any other such program.
 */

/* When a job's work began and ended (clock_ns), and the CPU time used between. */
struct job_times {
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t cpu_ns;         /* of all workers */
    uint64_t busiest_cpu_ns; /* of the one that used most of it */
};

enum pool_state { POOL_PREPARING, POOL_CONNECTING, POOL_WORKING, POOL_ENDING };

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum pool_state state;
    unsigned round;   /* counts the changes of state, so that a worker sees each of them */
    unsigned busy;    /* workers that have not finished the present step */
    unsigned count;   /* workers */
    bool is_threaded; /* they are threads of their own */
    const struct job *job;
    struct err failure; /* the first one of the present job */
    uint64_t last_end_ns;
    uint64_t busiest_cpu_ns; /* of the present step */
    struct pool_thread *threads;
};

/*
 * Starts one thread for each of the contexts, which must outlive the pool. When one cannot
 * be started the others are ended, and a negative errno is returned.
 */
int pool_start(struct pool *p, unsigned count, void *const contexts[], struct err *e);

/* Ends the threads, which must be parked. */
void pool_end(struct pool *p);

/* Has every worker prepare for the job, and connect, and waits for all of them. Returns the first
 * failure. */
int pool_prepare(struct pool *p, const struct job *job, struct err *e);

/*
 * Lets the workers that have prepared go, and waits for the last one. The first failure, or a
 * signal, makes all others stop.
 */
int pool_work(struct pool *p, struct job_times *times, struct err *e);

#endif
