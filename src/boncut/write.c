// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/options.h"

#include <signal.h>
#include <sys/random.h>

#include "boncut/log.h"
#include "io/file.h"
#include "measure/clock.h"
#include "storage/direct.h"
#include "sys/limits.h"
#include "sys/stop.h"
#include "sys/thread_pool.h"
#include "util/descriptor.h"
#include "util/portable.h"
#include "util/rng.h"

/* The way of promises to the log. Each worker puts its promises into a ring of its own, without a
 * lock, an allocation or a system call. One thread empties all rings, formats the promises as
 * lines, and writes each batch of lines with one write(2), about every 0.4 ms. While nobody reads
 * the log, the rings fill up, and the workers wait: no promise is lost. */
#define PROMISE_RING 16384

/* Size of a batch: room for the lines of all canaries and some hundreds of others. */
#define BATCH_BYTES 65536

struct promise_ring {
    _Alignas(64) _Atomic uint64_t put; /* number of promises that the worker has put in */
    _Alignas(64) _Atomic uint64_t taken;
    struct log_line lines[PROMISE_RING];
};

/* Threads for the canaries and the log. */
#define OTHER_THREADS 4

struct worker {
    struct write_run *run;
    unsigned number;  /* index among the workers that make promises */
    unsigned methods; /* a bit for each method of this worker, or one canary; 0: it has the log */
    struct work work[METHODS];
    uint64_t *versions[METHODS]; /* for each unit, the last version begun */
    uint64_t due_ns[METHODS];    /* earliest time of each method's next step */
    void *buffer;
    struct rng rng;
};

struct write_run {
    struct header header;
    struct pattern pattern;
    struct scratch scratch;    /* the private directory */
    char path[PATH_MAX];       /* its path, for messages */
    int (*first_sync)(int fd); /* syncs each of the run's first files; NULL: one syncfs does it */
    _Atomic unsigned left_out; /* methods that do not work here, a bit for each method */
    _Atomic unsigned active;   /* number of threads that make promises or write canaries */
    uint64_t start_ns;         /* the times of log lines count from this moment of clock_ns() */
    uint64_t end_ns;           /* the end of the run by clock_ns(); UINT64_MAX: none */
    uint64_t gap_ns;           /* time between two promises of a worker, from --rate; 0: no limit */
    struct thread_pool pool;
    struct worker workers[MAX_HEADER_WORKERS + OTHER_THREADS];
    unsigned worker_count;
    /* the log */
    struct promise_ring *rings; /* one for each worker that makes promises */
    /* for each canary, the number of writes that have returned, and that the log reports */
    _Atomic uint64_t writes[METHODS];
    uint64_t told[METHODS];
    bool is_synced;           /* a syncfs was promised after the last line of `cached` */
    uint64_t cached_from;     /* number of writes of `cached` that a syncfs may have made durable */
    _Atomic bool log_is_lost; /* writing it has failed */
    char text[BATCH_BYTES];   /* the batch that is being filled */
};

/* Interval at which the log's thread looks at the rings, and a worker at its full ring. */
#define PAUSE_NS 400000

static int write_out(struct write_run *run, const char *text, size_t length, struct err *e)
{
    for (size_t done = 0; done < length;) {
        ssize_t written = write(STDOUT_FILENO, text + done, length - done);
        if (written < 0 && errno != EINTR) {
            atomic_store(&run->log_is_lost, true);
            return err_system(e, errno, "write the log to standard output");
        }
        done += written > 0 ? (size_t)written : 0;
    }
    return 0;
}

/* Writes promises until no thread makes more, and then all that are left. The numbers of writes of
 * the canaries come after the promises: what a syncfs among these has made durable is older. */
