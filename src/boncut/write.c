// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/commands.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "boncut/worker.h"
#include "measure/clock.h"
#include "storage/scratch.h"
#include "sys/stop.h"
#include "sys/thread_pool.h"
#include "util/err.h"
#include "util/units.h"

#define DEFAULT_WORKERS 4
#define DEFAULT_UNITS   32
#define DEFAULT_BLOCK   (4 * KIB)

/* Number of threads for the two control groups and the log. */
#define OTHER_THREADS 3

struct session {
    struct write_run run;
    struct scratch scratch;
    struct thread_pool pool;
    struct worker *workers;
    unsigned worker_count;
    char path[PATH_MAX];
};

/* ---- settings of the run --------------------------------------------------------------------- */

static int draw_number(uint64_t *number, struct err *e)
{
    if (getrandom(number, sizeof *number, 0) != (ssize_t)sizeof *number)
        return err_system(e, errno, "random number for the run");
    return 0;
}

static unsigned control_methods(void)
{
    unsigned used = 0;
    for (unsigned method = 0; method < method_count; method++)
        used |= methods[method].is_control ? 1U << method : 0;
    return used;
}

static int make_header(struct session *session, const struct settings *s, struct err *e)
{
    struct header *h = &session->run.header;
    *h = (struct header){
        .block_bytes = (uint32_t)given_or(s->block_bytes, DEFAULT_BLOCK),
        .units = (uint32_t)given_or(s->units, DEFAULT_UNITS),
        .workers = (unsigned)given_or(s->workers, DEFAULT_WORKERS),
        .methods = s->methods ? s->methods | control_methods() : (1U << method_count) - 1,
        .time = (int64_t)time(NULL),
    };
    int rc = draw_number(&h->run, e);
    if (rc == 0)
        rc = draw_number(&h->seed, e);
    if (s->seed.given)
        h->seed = s->seed.value;
    return rc;
}

/* ---- directories and files ------------------------------------------------------------------- */

static int make_directory(struct session *session, const struct settings *s, struct err *e)
{
    struct header *h = &session->run.header;
    struct scratch *scratch = &session->scratch;
    int rc = scratch_open(scratch, s->directory, PATH_FAILS, s->trusts_directory, e);
    if (rc == 0)
        rc = scratch_make_numbered(scratch, h->run, e);
    if (rc != 0)
        return rc;
    memcpy(h->directory, scratch->name, sizeof h->directory);
    header_describe_place(h, scratch->parent_fd);
    snprintf(session->path, sizeof session->path, "%s/%s", s->directory, scratch->name);
    return 0;
}

/* Syncs the private directory, its parents and everything in it, before the first promise. */
static int sync_directory(const struct session *session, struct err *e)
{
    const struct scratch *s = &session->scratch;
    if (syncfs(s->fd) != 0)
        return err_system(e, errno, "syncfs of %s", session->path);
    if (fsync(s->owner_fd) != 0 || fsync(s->fd) != 0)
        return err_system(e, errno, "fsync of %s", session->path);
    if (fsync(s->parent_fd) != 0)
        return err_system(e, errno, "fsync of %s", s->path);
    return 0;
}

/* Removes all files of the run, because nothing about them has been promised. */
static void remove_all(const struct session *session)
{
    int fd = dup(session->scratch.fd);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    if (!directory)
        return;
    rewinddir(directory);
    for (const struct dirent *entry; (entry = readdir(directory));)
        cleanup_entry(session->scratch.fd, entry->d_name);
    closedir(directory);
}

/* ---- the run --------------------------------------------------------------------------------- */

static struct worker *add_worker(struct session *session, enum worker_kind kind, unsigned used)
{
    struct worker *w = &session->workers[session->worker_count];
    *w = (struct worker){.run = &session->run, .kind = kind, .methods = used};
    session->worker_count++;
    return w;
}

static int make_workers(struct session *session, struct err *e)
{
    const struct header *h = &session->run.header;
    session->workers = calloc(h->workers + OTHER_THREADS, sizeof *session->workers);
    if (!session->workers)
        return err_system(e, ENOMEM, "memory for %u workers", h->workers);
    for (unsigned i = 0; i < h->workers; i++) {
        struct worker *w = add_worker(session, WORKER_PROMISES, h->methods & ~control_methods());
        w->number = i;
        rng_init(&w->rng, h->seed, i);
    }
    for (unsigned method = 0; method < method_count; method++)
        if (methods[method].is_control)
            add_worker(session, WORKER_CONTROL, 1U << method);
    atomic_store(&session->run.active, session->worker_count);
    add_worker(session, WORKER_LOG, 0);
    return 0;
}

