#include "boncut/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "io/file.h"
#include "measure/clock.h"
#include "measure/device.h"
#include "measure/mount_info.h"
#include "sys/stop.h"
#include "util/message.h"
#include "util/portable.h"
#include "util/units.h"

/* The alignment that O_DIRECT needs on any device. */
#define ALIGNMENT 4096

/*
 * Interval between two writes of `cached`. It is short because after a syncfs, a cut can lose
 * nothing of `cached` until the next write.
 */
#define CACHED_PAUSE_NS MILLION

/* ---- preparing ------------------------------------------------------------------------------- */

/* Whether the error means that the system does not support a call, and not that the call failed. */
static bool is_unsupported(int code)
{
    return code == EOPNOTSUPP || code == ENOSYS || code == EINVAL || code == ENODEV ||
           code == EPERM;
}

static int say_failed_call(const struct write_run *run, const struct work *work, int code,
                           struct err *e)
{
    return err_system(e, code, "%s in %s, for the method %s", work->call, run->path,
                      methods[work->method].name);
}

/* Leaves out a method that does not work here. The first worker to notice says so. */
static void leave_out(struct write_run *run, const struct work *work, int code)
{
    unsigned bit = 1U << work->method;
    if (atomic_fetch_or(&run->left_out, bit) & bit)
        return;
    if (!methods[work->method].begin)
        message("%s is left out: it is not part of this build", methods[work->method].name);
    else
        message("%s is left out: it does not work here (%s: %s)", methods[work->method].name,
                work->call, portable_reason(code));
}

static void tell_promise(struct worker *w, unsigned method, uint32_t unit, bool is_failure)
{
    struct write_run *run = w->run;
    const struct log_line line = {
        .method = method,
        .is_failure = is_failure,
        .unit = w->number * header_units_of_worker(&run->header, method) + unit,
        .version = w->versions[method][unit],
        .time_us = (clock_ns() - run->log.start_ns) / 1000,
    };
    promise_log_put(&run->log, w->number, &line);
}

/*
 * Number of units, from this one on, that a step of the method changes. At a rate it is one, since
 * each unit is a promise.
 */
static uint32_t batch_at(const struct write_run *run, unsigned method, uint32_t unit)
{
    uint32_t left = run->header.units - unit;
    uint32_t batch = methods[method].batch;
    return batch < 2 || run->gap_ns > 0 ? 1 : batch < left ? batch : left;
}

/* Changes one or several units to their next versions. */
static int step_method(struct worker *w, unsigned method, uint32_t unit)
{
    struct work *work = &w->work[method];
    uint64_t *versions = w->versions[method] + unit;
    work->batch = batch_at(w->run, method, unit);
    for (uint32_t i = 0; i < work->batch; i++)
        versions[i]++;
    return methods[method].step(work, unit, versions);
}

/* Promises what the last step of the method has changed, or says that it has failed. */
static void tell_step(struct worker *w, unsigned method, uint32_t unit, bool is_failure)
{
    for (uint32_t i = 0; i < w->work[method].batch; i++)
        tell_promise(w, method, unit + i, is_failure);
}

static int control_step_of(struct worker *w, unsigned method)
{
    w->versions[method][0]++;
    int rc = methods[method].step(&w->work[method], 0, w->versions[method]);
    if (rc == 0)
        promise_log_count(&w->run->log, method);
    return rc;
}

/*
 * Makes the files of a method, and makes a first step with it. At a rate that one is not promised,
 * because all methods of all workers make it at once.
 */