static int work_on_log(struct write_run *run, struct err *e)
{
    for (;;) {
        bool is_last = atomic_load(&run->active) == 0;
        size_t length = 0;
        for (unsigned i = 0; i < run->header.workers; i++) {
            struct promise_ring *ring = &run->rings[i];
            uint64_t put = atomic_load_explicit(&ring->put, memory_order_acquire);
            uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
            for (; taken < put && length + MAX_LOG_LINE <= BATCH_BYTES; taken++) {
                const struct log_line *line = &ring->lines[taken % PROMISE_RING];
                run->is_synced |= line->method == METHOD_SYNCFS;
                length += log_line_format(run->text + length, line, run->header.run);
            }
            atomic_store_explicit(&ring->taken, taken, memory_order_release);
        }
        for (unsigned method = 0; method < METHODS; method++) {
            uint64_t writes = atomic_load_explicit(&run->writes[method], memory_order_acquire);
            if (writes == run->told[method] || length + MAX_LOG_LINE > BATCH_BYTES)
                continue;
            if (method == METHOD_CACHED && run->is_synced) {
                run->cached_from = writes;
                run->is_synced = false;
            }
            const struct log_line line = {
                .method = method,
                .unit = method == METHOD_CACHED ? (uint32_t)run->cached_from : 0,
                .version = writes,
                .time_us = (clock_ns() - run->start_ns) / 1000};
            run->told[method] = writes;
            length += log_line_format(run->text + length, &line, run->header.run);
        }
        int rc = write_out(run, run->text, length, e);
        if (rc != 0)
            return rc;
        if (is_last && length == 0)
            return 0;
        if (!is_last && length < BATCH_BYTES / 2)
            clock_sleep(PAUSE_NS);
    }
}

/* ---- preparing ------------------------------------------------------------------------------- */

/* Records the failed call of a step. One that a signal interrupted has not failed: returns 0. */
static int say_failed_call(const struct worker *w, unsigned method, struct err *e)
{
    const struct work *work = &w->work[method];
    if (work->error == EINTR && stop_requested())
        return 0;
    return err_system(e, work->error, "%s in %s, for the method %s", work->call, w->run->path,
                      methods[method].name);
}

/* Gives units, from this one on, their next versions. With --rate, changes only one unit. A write
 * of a canary, which has only unit 0, is counted; other steps are logged by log_step(). */
static bool step_method(struct worker *w, unsigned method, uint32_t unit)
{
    uint64_t *versions = w->versions[method] + unit;
    const struct method *m = &methods[method];
    uint32_t left = method_units_of_worker(&w->run->header, method) - m->tails - unit;
    uint32_t batch = m->batch < 2 || w->run->gap_ns > 0 ? 1 : MIN(m->batch, left);
    w->work[method].batch = batch;
    for (uint32_t i = 0; i < batch; i++)
        versions[i]++;
    bool is_done = m->step(&w->work[method], unit, versions);
    if (is_done && m->is_canary)
        atomic_fetch_add_explicit(&w->run->writes[method], 1, memory_order_release);
    return is_done;
}

/* Logs what the last step has changed, or that it failed, when the worker's ring has room. */
static void log_step(struct worker *w, unsigned method, uint32_t unit, bool is_failure)
{
    struct write_run *run = w->run;
    struct promise_ring *ring = &run->rings[w->number];
    uint64_t put = atomic_load_explicit(&ring->put, memory_order_relaxed);
    uint32_t first = w->number * method_units_of_worker(&run->header, method);
    for (uint32_t i = unit; i < unit + w->work[method].batch; i++) {
        while (put - atomic_load_explicit(&ring->taken, memory_order_acquire) == PROMISE_RING) {
            if (atomic_load(&run->log_is_lost))
                return;
            clock_sleep(PAUSE_NS);
        }
        ring->lines[put % PROMISE_RING] =
            (struct log_line){.method = method,
                              .is_failure = is_failure,
                              .unit = first + i,
                              .version = w->versions[method][i],
                              .time_us = (clock_ns() - run->start_ns) / 1000};
        atomic_store_explicit(&ring->put, ++put, memory_order_release);
    }
}

/* Makes the files of the worker's methods, and takes a first step with each; at a rate that step is
 * not promised, as all take it at once. A method that does not work here is left out. */