static int start_pool(struct session *session, struct err *e)
{
    void *contexts[HEADER_WORKERS_MOST + OTHER_THREADS];
    for (unsigned i = 0; i < session->worker_count; i++)
        contexts[i] = &session->workers[i];
    return thread_pool_start(&session->pool, session->worker_count, contexts, NULL, e);
}

static int prepare_run(struct session *session, struct err *e)
{
    struct write_run *run = &session->run;
    run->log.start_ns = clock_ns();
    int rc = thread_pool_prepare(&session->pool, &worker_task, e);
    if (rc != 0)
        return rc;
    run->header.methods &= ~atomic_load(&run->left_out);
    if (!(run->header.methods & ~control_methods()))
        return err_say(e, "%s: none of the methods works here", session->path);
    rc = sync_directory(session, e);
    for (unsigned i = 0; rc == 0 && i < session->worker_count; i++)
        if (session->workers[i].methods == 1U << method_drive)
            worker_probe_drive(&session->workers[i]);
    return rc;
}

/*
 * Makes promises. The files stay even when this fails, because promises about them may be in the
 * log.
 */
static int make_promises(struct session *session, const struct settings *s, struct err *e)
{
    struct task_times times;
    int rc = promise_log_begin(&session->run.log, &session->run.header, e);
    /* leaves the directory for `check`; --cleanup removes it later */
    session->scratch.is_guest = rc == 0;
    session->run.end_ns = s->time_ns.given ? clock_ns() + s->time_ns.value : UINT64_MAX;
    if (rc == 0)
        rc = thread_pool_work(&session->pool, &times, e);
    if (rc == 0 || rc == -EINTR)
        message("what was promised is in %s; boncut --cleanup removes it", session->path);
    return rc;
}

static int run_session(struct session *session, const struct settings *s, struct err *e)
{
    struct write_run *run = &session->run;
    run->path = session->path;
    run->directory_fd = session->scratch.fd;
    run->gap_ns = s->rate.given ? BILLION * run->header.workers / s->rate.value : 0;
    /* One syncfs(2) makes durable what a run starts with, but on FUSE it does not reach the server.
     */
    run->first_sync = strncmp(run->header.filesystem, "fuse", 4) == 0 ? fsync : NULL;
    pattern_init(&run->pattern, DATA_RANDOM, 100, PATTERN_UNIT_MIN, run->header.seed,
                 run->header.run);
    int rc = promise_log_open(&run->log, STDOUT_FILENO, &run->header, e);
    if (rc == 0)
        rc = make_workers(session, e);
    if (rc == 0)
        rc = start_pool(session, e);
    if (rc == 0)
        rc = prepare_run(session, e);
    if (rc == 0)
        rc = make_promises(session, s, e);
    thread_pool_end(&session->pool);
    for (unsigned i = 0; i < session->worker_count; i++)
        worker_close(&session->workers[i]);
    free(session->workers);
    promise_log_close(&run->log);
    return rc;
}

int boncut_write(const struct settings *s, struct err *e)
{
    static struct session session; /* static: its rings and texts are too large for a stack */
    if (isatty(STDOUT_FILENO))
        return err_say(e, "standard output is a terminal: the log of promises must go to a file "
                          "or a pipe, away from this machine's power");
    int rc = stop_init(e);
    if (rc != 0)
        return rc;
    stop_keeps_readers();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe becomes an error of write(2) */
    session.scratch = (struct scratch){.parent_fd = -1, .fd = -1, .owner_fd = -1};
    rc = make_header(&session, s, e);
    if (rc == 0)
        rc = make_directory(&session, s, e);
    if (rc == 0)
        rc = run_session(&session, s, e);
    if (session.scratch.fd >= 0 && !session.scratch.is_guest)
        remove_all(&session);
    int closed = scratch_close(&session.scratch, e);
    return rc == 0 ? closed : rc;
}
