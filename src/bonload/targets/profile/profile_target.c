#include "bonload/targets/profile/profile_target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "bonload/plan/settings.h"
#include "bonload/targets/profile/beside.h"
#include "bonload/targets/target.h"
#include "measure/clock.h"
#include "sys/stop.h"

#define FAILURE_TEXT 256

struct shared {
    const struct profile *profile;
    const char *directory;
    struct acts acts;
    struct beside works[PROFILE_WORKS];
    _Atomic uint64_t threads; /* number of threads that have joined */
    _Atomic uint32_t failure; /* failure of a request; all later requests fail, too */
    bool is_finished;
};

/* The data of a thread, which has one channel. */
struct thread {
    struct shared *shared;
    struct actor actor;
};

static int profile_available(struct err *e)
{
    (void)e;
    return 0;
}

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

static int begin_works(struct shared *s, struct err *e)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < PROFILE_WORKS; i++)
        if (s->profile->works[i].name)
            rc = beside_begin(&s->works[i], &s->profile->works[i], &s->acts,
                              limit_on(s->profile, i), i, e);
    return rc;
}

static void close_target(void *shared)
{
    struct shared *s = shared;
    struct err e;
    err_init(&e);
    profile_target_finish(s, &e);
    for (unsigned i = 0; i < PROFILE_WORKS; i++)
        beside_close(&s->works[i]);
    gauge_close(&s->acts.syncs);
    free(s);
}

static int profile_open(void **shared, const struct target_setup *setup, struct err *e)
{
    const struct plan *p = setup->plan;
    struct shared *s = calloc(1, sizeof *s);
    if (!s)
        return err_system(e, ENOMEM, "memory for the target");
    s->profile = p->settings->profile;
    s->directory = p->url ? p->url : ".";
    const struct acts_setup how = {
        .profile = s->profile,
        .directory = s->directory,
        .seed = p->seed,
        .verify = p->verify,
        .limit_ns = limit_on(s->profile, LIMIT_ON_SYNC),
    };
    int rc = acts_open(&s->acts, &how, e);
    if (rc != 0) {
        free(s);
        return rc;
    }
    rc = begin_works(s, e);
    if (rc != 0)
        close_target(s);
    else
        *shared = s;
    return rc;
}

static int profile_join(void **thread, void *shared, unsigned channels, struct err *e)
{
    struct shared *s = shared;
    struct thread *t = calloc(1, sizeof *t);
    (void)channels;
    if (!t)
        return err_system(e, ENOMEM, "memory for a thread");
    t->shared = s;
    int rc = actor_open(&t->actor, &s->acts, PROFILE_WORKS + atomic_fetch_add(&s->threads, 1), e);
    if (rc == 0)
        *thread = t;
    else
        free(t);
    return rc;
}

static void profile_leave(void *thread)
{
    struct thread *t = thread;
    actor_close(&t->actor);
    free(t);
}

/*
 * After a failure of the storage all requests fail, because the program could not go on. Damage is
 * only counted.
 */
static enum target_answer profile_submit(void *thread, struct request *r)
{
    struct thread *t = thread;
    struct shared *s = t->shared;
    int code = actor_do(&t->actor, s->profile->steps);
    r->bytes = t->actor.bytes;
    r->aside_ns = t->actor.aside_ns;
    r->judged_ns = t->actor.sync_ns;
    if (code == 0)
        return TARGET_ENDED;
    r->failure = failure_of((enum target_step)t->actor.step, code);
    if (t->actor.step != STEP_DAMAGED) {
        uint32_t none = 0;
        atomic_compare_exchange_strong(&s->failure, &none, r->failure);
        stop_request();
    }
    return TARGET_ENDED;
}

static void profile_verified(void *shared, uint64_t *checked_bytes, uint64_t *damaged)
{
    acts_verified(&((struct shared *)shared)->acts, checked_bytes, damaged);
}

static void profile_forget(void *shared)
{
    struct shared *s = shared;
    gauge_restart(&s->acts.syncs);
    for (unsigned i = 0; i < PROFILE_WORKS; i++)
        if (s->works[i].work)
            gauge_restart(&s->works[i].gauge);
}

const struct gauge *profile_target_gauge(const void *shared, uint32_t on)
{
    const struct shared *s = shared;
    return on == LIMIT_ON_SYNC ? &s->acts.syncs : &s->works[on].gauge;
}

int profile_target_failure(const void *shared, struct err *e)
{
    const struct shared *s = shared;
    char text[FAILURE_TEXT];
    uint32_t failure = atomic_load(&s->failure);
    for (unsigned i = 0; failure == 0 && i < PROFILE_WORKS; i++)
        failure = atomic_load(&s->works[i].failure);
    if (failure == 0)
        return 0;
    failure_describe(NULL, failure, text, sizeof text);
    err_say(e, "%s: %s: %s", s->profile->name, s->directory, text);
    return -(int)(failure & 0xffff);
}

int profile_target_finish(void *shared, struct err *e)
{
    struct shared *s = shared;
    if (s->is_finished)
        return 0;
    s->is_finished = true;
    for (unsigned i = 0; i < PROFILE_WORKS; i++)
        beside_end(&s->works[i]);
    return acts_close(&s->acts, e);
}

const struct target_ops target_profile = {
    .name = "profile",
    .summary = "does to the storage what a program does",
    .traits = TARGET_BLOCKS | TARGET_LOCAL,
    .available = profile_available,
    .check = profile_check,
    .open = profile_open,
    .join = profile_join,
    .submit = profile_submit,
    .leave = profile_leave,
    .describe = failure_describe,
    .verified = profile_verified,
    .forget = profile_forget,
    .close = close_target,
};
