// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/thread_pool.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>

#include "measure/clock.h"
#include "sys/stop.h"

void event_happens(struct event *event, int most)
{
    atomic_fetch_add_explicit(&event->count, 1, memory_order_release);
    syscall(SYS_futex, &event->count, FUTEX_WAKE_PRIVATE, most, NULL, NULL, 0);
}

void event_wait(struct event *event, uint32_t seen, uint64_t until_ns)
{
    const struct timespec until = clock_timespec(until_ns);
    syscall(SYS_futex, &event->count, FUTEX_WAIT_BITSET_PRIVATE, seen,
            until_ns == EVENT_NO_DEADLINE ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY);
}

/* Interval at which the main thread looks for signals; POLLER_NS applies if it has a poller. */
#define TICK_NS   100000000
#define POLLER_NS 20000000

struct pool_thread {
    pthread_t thread;
    struct thread_pool *pool;
    void *context;
    struct cpu_demand before; /* the thread's demand for a CPU before the work began */
};

static task_step *step_of(const struct task *task, enum pool_state state)
{
    task_step *const steps[] = {
        [POOL_PREPARING] = task->prepare,
        [POOL_CONNECTING] = task->connect,
        [POOL_WORKING] = task->work,
        [POOL_FINISHING] = task->finish,
    };
    return steps[state];
}

/* Does a worker's step, and counts it as done. A job's first failure is kept, and stops all. */
static void do_step(struct pool_thread *t, enum pool_state state)
{
    struct thread_pool *p = t->pool;
    struct err e = {0};
    int rc = step_of(p->task, state)(t->context, &e);
    uint64_t end_ns = clock_ns();
    struct cpu_demand demand = {0};
    bool is_last = state != POOL_WORKING || !p->task->finish || rc != 0;
    if (is_last) { /* the clock does not run now */
        struct cpu_demand now = cpu_demand_of_thread();
        demand = cpu_demand_between(&t->before, &now);
        t->before = now; /* the thread sleeps until the main thread releases it */
    }
    pthread_mutex_lock(&p->lock);
    if (rc != 0 && p->failure.code == 0) {
        p->failure = e;
        stop_request();
    }
    p->last_end_ns = MAX(p->last_end_ns, end_ns);
    cpu_demand_keep_larger(&p->busiest, &demand);
    p->busy--;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static void *thread_main(void *argument)
{
    struct pool_thread *t = argument;
    struct thread_pool *p = t->pool;
    stop_block_signals();
    for (unsigned change = 0;;) {
        pthread_mutex_lock(&p->lock);
        while (p->change == change)
            pthread_cond_wait(&p->changed, &p->lock);
        change = p->change;
        enum pool_state state = p->state;
        pthread_mutex_unlock(&p->lock);
        if (state == POOL_ENDING)
            return NULL;
        do_step(t, state);
    }
}

static void change_state(struct thread_pool *p, enum pool_state state)
{
    pthread_mutex_lock(&p->lock);
    p->state = state;
    p->change++;
    p->busy = p->count;
    p->last_end_ns = 0;
    p->busiest = (struct cpu_demand){0};
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

int thread_pool_start(struct thread_pool *p, unsigned count, void *const contexts[],
                      const struct poller *poller, struct err *e)
{
    pthread_condattr_t attributes;
    *p = (struct thread_pool){.poller = poller};
    p->threads = calloc(count, sizeof *p->threads);
    if (!p->threads)
        return err_system(e, ENOMEM, "allocate memory for %u workers", count);
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC); /* setting the time does not move it */
    pthread_cond_init(&p->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    p->is_threaded = count > 1 || poller;
    for (; p->count < count; p->count++) {
        struct pool_thread *t = &p->threads[p->count];
        *t = (struct pool_thread){.pool = p, .context = contexts[p->count]};
        int code = p->is_threaded ? pthread_create(&t->thread, NULL, thread_main, t) : 0;
        if (code != 0) {
            thread_pool_end(p);
            return err_system(e, code, "start worker %u of %u", p->count + 1, count);
        }
    }
    return 0;
}

void thread_pool_end(struct thread_pool *p)
{
    if (!p->threads)
        return;
    change_state(p, POOL_ENDING);
    for (unsigned i = 0; p->is_threaded && i < p->count; i++)
        pthread_join(p->threads[i].thread, NULL);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p->threads);
    p->threads = NULL;
}

int thread_pool_run(struct thread_pool *p, const struct task *task, enum pool_state first,
                    struct task_times *times, struct err *e)
{
    uint64_t cpu_before_ns = cpu_used_ns();
    int rc = 0;
    p->task = task;
    if (first == POOL_PREPARING)
        err_init(&p->failure);
    else if (!p->is_threaded) /* the main thread has done other work since it prepared */
        p->threads[0].before = cpu_demand_of_thread();
    uint64_t start_ns = clock_ns();
    for (enum pool_state state = first; rc == 0 && state <= first + 1; state++) {
        if (!step_of(task, state))
            continue;
        change_state(p, state);
        if (!p->is_threaded)
            do_step(&p->threads[0], state);
        pthread_mutex_lock(&p->lock);
        while (p->busy > 0) {
            const struct timespec until =
                clock_timespec(clock_ns() + (p->poller ? POLLER_NS : TICK_NS));
            pthread_cond_timedwait(&p->changed, &p->lock, &until);
            pthread_mutex_unlock(&p->lock);
            poller_call(p->poller);
            /* interrupts workers in long system calls, so that they notice that they must stop */
            for (unsigned i = 0; stop_requested() && i < p->count; i++)
                pthread_kill(p->threads[i].thread, STOP_WAKE_SIGNAL);
            pthread_mutex_lock(&p->lock);
        }
        pthread_mutex_unlock(&p->lock);
        /* a signal counts as a failure, even if no worker has noticed it */
        rc = p->failure.code != 0 ? -p->failure.code : stop_requested() ? -EINTR : 0;
    }
    if (p->failure.code != 0 && e->code == 0)
        *e = p->failure;
    if (times)
        *times = (struct task_times){.start_ns = start_ns,
                                     .end_ns = p->last_end_ns,
                                     .cpu_ns = cpu_used_ns() - cpu_before_ns,
                                     .busiest = p->busiest};
    return rc;
}
