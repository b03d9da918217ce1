// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/targets/profile/profile_target.h"

#include <errno.h>
#include <stdlib.h>

#include "bonload/targets/profile/log.h"
#include "measure/clock.h"
#include "sys/stop.h"
#include "util/units.h"

/* The files of a profile, and the actions of its steps. */
struct acts {
    const struct profile *profile;
    struct storage storage;
    struct gauge syncs; /* durations of the syncs that requests wait for */
    /* each log has its index in profile.files; other entries are empty */
    struct log logs[PROFILE_FILES];
    struct pages pages[PROFILE_FILES];
    struct mailbox mailboxes[PROFILE_FILES];
    bool has_scratch;
    _Atomic uint32_t failure; /* the first failure that ends the run; 0: none */
};

/* What a thread needs to run steps. */
struct actor {
    struct acts *acts;
    struct rng random;
    bool makes_requests;   /* requests wait for its syncs */
    unsigned char *buffer; /* room for what any step reads or writes */
    uint64_t sync_ns;      /* longest sync in the last call of actor_do(); 0: none */
    uint64_t aside_ns;     /* part of its time that does not count: checking pages */
    uint64_t bytes;        /* number of bytes that it moved */
    unsigned step;         /* an enum target_step: the call that failed in it */
};

/* Number of stamps' file numbers for each of a profile's files: a log needs one per segment. */
#define NUMBERS_PER_FILE LOG_SEGMENTS

/* Checks that the filesystem has room for the files, plus a sixteenth and 1 MiB for itself. */
static int check_room(const struct acts *a, struct err *e)
{
    struct scratch_space space = {0};
    char needed[UNITS_TEXT];
    char there[UNITS_TEXT];
    int rc = scratch_space(&a->storage.scratch, &space, e);
    uint64_t bytes = profile_bytes(a->profile);
    bytes += bytes / 16 + MIB;
    if (rc != 0 || bytes <= space.bytes)
        return rc;
    units_format_readable(needed, bytes);
    units_format_readable(there, space.bytes);
    return err_say(e, "%s: the profile %s needs %s, and %s are free", a->storage.scratch.path,
                   a->profile->name, needed, there);
}

static bool file_is_committed(const struct profile *p, unsigned file, uint64_t *record_bytes)
{
    for (unsigned i = 0; i < PROFILE_STEPS; i++) {
        const struct profile_step *s = &p->steps[i];
        if (s->file != file || (s->act != ACT_COMMIT && s->act != ACT_APPEND))
            continue;
        *record_bytes = s->bytes;
        return s->act == ACT_COMMIT;
    }
    return false;
}

static int open_profile_file(struct acts *a, unsigned i, struct err *e)
{
    const struct profile_file *f = &a->profile->files[i];
    struct log *l = &a->logs[i];
    unsigned number = i * NUMBERS_PER_FILE;
    switch (f->kind) {
    case PROFILE_NO_FILE:
        return 0;
    case PROFILE_LOG:
        l->syncs = file_is_committed(a->profile, i, &l->record_bytes);
        return log_open(l, &a->storage, f, number, &a->syncs, e);
    case PROFILE_PAGES:
        return pages_open(&a->pages[i], &a->storage, f, number, e);
    case PROFILE_MAILBOX:
        return mailbox_open(&a->mailboxes[i], &a->storage, f, &a->syncs, e);
    }
    return 0;
}

/*
 * Makes the files of the plan's profile in a private directory if there is room for them. `a` is
 * all zeros. Returns 0, or a negative errno with a line in e; the caller calls acts_close() in
 * either case.
 */
static int acts_open(struct acts *a, const struct target_setup *setup, struct err *e)
{
    const struct plan *plan = setup->plan;
    a->profile = plan->settings->profile;
    a->storage.verify = plan->verify;
    a->storage.verified = setup->verified;
    pattern_init(&a->storage.pattern, DATA_RANDOM, 100, PATTERN_UNIT_MAX, plan->seed, 0);
    int rc = scratch_open(&a->storage.scratch, plan->url ? plan->url : ".", PATH_FAILS, e);
    a->has_scratch = rc == 0;
    if (rc == 0)
        rc = check_room(a, e);
    if (rc == 0)
        rc = scratch_make(&a->storage.scratch, e);
    for (unsigned i = 0; rc == 0 && i < PROFILE_FILES; i++)
        rc = open_profile_file(a, i, e);
    return rc;
}

/* Removes all files, unless that is done. Returns 0, or a negative errno with a line in e. */
static int acts_close(struct acts *a, struct err *e)
{
    int rc = 0;
    for (unsigned i = 0; i < PROFILE_FILES; i++) {
        log_close(&a->logs[i]);
        pages_close(&a->pages[i]);
        int removed = mailbox_close(&a->mailboxes[i], e);
        rc = rc ? rc : removed;
    }
    if (a->has_scratch) {
        int closed = scratch_close(&a->storage.scratch, e);
        rc = rc ? rc : closed;
    }
    a->has_scratch = false;
    return rc;
}