static int prepare_method(struct worker *w, unsigned method, struct err *e)
{
    struct work *work = &w->work[method];
    *work = (struct work){.header = &w->run->header,
                          .pattern = &w->run->pattern,
                          .directory_fd = w->run->directory_fd,
                          .method = method,
                          .worker = w->number,
                          .fd = -1,
                          .other_fd = -1,
                          .buffer = w->buffer,
                          .first_sync = w->run->first_sync};
    size_t units = header_units_of_worker(&w->run->header, method);
    w->versions[method] = calloc(units, sizeof *w->versions[method]);
    if (!w->versions[method])
        return err_system(e, ENOMEM, "memory for the versions of %zu units", units);
    int rc = methods[method].begin ? methods[method].begin(work) : -ENOSYS;
    if (rc == 0)
        rc = methods[method].is_control ? control_step_of(w, method) : step_method(w, method, 0);
    if (rc == 0 && !methods[method].is_control && w->run->gap_ns == 0)
        tell_step(w, method, 0, false);
    if (rc == 0 || !is_unsupported(-rc))
        return rc == 0 ? 0 : say_failed_call(w->run, work, -rc, e);
    leave_out(w->run, work, -rc);
    return 0;
}

static int prepare_worker(void *context, struct err *e)
{
    struct worker *w = context;
    if (w->kind == WORKER_LOG)
        return 0;
    size_t bytes = METHOD_BUFFER * w->run->header.block_bytes;
    w->buffer = aligned_alloc(ALIGNMENT, round_up(bytes, ALIGNMENT));
    if (!w->buffer)
        return err_system(e, ENOMEM, "memory for a buffer");
    int rc = 0;
    for (unsigned method = 0; rc == 0 && method < method_count; method++) {
        if (!(w->methods & 1U << method))
            continue;
        rc = stop_check(e);
        if (rc == 0)
            rc = prepare_method(w, method, e);
    }
    return rc;
}

/* ---- the control group `drive` --------------------------------------------------------------- */

/* A hash of the places of all blocks on the device; 0: not known. */
static uint64_t places_of_blocks(const struct work *w)
{
    uint64_t hash = 0;
    uint64_t place;
    uint64_t bytes = w->header->block_bytes;
    for (uint64_t block = 0; block < CONTROL_BLOCKS; block++) {
        if (file_place(w->fd, block * bytes, bytes, &place) == 0)
            return 0;
        hash = rng_mix(hash ^ place);
    }
    return hash;
}

/* Overwrites all blocks once. Returns whether each write has reached the device. */
static bool overwrites_reach_device(struct worker *w, const struct device_set *devices)
{
    struct device_counters before, after;
    bool reach = true;
    for (unsigned i = 0; i < CONTROL_GROUPS && reach; i++) {
        device_read(devices, &before);
        int rc = control_step_of(w, method_drive);
        device_read(devices, &after);
        reach = rc == 0 && before.known && after.known &&
                after.written_bytes >=
                    before.written_bytes + (uint64_t)CONTROL_BATCH * w->run->header.block_bytes;
    }
    return reach;
}

void worker_probe_drive(struct worker *w)
{
    struct mount_info mount;
    struct device_set devices;
    struct header *h = &w->run->header;
    const struct work *work = &w->work[method_drive];
    if (!(h->methods & 1U << method_drive))
        return;
    mount_info_find(&mount, w->run->directory_fd);
    device_find(&devices, &mount);
    uint64_t places = places_of_blocks(work);
    /* Twice: the second write waits until the filesystem has noted where the first one went. */
    h->drive_is_in_place = places != 0 && overwrites_reach_device(w, &devices) &&
                           overwrites_reach_device(w, &devices) && places_of_blocks(work) == places;
}

/* ---- working --------------------------------------------------------------------------------- */

static void sleep_ns(uint64_t nanoseconds)
{
    const struct timespec pause = clock_timespec(nanoseconds);
    nanosleep(&pause, NULL);
}

static bool is_over(const struct write_run *run)
{
    return stop_requested() || clock_ns() >= run->end_ns;
}

/*
 * Sleeps until the next promise is due, but never past the end of the run. Returns false when the
 * run is over.
 */
static bool await_turn(const struct write_run *run, uint64_t *next_ns)
{
    uint64_t now_ns;
    while ((now_ns = clock_ns()) < *next_ns && !is_over(run))
        sleep_ns(*next_ns - now_ns < 50 * MILLION ? *next_ns - now_ns : 50 * MILLION);
    *next_ns += run->gap_ns;
    if (*next_ns < now_ns) /* a worker that is late does not catch up */
        *next_ns = now_ns;
    return !is_over(run);
}

