#ifndef SYS_THREAD_POOL_H
#define SYS_THREAD_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/cpu.h"
#include "sys/task.h"
#include "util/err.h"

/*
 * A pool of threads that do one job at a time together. Every worker prepares, waits at a barrier
 * until the main thread releases all of them, and works. Between jobs the workers are parked, and
 * the main thread may fork.
 *
 * A single worker is the main thread itself: while a program has no second thread, glibc's stdio
 * takes no locks, and the per-character tests are as fast as in any program without threads.
 */

/* When the work of a job began and ended, by clock_ns(), and what CPU time it took. */
struct task_times {
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t cpu_ns;           /* CPU time of all workers */
    struct cpu_demand busiest; /* demand of the worker with the largest one */
};

enum pool_state { POOL_PREPARING, POOL_CONNECTING, POOL_WORKING, POOL_FINISHING, POOL_ENDING };

struct thread_pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum pool_state state;
    unsigned round;   /* number of changes of the state, so that no worker misses one */
    unsigned busy;    /* number of workers that have not finished the current step */
    unsigned count;   /* number of workers */
    bool is_threaded; /* each worker is a thread of its own */
    const struct lookout *lookout;
    const struct task *task;
    struct err failure; /* first failure of the current job */
    uint64_t last_end_ns;
    struct cpu_demand busiest; /* largest demand of any worker in the current step */
    struct pool_thread *threads;
};

/*
 * Starts a thread for each context. The contexts must outlive the pool. If a thread cannot be
 * started, ends the others. `lookout` is what the main thread looks for meanwhile; NULL: nothing.
 * With a lookout, even a single worker gets a thread of its own. Returns 0, or a negative errno
 * with a line in e.
 */
int thread_pool_start(struct thread_pool *p, unsigned count, void *const contexts[],
                      const struct lookout *lookout, struct err *e);

/* Ends the threads, which must be parked. */
void thread_pool_end(struct thread_pool *p);

/*
 * Makes every worker prepare for the job and then connect, and waits for all of them. Returns 0, or
 * the first failure with a line in e.
 */
int thread_pool_prepare(struct thread_pool *p, const struct task *task, struct err *e);

/*
 * Releases the workers that have prepared, and waits for the last one. If the task has a step
 * `finish`, then makes all workers do that; the times include it. The first failure, or a signal,
 * stops all workers. Returns 0, or the first failure with a line in e.
 */
int thread_pool_work(struct thread_pool *p, struct task_times *times, struct err *e);

#endif