static int prepare_worker(void *context, struct err *e)
{
    struct worker *w = context;
    struct write_run *run = w->run;
    if (w->methods == 0)
        return 0;
    w->buffer = method_buffer(&run->header);
    if (!w->buffer)
        return err_system(e, ENOMEM, "allocate memory for a buffer");
    for (unsigned method = 0; method < METHODS; method++) {
        const struct method *m = &methods[method];
        struct work *work = &w->work[method];
        size_t units = method_units_of_worker(&run->header, method);
        if (!(w->methods & 1U << method))
            continue;
        int rc = stop_check(e);
        if (rc != 0)
            return rc;
        *work = (struct work){.header = &run->header,
                              .pattern = &run->pattern,
                              .directory_fd = run->scratch.fd,
                              .method = method,
                              .worker = w->number,
                              .fd = -1,
                              .other_fd = -1,
                              .buffer = w->buffer,
                              .first_sync = run->first_sync};
        w->versions[method] = calloc(units, sizeof *w->versions[method]);
        if (!w->versions[method])
            return err_system(e, ENOMEM, "allocate memory for the versions of %zu units", units);
        work->error = ENOSYS;
        if (m->begin && m->begin(work) && step_method(w, method, 0)) {
            if (!m->is_canary && run->gap_ns == 0)
                log_step(w, method, 0, false);
            continue;
        }
        /* with these, the system does not support the call; with all others, the call failed */
        if (work->error != EOPNOTSUPP && work->error != ENOSYS && work->error != EINVAL &&
            work->error != ENODEV && work->error != EPERM)
            return say_failed_call(w, method, e);
        if (atomic_fetch_or(&run->left_out, 1U << method) & 1U << method)
            continue; /* the first worker to notice says so */
        if (!m->begin)
            message("%s is left out: it is not part of this build", m->name);
        else
            message("%s is left out: it does not work here (%s: %s)", m->name, work->call,
                    portable_reason(work->error));
    }
    return 0;
}

/* A hash of the places of all blocks on the device; 0: not known. */
static uint64_t places_of_blocks(const struct work *w)
{
    uint64_t hash = 0;
    uint64_t place;
    uint64_t bytes = w->header->block_bytes;
    for (uint64_t block = 0; block < CANARY_BLOCKS; block++) {
        if (file_place(w->fd, block * bytes, bytes, &place) == 0)
            return 0;
        hash = rng_mix(hash ^ place);
    }
    return hash;
}

/* Finds out whether the overwrites of the canary `drive`, whose worker this is, reach the device,
 * each in its place. Its files are durable, and no other worker writes yet. */
static bool drive_is_in_place(struct worker *w)
{
    struct sources sources;
    struct direct direct;
    const struct work *work = &w->work[METHOD_DRIVE];
    sources_find(&sources, w->run->scratch.fd);
    direct_see_in(&direct, w->run->scratch.fd, &sources);
    uint64_t places = places_of_blocks(work);
    bool is_written = direct.reaches_devices && places != 0;
    /* all twice: the second write waits until the filesystem has noted where the first one went */
    for (unsigned i = 0; is_written && i < 2 * CANARY_GROUPS; i++)
        is_written = step_method(w, METHOD_DRIVE, 0);
    return is_written && places_of_blocks(work) == places;
}

/* ---- working --------------------------------------------------------------------------------- */

static bool is_over(const struct write_run *run)
{
    return stop_requested() || clock_ns() >= run->end_ns;
}

/* Makes a step of each method, at a random unit. Workers begin with different methods, and so do
 * runs, because at a low rate the power may go before each method has had its first step. */
static int make_round(struct worker *w, uint64_t *next_ns, struct err *e)
{
    struct write_run *run = w->run;
    unsigned first =
        w->number * METHODS / run->header.workers + (unsigned)(run->header.seed % METHODS);
    bool is_idle = true;
    for (unsigned i = 0; i < METHODS; i++) {
        unsigned method = (first + i) % METHODS;
        uint64_t interval_ns = methods[method].interval_ns;
        uint64_t now_ns = interval_ns > 0 ? clock_ns() : 0;
        if (!(w->methods & run->header.methods & 1U << method) || now_ns < w->due_ns[method])
            continue;
        w->due_ns[method] = now_ns + interval_ns;
        is_idle = false;
        if (run->gap_ns > 0) {
            while ((now_ns = clock_ns()) < *next_ns && !is_over(run))
                clock_sleep(MIN(*next_ns - now_ns, 50 * MILLION));
            /* a worker that is late does not catch up */
            *next_ns = MAX(*next_ns + run->gap_ns, now_ns);
        }
        if (is_over(run))
            return 0;
        /* if the method has a tail, every fourth draw is the tail on average */
        uint32_t tails = methods[method].tails;
        uint32_t unit = method_units_of_worker(&run->header, method) - tails;
        if (tails == 0 || rng_below(&w->rng, 4) > 0)
            unit = (uint32_t)rng_below(&w->rng, unit);
        bool is_done = step_method(w, method, unit);
        log_step(w, method, unit, !is_done);
        if (!is_done)
            return say_failed_call(w, method, e);
    }
    if (is_idle)
        clock_sleep(MILLION);
    return 0;
}

