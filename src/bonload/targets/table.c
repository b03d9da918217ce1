// SPDX-License-Identifier: GPL-2.0-or-later
#include <pthread.h>

#include "bonload/targets/target.h"
#include "measure/clock.h"
#include "util/rng.h"

extern const struct target_ops target_disk;
extern const struct target_ops target_http;
extern const struct target_ops target_meta;
extern const struct target_ops target_profile;
extern const struct target_ops target_s3;

#ifndef HAVE_CURL /* these keep their rows in the table, but nothing can be submitted to them */
const struct target_ops target_http = {.name = "http", .traits = TARGET_NAMES};
const struct target_ops target_s3 = {.name = "s3", .traits = TARGET_NAMES};
#endif

/* null: does nothing, and so measures the cost of the program itself. */

static enum target_answer null_submit(void *thread, struct request *r)
{
    (void)thread, (void)r;
    return TARGET_ENDED;
}

static const struct target_ops target_null = {
    .name = "null",
    .traits = TARGET_INSTANT,
    .submit = null_submit,
    .describe = failure_describe,
};

/* sleep: imitates a store that is a bottleneck, as the target of that name in goader does. Reads
 * and writes have 10 slots each. A request takes the slot that becomes free first, for a random
 * time of up to 200 ms. It fails with a probability of the requests in flight divided by 10000. */
#define SLOTS       10
#define MAX_NS      UINT64_C(200000000)
#define FAIL_ONE_IN 10000

struct bottleneck {
    pthread_mutex_t lock; /* held only while a thread looks at ten numbers */
    uint64_t free_ns[SLOTS];
    atomic_uint in_flight;
    _Atomic uint64_t begun;
};

struct sleep_state {
    uint64_t seed;
    struct bottleneck kinds[LOAD_KINDS];
};

struct sleeper {
    struct request *request;
    uint64_t end_ns;
};

struct sleep_thread {
    struct sleep_state *shared;
    unsigned count;
    struct sleeper sleepers[];
};

static int sleep_open(void *shared, const struct target_setup *setup, struct err *e)
{
    struct sleep_state *s = shared;
    (void)e;
    s->seed = setup->plan->rank_seed;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        pthread_mutex_init(&s->kinds[kind].lock, NULL);
    return 0;
}

static int sleep_join(void *thread, void *shared, unsigned channels, struct err *e)
{
    (void)channels, (void)e;
    ((struct sleep_thread *)thread)->shared = shared;
    return 0;
}

static enum target_answer sleep_submit(void *thread, struct request *r)
{
    struct sleep_thread *t = thread;
    struct bottleneck *b = &t->shared->kinds[r->kind];
    struct rng rng;
    rng_init(&rng, t->shared->seed + r->kind, atomic_fetch_add(&b->begun, 1));
    unsigned in_flight = atomic_fetch_add(&b->in_flight, 1) + 1;
    uint64_t sleep_ns = rng_below(&rng, MAX_NS + 1);
    unsigned first = 0;
    pthread_mutex_lock(&b->lock);
    for (unsigned i = 1; i < SLOTS; i++)
        if (b->free_ns[i] < b->free_ns[first])
            first = i;
    uint64_t end_ns = b->free_ns[first] = MAX(b->free_ns[first], r->start_ns) + sleep_ns;
    pthread_mutex_unlock(&b->lock);
    if (rng_below(&rng, FAIL_ONE_IN) < in_flight)
        r->failure = failure_of(CALL_OTHER, EIO);
    t->sleepers[t->count++] = (struct sleeper){r, end_ns};
    return TARGET_QUEUED;
}

static unsigned sleep_poll(void *thread, uint64_t until_ns, struct request *done[], unsigned most)
{
    struct sleep_thread *t = thread;
    for (unsigned i = 0; i < t->count; i++)
        until_ns = MIN(until_ns, t->sleepers[i].end_ns);
    const struct timespec until = clock_timespec(until_ns);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    uint64_t now_ns = clock_ns();
    unsigned ended = 0;
    for (unsigned i = 0; i < t->count && ended < most;) {
        struct sleeper *s = &t->sleepers[i];
        if (s->end_ns > now_ns) {
            i++;
            continue;
        }
        atomic_fetch_sub(&t->shared->kinds[s->request->kind].in_flight, 1);
        done[ended++] = s->request;
        *s = t->sleepers[--t->count];
    }
    return ended;
}

static const struct target_ops target_sleep = {
    .name = "sleep",
    .shared_bytes = sizeof(struct sleep_state),
    .thread_bytes = sizeof(struct sleep_thread),
    .channel_bytes = sizeof(struct sleeper),
    .open = sleep_open,
    .join = sleep_join,
    .submit = sleep_submit,
    .poll = sleep_poll,
    .describe = failure_describe,
};

static const struct target_ops *const targets[] = {
    &target_disk, &target_meta, &target_null,    &target_sleep,
    &target_http, &target_s3,   &target_profile, NULL,
};

const char *const target_words[] = {"disk", "meta", "null", "sleep", "http", "upload", "s3", NULL};
_Static_assert(sizeof target_words == sizeof targets,
               "a word for each target but profile, and upload, which is http");

const struct target_ops *target_by_name(const char *name)
{
    const struct target_ops *const *target = targets;
    if (strcmp(name, "upload") == 0)
        name = "http";
    while (*target && strcmp((*target)->name, name) != 0)
        target++;
    return *target;
}