/* Size of a buffer that is large enough for any step, in bytes. */
static uint64_t buffer_bytes(const struct profile *p)
{
    uint64_t most = STORAGE_ALIGNMENT;
    for (unsigned work = 0; work <= PROFILE_WORKS; work++) {
        const struct profile_step *steps = work < PROFILE_WORKS ? p->works[work].steps : p->steps;
        for (const struct profile_step *s = steps; s < steps + PROFILE_STEPS; s++) {
            const struct profile_file *f = &p->files[s->file];
            uint64_t bytes = f->kind == PROFILE_MAILBOX ? f->bytes
                             : s->act == ACT_WRITE_RUN  ? f->unit * s->count
                                                        : f->unit;
            most = bytes > most ? bytes : most;
        }
    }
    return round_up(most, STORAGE_ALIGNMENT);
}

/* `stream` selects the actor's random numbers. Returns 0, or -ENOMEM with a line in e. */
static int actor_open(struct actor *t, struct acts *a, uint64_t stream, struct err *e)
{
    *t = (struct actor){.acts = a};
    rng_init(&t->random, a->storage.pattern.seed, stream);
    t->buffer = aligned_alloc(STORAGE_ALIGNMENT, buffer_bytes(a->profile));
    return t->buffer ? 0 : err_system(e, ENOMEM, "memory for the requests of a thread");
}

static void actor_close(struct actor *t)
{
    free(t->buffer);
    t->buffer = NULL;
}

/* Reads pages, and checks them in time that does not count as the program's. */
static int read_pages(struct actor *t, struct pages *p, unsigned count)
{
    uint64_t page;
    uint32_t ended;
    t->step = STEP_READ;
    for (unsigned i = 0; i < count; i++) {
        int code = pages_read(p, &t->random, t->buffer, &page, &ended);
        if (code != 0)
            return code;
        uint64_t before_ns = clock_ns();
        bool is_right = pages_are_right(p, t->buffer, page, ended);
        t->aside_ns += clock_ns() - before_ns;
        if (!is_right) {
            t->step = STEP_DAMAGED;
            return EIO;
        }
        t->bytes += p->file->unit;
    }
    return 0;
}

static int sync_profile_file(struct actor *t, unsigned file, bool all)
{
    struct acts *a = t->acts;
    bool is_log = a->profile->files[file].kind == PROFILE_LOG;
    int fd = is_log ? log_fd(&a->logs[file]) : a->pages[file].fd;
    t->step = STEP_SYNC;
    return t->makes_requests ? storage_sync_timed(fd, all, &a->syncs, &t->sync_ns)
                             : storage_sync(fd, all);
}

static int do_step(struct actor *t, const struct profile_step *s)
{
    struct acts *a = t->acts;
    struct log *l = &a->logs[s->file];
    struct pages *p = &a->pages[s->file];
    struct mailbox *m = &a->mailboxes[s->file];
    t->step = STEP_WRITE;
    switch (s->act) {
    case ACT_NONE:
        return 0;
    case ACT_READ:
        return read_pages(t, p, s->count);
    case ACT_WRITE:
    case ACT_WRITE_OUT:
        return pages_write(p, &t->random, t->buffer, s->count, s->act == ACT_WRITE_OUT);
    case ACT_WRITE_RUN:
        return pages_write_run(p, &t->random, t->buffer, s->count);
    case ACT_APPEND:
    case ACT_COMMIT:
        t->step = l->syncs ? STEP_SYNC : STEP_WRITE;
        t->bytes += l->record_bytes;
        return log_append(l, &t->sync_ns);
    case ACT_SYNC:
    case ACT_SYNC_ALL:
        return sync_profile_file(t, s->file, s->act == ACT_SYNC_ALL);
    case ACT_DELIVER:
        t->bytes += m->file->bytes;
        return mailbox_deliver(m, t->buffer, &t->sync_ns, &t->step);
    case ACT_EXPIRE:
        t->step = STEP_UNLINK;
        return mailbox_expire(m);
    }
    return 0;
}

/* Does the steps up to the first ACT_NONE. Returns 0, or the failure as of failure_of(). */
static uint32_t actor_do(struct actor *t, const struct profile_step *steps)
{
    int code = 0;
    t->sync_ns = t->aside_ns = t->bytes = 0;
    for (unsigned i = 0; code == 0 && i < PROFILE_STEPS && steps[i].act != ACT_NONE; i++)
        code = do_step(t, &steps[i]);
    return code ? failure_of((enum target_step)t->step, code) : 0;
}

/* Ends the run because of that failure. */
static void acts_fail(struct acts *a, uint32_t failure)
{
    uint32_t none = 0;
    atomic_compare_exchange_strong(&a->failure, &none, failure);
    stop_request();
}

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