static int run_worker(void *context, struct err *e)
{
    struct worker *w = context;
    struct write_run *run = w->run;
    int rc = 0;
    if (w->methods == 0)
        return work_on_log(run, e);
    bool is_canary = w->methods & CANARY_METHODS;
    /* those that make promises take turns */
    uint64_t next_ns = clock_ns() + w->number * run->gap_ns / run->header.workers;
    while (!is_canary && rc == 0 && !is_over(run) && !atomic_load(&run->log_is_lost))
        rc = make_round(w, &next_ns, e);
    while (is_canary && rc == 0 && (w->methods & run->header.methods) && !is_over(run)) {
        unsigned method = (unsigned)__builtin_ctz(w->methods);
        rc = step_method(w, method, 0) ? 0 : say_failed_call(w, method, e);
        /* a short pause: after a syncfs, a cut can lose nothing of `cached` until the next write;
         * `drive` overwrites as fast as possible */
        if (method != METHOD_DRIVE)
            clock_sleep(MILLION);
    }
    atomic_fetch_sub(&run->active, 1);
    return rc;
}

static const struct task worker_task = {.prepare = prepare_worker, .work = run_worker};

/* ---- the run --------------------------------------------------------------------------------- */

/* Draws the run's number, makes its directory, and finds out what the header says of both. The
 * sizes of whole writes are those that the filesystem promises; of these only that of --block, if
 * it was given. The canary `plain` is there only beside `atomic`. */
