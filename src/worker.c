#include "worker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "measure/clock.h"
#include "measure/cpu.h"
#include "stop.h"

/* How often the main thread looks for signals while the workers are busy. */
#define TICK_NS 100000000

struct pool_thread {
    pthread_t thread;
    struct pool *pool;
    void *context;
};

/* The first failure of a job is the one that counts; it stops all others. */
static void finish_step(struct pool *p, int rc, const struct err *e, uint64_t end_ns,
                        uint64_t cpu_ns)
{
    pthread_mutex_lock(&p->lock);
    if (rc != 0 && p->failure.code == 0) {
        p->failure = *e;
        stop_request();
    }
    if (end_ns > p->last_end_ns)
        p->last_end_ns = end_ns;
    if (cpu_ns > p->busiest_cpu_ns)
        p->busiest_cpu_ns = cpu_ns;
    p->busy--;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* Waits until the state has changed since `round`. */
static enum pool_state await_change(struct pool *p, unsigned *round)
{
    pthread_mutex_lock(&p->lock);
    while (p->round == *round)
        pthread_cond_wait(&p->changed, &p->lock);
    *round = p->round;
    enum pool_state state = p->state;
    pthread_mutex_unlock(&p->lock);
    return state;
}

static void do_step(const struct pool_thread *t, enum pool_state state)
{
    struct pool *p = t->pool;
    int (*const steps[])(void *, struct err *) = {
        [POOL_PREPARING] = p->job->prepare,
        [POOL_CONNECTING] = p->job->connect,
        [POOL_WORKING] = p->job->work,
    };
    struct err e;
    err_init(&e);
    uint64_t cpu_before = cpu_of_thread_ns();
    int rc = steps[state](t->context, &e);
    finish_step(p, rc, &e, clock_ns(), cpu_of_thread_ns() - cpu_before);
}

static void *thread_main(void *argument)
{
    const struct pool_thread *t = argument;
    stop_block_signals();
    unsigned round = 0;
    for (;;) {
        enum pool_state state = await_change(t->pool, &round);
        if (state == POOL_ENDING)
            return NULL;
        do_step(t, state);
    }
}

static void change_state(struct pool *p, enum pool_state state)
{
    pthread_mutex_lock(&p->lock);
    p->state = state;
    p->round++;
    p->busy = p->count;
    p->last_end_ns = 0;
    p->busiest_cpu_ns = 0;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* Has all workers do the next step. A single worker has done it when this returns. */
static void begin_step(struct pool *p, enum pool_state state)
{
    change_state(p, state);
    if (p->count == 1)
        do_step(&p->threads[0], state);
}

/* A worker may sit in a long system call: interrupt it, so that it sees that it is to stop. */
static void wake_workers(struct pool *p)
{
    for (unsigned i = 0; i < p->count; i++)
        pthread_kill(p->threads[i].thread, stop_wake_signal());
}

/* Waits until no worker is busy with the present step. */
static void await_workers(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->busy > 0) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += TICK_NS;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        pthread_cond_clockwait(&p->changed, &p->lock, CLOCK_MONOTONIC, &until);
        pthread_mutex_unlock(&p->lock);
        if (stop_requested())
            wake_workers(p);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
}

/* The outcome of a step; a signal counts as a failure even if no worker noticed it. */
static int outcome(struct pool *p, struct err *e)
{
    if (p->failure.code != 0) {
        if (e->code == 0)
            *e = p->failure;
        return -p->failure.code;
    }
    return stop_requested() ? -EINTR : 0;
}

int pool_start(struct pool *p, unsigned count, void *const contexts[], struct err *e)
{
    *p = (struct pool){0};
    p->threads = calloc(count, sizeof *p->threads);
    if (!p->threads)
        return err_system(e, ENOMEM, "memory for %u workers", count);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    for (unsigned i = 0; i < count; i++)
        p->threads[i] = (struct pool_thread){.pool = p, .context = contexts[i]};
    if (count == 1) {
        p->count = 1;
        return 0;
    }
    for (unsigned i = 0; i < count; i++) {
        struct pool_thread *t = &p->threads[i];
        int code = pthread_create(&t->thread, NULL, thread_main, t);
        if (code != 0) {
            pool_end(p);
            return err_system(e, code, "start worker %u of %u", i + 1, count);
        }
        p->is_threaded = true;
        p->count++;
    }
    return 0;
}

void pool_end(struct pool *p)
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

int pool_prepare(struct pool *p, const struct job *job, struct err *e)
{
    p->job = job;
    err_init(&p->failure);
    begin_step(p, POOL_PREPARING);
    await_workers(p);
    if (outcome(p, e) == 0 && job->connect) {
        begin_step(p, POOL_CONNECTING);
        await_workers(p);
    }
    return outcome(p, e);
}

int pool_work(struct pool *p, struct job_times *times, struct err *e)
{
    uint64_t cpu_before = cpu_used_ns();
    times->start_ns = clock_ns();
    begin_step(p, POOL_WORKING);
    await_workers(p);
    times->end_ns = p->last_end_ns;
    times->cpu_ns = cpu_used_ns() - cpu_before;
    times->busiest_cpu_ns = p->busiest_cpu_ns;
    return outcome(p, e);
}
