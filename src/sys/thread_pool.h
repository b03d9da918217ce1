// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "measure/cpu.h"
#include "util/err.h"

/* A task in steps, which run in a worker's thread with the worker's own context, and return 0, or a
 * negative errno with a line in e. All workers finish a step before any begins the next one. */
typedef int task_step(void *context, struct err *e);

struct task {
    task_step *prepare;
    task_step *connect; /* connects to what other workers have prepared; may be NULL */
    task_step *work;
    task_step *finish; /* last part of the work; may be NULL */
};

/* How the main thread looks for a reason to stop_request(), fifty times a second. NULL: none. */
struct poller {
    void (*poll)(void *context);
    void *context;
};

static inline void poller_call(const struct poller *p)
{
    if (p)
        p->poll(p->context);
}

/* An event that may happen again and again: a futex(2) that counts. A thread reads the count,
 * decides that it must wait, and waits until the count changes, so it misses nothing in between. */
struct event {
    _Atomic uint32_t count;
};

static inline uint32_t event_count(const struct event *event)
{
    return atomic_load_explicit(&event->count, memory_order_acquire);
}

/* Makes the event happen. Up to `most` waiting threads go on. */
#define EVENT_WAKES_ALL INT_MAX
void event_happens(struct event *event, int most);

/* Waits until it has happened after `seen` was read, or clock_ns() is until_ns, or for a signal. */
#define EVENT_NO_DEADLINE UINT64_MAX
void event_wait(struct event *event, uint32_t seen, uint64_t until_ns);

/* A pool of threads that do one job at a time together. Every worker prepares, waits until the main
 * thread releases all of them, and works. Between jobs they are parked, and the main thread may
 * fork. A single worker is the main thread itself: while a program has no second thread, glibc's
 * stdio takes no locks, which the per-character tests would show. */

/* When two steps of a job began and ended, by clock_ns(), and what CPU time they took. */
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
    unsigned change;  /* number of changes of the state, so that no worker misses one */
    unsigned busy;    /* number of workers that have not finished the current step */
    unsigned count;   /* number of workers */
    bool is_threaded; /* each worker is a thread of its own */
    const struct poller *poller;
    const struct task *task;
    struct err failure; /* first failure of the current job */
    uint64_t last_end_ns;
    struct cpu_demand busiest; /* largest demand of any worker in the current step */
    struct pool_thread *threads;
};

/* Starts a thread for each context, which must outlive the pool. `poller` is what the main thread
 * looks for meanwhile; with one, even a single worker gets a thread of its own; NULL: nothing.
 * Returns 0, or a negative errno with a line in e and no threads. */
int thread_pool_start(struct thread_pool *p, unsigned count, void *const contexts[],
                      const struct poller *poller, struct err *e);

/* Ends the threads, which must be parked. */
void thread_pool_end(struct thread_pool *p);

/* Lets all workers do two steps of the task: with POOL_PREPARING, prepare and connect; with
 * POOL_WORKING, when they have prepared the same task, work and finish. The first failure, or a
 * signal, stops all workers. `times` may be NULL. Returns 0, or the first failure and its line. */
int thread_pool_run(struct thread_pool *p, const struct task *task, enum pool_state first,
                    struct task_times *times, struct err *e);