static int make_directory(struct write_run *run, const struct settings *s, struct err *e)
{
    struct header *h = &run->header;
    struct scratch *scratch = &run->scratch;
    uint32_t block = (uint32_t)s->block_bytes.value;
    uint64_t drawn[2];
    if (getrandom(drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn)
        return err_system(e, errno, "draw a random number for the run");
    *h = (struct header){
        .run = drawn[0],
        .seed = s->seed.given ? s->seed.value : drawn[1] & SEED_MAX,
        .block_bytes = block,
        .units = (uint32_t)s->units.value,
        .workers = (unsigned)s->workers.value,
        .methods = s->methods ? s->methods | CANARY_METHODS : (1U << METHODS) - 1,
        .time = (int64_t)time(NULL),
    };
    int rc = scratch_open(scratch, s->directory, PATH_FAILS, s->trusts_directory, e);
    if (rc != 0)
        return rc;
    if (h->methods & 1U << METHOD_ATOMIC)
        h->whole = whole_sizes_of(scratch->parent_fd);
    if (s->block_bytes.given) {
        bool is_promised = (block & (block - 1)) == 0 && block >= h->whole.least;
        h->whole.least = h->whole.most = is_promised && block <= h->whole.most ? block : 0;
    }
    if (h->whole.most == 0)
        h->methods &= ~(1U << METHOD_PLAIN);
    rc = limits_file(method_largest_file(h), e);
    if (rc == 0)
        /* a worker has a file for each method, and a second one for a few of them */
        rc = limits_descriptors(32 + h->workers * (METHODS + 4), "--workers", h->workers, "workers",
                                e);
    if (rc == 0)
        rc = limits_tasks(h->workers + OTHER_THREADS, e);
    if (rc == 0)
        rc = scratch_make(scratch, h->run, e);
    if (rc != 0)
        return rc;
    memcpy(h->directory, scratch->name, sizeof h->directory);
    header_describe_place(h, scratch->parent_fd);
    snprintf(run->path, sizeof run->path, "%s/%s", s->directory, scratch->name);
    return 0;
}

/* Starts all threads, makes all files, and syncs these, their directory and its parents. */
static int prepare_run(struct write_run *run, struct err *e)
{
    const struct header *h = &run->header;
    const struct scratch *s = &run->scratch;
    void *contexts[MAX_HEADER_WORKERS + OTHER_THREADS];
    run->rings = aligned_alloc(64, h->workers * sizeof *run->rings);
    if (!run->rings)
        return err_system(e, ENOMEM, "allocate memory for %u workers", h->workers);
    for (unsigned i = 0; i < h->workers; i++) {
        run->workers[i].number = i;
        run->workers[i].methods = h->methods & ~CANARY_METHODS;
        rng_init(&run->workers[i].rng, h->seed, i);
        atomic_init(&run->rings[i].put, 0);
        atomic_init(&run->rings[i].taken, 0);
    }
    run->worker_count = h->workers;
    for (unsigned method = 0; method < METHODS; method++)
        if (h->methods & CANARY_METHODS & 1U << method)
            run->workers[run->worker_count++].methods = 1U << method;
    atomic_store(&run->active, run->worker_count);
    run->worker_count++; /* the log's, which has no methods */
    for (unsigned i = 0; i < run->worker_count; i++) {
        run->workers[i].run = run;
        contexts[i] = &run->workers[i];
    }
    int rc = thread_pool_start(&run->pool, run->worker_count, contexts, NULL, e);
    run->start_ns = clock_ns();
    if (rc == 0)
        rc = thread_pool_run(&run->pool, &worker_task, POOL_PREPARING, NULL, e);
    if (rc != 0)
        return rc;
    run->header.methods &= ~atomic_load(&run->left_out);
    if (!(h->methods & ~CANARY_METHODS))
        return err_say(e, "%s: none of the methods works here", run->path);
    if (sync_again(s->fd, syncfs) != 0)
        return err_system(e, errno, "syncfs %s", run->path);
    if (sync_again(s->owner_fd, fsync) != 0 || sync_again(s->fd, fsync) != 0)
        return err_system(e, errno, "fsync %s", run->path);
    if (sync_again(s->parent_fd, fsync) != 0)
        return err_system(e, errno, "fsync %s", s->path);
    for (unsigned i = 0; i < run->worker_count; i++)
        if (run->workers[i].methods & h->methods & 1U << METHOD_DRIVE)
            run->header.drive_is_in_place = drive_is_in_place(&run->workers[i]);
    return 0;
}

int boncut_write(const struct settings *s, struct err *e)
{
    static struct write_run run; /* static: its rings and texts are too large for a stack */
    if (isatty(STDOUT_FILENO))
        return err_say(e, "standard output is a terminal: the log of promises must go to a file "
                          "or a pipe, away from this machine's power");
    stop_keeps_readers();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe becomes an error of write(2) */
    run.scratch = (struct scratch){.parent_fd = -1, .fd = -1, .owner_fd = -1};
    int rc = make_directory(&run, s, e);
    if (rc == 0) {
        char first[MAX_HEADER_LINE];
        run.gap_ns = s->rate.given ? BILLION * run.header.workers / s->rate.value : 0;
        /* one syncfs(2) makes the first files durable; on FUSE it does not reach the server */
        run.first_sync = strncmp(run.header.filesystem, "fuse", 4) == 0 ? fsync : NULL;
        pattern_init(&run.pattern, DATA_RANDOM, 100, PATTERN_UNIT_MIN, run.header.seed,
                     run.header.run);
        rc = prepare_run(&run, e);
        if (rc == 0) {
            rc = write_out(&run, first, header_format(first, &run.header), e);
            /* leaves the directory for `check`, even after a failure: the log may have promises
             * about the files; --cleanup removes it later */
            run.scratch.is_guest = rc == 0;
            run.end_ns = s->time_ns.given ? clock_ns() + s->time_ns.value : UINT64_MAX;
            if (rc == 0)
                rc = thread_pool_run(&run.pool, &worker_task, POOL_WORKING, NULL, e);
            if (rc == 0 || rc == -EINTR)
                message("what was promised is in %s; boncut --cleanup %s removes it", run.path,
                        s->directory);
        }
        thread_pool_end(&run.pool);
        for (unsigned i = 0; i < run.worker_count; i++) {
            struct worker *w = &run.workers[i];
            for (unsigned method = 0; method < METHODS; method++) {
                if (!w->versions[method])
                    continue;
                if (methods[method].end)
                    methods[method].end(&w->work[method]);
                descriptor_close(&w->work[method].fd);
                descriptor_close(&w->work[method].other_fd);
                free(w->versions[method]);
            }
            free(w->buffer);
        }
        free(run.rings);
    }
    /* unless something about the files of the run has been promised */
    DIR *all = run.scratch.is_guest ? NULL : directory_list(run.scratch.fd, ".");
    const struct dirent *entry;
    while (all && (entry = readdir(all)))
        cleanup_entry(dirfd(all), entry->d_name);
    if (all)
        closedir(all);
    int closed = scratch_close(&run.scratch, e);
    return rc == 0 ? closed : rc;
}
