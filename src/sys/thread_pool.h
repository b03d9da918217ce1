#ifndef SYS_THREAD_POOL_H
#define SYS_THREAD_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/cpu.h"
#include "sys/task.h"
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
struct task_times {
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t cpu_ns;           /* of all workers */
    struct cpu_demand busiest; /* of the one that computed or waited for a CPU longest */
};

enum pool_state { POOL_PREPARING, POOL_CONNECTING, POOL_WORKING, POOL_FINISHING, POOL_ENDING };

struct thread_pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum pool_state state;
    unsigned round;   /* counts the changes of state, so that a worker sees each of them */
    unsigned busy;    /* workers that have not finished the present step */
    unsigned count;   /* workers */
    bool is_threaded; /* they are threads of their own */
    const struct lookout *lookout;
    const struct task *task;
    struct err failure; /* the first one of the present job */
    uint64_t last_end_ns;
    struct cpu_demand busiest; /* of the present step */
    struct pool_thread *threads;
};

/*
 * Starts one thread for each of the contexts, which must outlive the pool. When one cannot
 * be started the others are ended, and a negative errno is returned. lookout is what the main
 * thread does meanwhile, for which a single worker is a thread of its own, too; NULL: nothing.
 */
int thread_pool_start(struct thread_pool *p, unsigned count, void *const contexts[],
                      const struct lookout *lookout, struct err *e);

/* Ends the threads, which must be parked. */
void thread_pool_end(struct thread_pool *p);

/* Has every worker prepare for the job, and connect, and waits for all of them. Returns the first
 * failure. */
int thread_pool_prepare(struct thread_pool *p, const struct task *task, struct err *e);

/*
 * Lets the workers that have prepared go, and waits for the last one; then, if the task has that
 * step, has all of them finish, which is within the times too. The first failure, or a signal,
 * makes all others stop.
 */
int thread_pool_work(struct thread_pool *p, struct task_times *times, struct err *e);

#endif
