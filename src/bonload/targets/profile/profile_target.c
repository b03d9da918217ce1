#include "bonload/targets/profile/profile_target.h"

#include <errno.h>
#include <stdlib.h>

#include "bonload/plan/settings.h"
#include "bonload/targets/profile/acts.h"
#include "bonload/targets/target.h"
#include "measure/clock.h"
#include "sys/stop.h"

#define FAILURE_TEXT 256

/* Work that begins late catches up, but by no more than this many periods. */
#define LATE_PERIODS 10

/* Work beside the requests: a thread that does its steps at its own pace. */
struct beside {
    struct shared *shared;
    const struct profile_work *work;
    struct actor actor;
    struct gauge gauge; /* durations of the work */
    pthread_t thread;
    bool has_thread;
};

struct shared {
    struct acts acts;
    struct beside works[PROFILE_WORKS];
    struct event ends; /* happens when all work beside the requests must end */
    _Atomic bool is_ending;
    _Atomic uint64_t threads; /* number of threads that have joined */
};

static int profile_check(struct plan *p, const struct settings *s, struct err *e)
{
    (void)p;
    return s->profile ? 0 : err_say(e, "the target profile needs -good-for=NAME");
}

/* The lowest limit on that subject; UINT64_MAX: there is none. */
static uint64_t limit_on(const struct profile *p, uint32_t on)
{
    uint64_t limit = UINT64_MAX;
    for (unsigned i = 0; i < PROFILE_LIMITS; i++)
        if (p->limits[i].name && p->limits[i].on == on && p->limits[i].nanoseconds < limit)
            limit = p->limits[i].nanoseconds;
    return limit;
}

static void *work_on(void *context)
{
    struct beside *b = context;
    struct shared *s = b->shared;
    const uint32_t seen = event_look(&s->ends); /* before is_ending, so that no end is missed */
    uint64_t due_ns = clock_ns();
    stop_block_signals();
    while (!atomic_load(&s->is_ending)) {
        uint64_t begin_ns = clock_ns();
        uint32_t failure = actor_do(&b->actor, b->work->steps);
        uint64_t end_ns = clock_ns();
        if (failure != 0) {
            acts_fail(&s->acts, failure);
            break;
        }
        gauge_add(&b->gauge, end_ns - begin_ns, end_ns);
        due_ns += b->work->period_ns;
        if (due_ns + LATE_PERIODS * b->work->period_ns < end_ns)
            due_ns = end_ns;
        while (!atomic_load(&s->is_ending) && clock_ns() < due_ns)
            event_wait(&s->ends, seen, due_ns);
    }
    return NULL;
}

static int begin_work(struct shared *s, unsigned i, struct err *e)
{
    struct beside *b = &s->works[i];
    b->shared = s;
    b->work = &s->acts.profile->works[i];
    int rc = actor_open(&b->actor, &s->acts, i, e);
    if (rc != 0)
        return rc;
    int code = pthread_create(&b->thread, NULL, work_on, b);
    b->has_thread = code == 0;
    return code ? err_system(e, code, "start a thread") : 0;
}

void profile_target_end(void *shared, uint64_t load_end_ns)
{
    struct shared *s = shared;
    atomic_store(&s->is_ending, true);
    event_happens(&s->ends, EVENT_WAKES_ALL);
    for (unsigned i = 0; i < PROFILE_WORKS; i++) {
        if (s->works[i].has_thread)
            pthread_join(s->works[i].thread, NULL);
        s->works[i].has_thread = false;
        gauge_end(&s->works[i].gauge, load_end_ns);
    }
    gauge_end(&s->acts.syncs, load_end_ns);
}

int profile_target_finish(void *shared, struct err *e)
{
    return acts_close(&((struct shared *)shared)->acts, e);
}

static void close_target(void *shared)
{
    struct shared *s = shared;
    struct err e;
    err_init(&e);
    profile_target_end(s, 0);
    profile_target_finish(s, &e);
    for (unsigned i = 0; i < PROFILE_WORKS; i++)
        actor_close(&s->works[i].actor);
    free(s);
}

static int profile_open(void **shared, const struct target_setup *setup, struct err *e)
{
    const struct profile *p = setup->plan->settings->profile;
    struct shared *s = calloc(1, sizeof *s);
    if (!s)
        return err_system(e, ENOMEM, "memory for the target");
    gauge_init(&s->acts.syncs, limit_on(p, LIMIT_ON_SYNC));
    int rc = acts_open(&s->acts, setup, e);
    for (unsigned i = 0; i < PROFILE_WORKS; i++) {
        gauge_init(&s->works[i].gauge, limit_on(p, i));
        if (rc == 0 && p->works[i].name)
            rc = begin_work(s, i, e);
    }
    if (rc != 0)
        close_target(s);
    else
        *shared = s;
    return rc;
}

static int profile_join(void **thread, void *shared, unsigned channels, struct err *e)
{
    struct shared *s = shared;
    struct actor *t = malloc(sizeof *t);
    (void)channels;
    if (!t)
        return err_system(e, ENOMEM, "memory for a thread");
    int rc = actor_open(t, &s->acts, PROFILE_WORKS + atomic_fetch_add(&s->threads, 1), e);
    t->makes_requests = true;
    if (rc == 0)
        *thread = t;
    else
        free(t);
    return rc;
}

static void profile_leave(void *thread)
{
    actor_close(thread);
    free(thread);
}

/*
 * After a failure of the storage the run ends, because the program could not go on. Damage is only
 * counted.
 */
static enum target_answer profile_submit(void *thread, struct request *r)
{
    struct actor *t = thread;
    uint32_t failure = actor_do(t, t->acts->profile->steps);
    r->bytes = t->bytes;
    r->aside_ns = t->aside_ns;
    r->judged_ns = t->sync_ns;
    r->failure = failure;
    if (failure != 0 && t->step != STEP_DAMAGED)
        acts_fail(t->acts, failure);
    return TARGET_ENDED;
}

static void profile_forget(void *shared)
{
    struct shared *s = shared;
    gauge_restart(&s->acts.syncs);
    for (unsigned i = 0; i < PROFILE_WORKS; i++)
        gauge_restart(&s->works[i].gauge);
}

const struct gauge *profile_target_gauge(const void *shared, uint32_t on)
{
    const struct shared *s = shared;
    return on == LIMIT_ON_SYNC ? &s->acts.syncs : &s->works[on].gauge;
}

int profile_target_failure(const void *shared, struct err *e)
{
    const struct acts *a = &((const struct shared *)shared)->acts;
    char text[FAILURE_TEXT];
    uint32_t failure = atomic_load(&a->failure);
    if (failure == 0)
        return 0;
    failure_describe(NULL, failure, text, sizeof text);
    err_say(e, "%s: %s: %s", a->profile->name, a->storage.scratch.path, text);
    return -(int)(failure & 0xffff);
}

const struct target_ops target_profile = {
    .name = "profile",
    .traits = TARGET_BLOCKS | TARGET_LOCAL,
    .check = profile_check,
    .open = profile_open,
    .join = profile_join,
    .submit = profile_submit,
    .leave = profile_leave,
    .describe = failure_describe,
    .forget = profile_forget,
    .close = close_target,
};