/*
 * Turns a step's result into that of the run. Ignores a call that a signal interrupted to end the
 * run.
 */
static int outcome_of_step(const struct worker *w, unsigned method, int rc, struct err *e)
{
    if (rc == 0 || (rc == -EINTR && stop_requested()))
        return 0;
    return say_failed_call(w->run, &w->work[method], -rc, e);
}

/* Draws a unit at random. If the method has a tail, every fourth draw is the tail on average. */
static uint32_t draw_unit(struct worker *w, unsigned method)
{
    uint32_t units = w->run->header.units;
    if (methods[method].tails > 0 && rng_below(&w->rng, 4) == 0)
        return units;
    return (uint32_t)rng_below(&w->rng, units);
}

/* Whether the method may make a step now. */
static bool is_due(struct worker *w, unsigned method)
{
    uint64_t interval_ns = methods[method].interval_ns;
    if (!(w->methods & w->run->header.methods & 1U << method))
        return false;
    if (interval_ns == 0)
        return true;
    uint64_t now_ns = clock_ns();
    if (now_ns < w->due_ns[method])
        return false;
    w->due_ns[method] = now_ns + interval_ns;
    return true;
}

/*
 * Makes a step of each method, at a random unit. Workers begin with different methods, and so do
 * runs, because at a low rate the power may go before the first round is over.
 */
static int make_round(struct worker *w, uint64_t *next_ns, struct err *e)
{
    struct write_run *run = w->run;
    unsigned first = w->number * method_count / run->header.workers +
                     (unsigned)(run->header.seed % method_count);
    bool is_idle = true;
    for (unsigned i = 0; i < method_count; i++) {
        unsigned method = (first + i) % method_count;
        if (!is_due(w, method))
            continue;
        is_idle = false;
        if (run->gap_ns > 0 ? !await_turn(run, next_ns) : is_over(run))
            return 0;
        uint32_t unit = draw_unit(w, method);
        int rc = step_method(w, method, unit);
        tell_step(w, method, unit, rc != 0);
        rc = outcome_of_step(w, method, rc, e);
        if (rc != 0)
            return rc;
    }
    if (is_idle)
        sleep_ns(MILLION);
    return 0;
}

static int make_promises(struct worker *w, struct err *e)
{
    /* the workers take turns */
    uint64_t next_ns = clock_ns() + w->number * w->run->gap_ns / w->run->header.workers;
    int rc = 0;
    while (rc == 0 && !is_over(w->run) && !atomic_load(&w->run->log.has_failed))
        rc = make_round(w, &next_ns, e);
    return rc;
}

/*
 * Overwrites as fast as possible. `cached` waits between writes, because it needs no more of them.
 */
static int overwrite_blocks(struct worker *w, unsigned method, struct err *e)
{
    int rc = 0;
    while (rc == 0 && !is_over(w->run)) {
        rc = outcome_of_step(w, method, control_step_of(w, method), e);
        if (method == method_cached)
            sleep_ns(CACHED_PAUSE_NS);
    }
    return rc;
}

static int run_worker(void *context, struct err *e)
{
    struct worker *w = context;
    struct write_run *run = w->run;
    int rc = 0;
    if (w->kind == WORKER_LOG)
        return promise_log_work(&run->log, &run->active, e);
    if (w->kind == WORKER_PROMISES)
        rc = make_promises(w, e);
    for (unsigned method = 0; w->kind == WORKER_CONTROL && method < method_count; method++)
        if (w->methods & run->header.methods & 1U << method)
            rc = overwrite_blocks(w, method, e);
    atomic_fetch_sub(&run->active, 1);
    return rc;
}

const struct task worker_task = {.prepare = prepare_worker, .work = run_worker};

void worker_close(struct worker *w)
{
    for (unsigned method = 0; method < method_count; method++) {
        if (w->versions[method] && methods[method].end)
            methods[method].end(&w->work[method]);
        free(w->versions[method]);
    }
    free(w->buffer);
}
