// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "boncut/ledger.h"
#include "boncut/log.h"
#include "boncut/methods/method.h"
#include "sys/thread_pool.h"
#include "util/err.h"
#include "util/rng.h"

/*
 * The way of promises to the log. Each worker puts its promises into a ring of its own, without a
 * lock, an allocation or a system call. One thread empties all rings, formats the promises as
 * lines, and writes each batch of lines with one write(2), about every 0.4 ms. While nobody reads
 * the log, the rings fill up, and the workers wait: no promise is lost.
 */
#define PROMISE_RING 16384

struct promise_ring {
    _Alignas(64) _Atomic uint64_t put; /* number of promises that the worker has put in */
    _Alignas(64) _Atomic uint64_t taken;
    struct log_line lines[PROMISE_RING];
};

struct promise_log {
    int fd;
    uint64_t run;
    uint64_t start_ns; /* the times of log lines count from this moment of clock_ns() */
    unsigned rings_count;
    struct promise_ring *rings; /* one for each worker */
    _Atomic uint64_t *writes; /* for each control group, the number of writes that have returned */
    uint64_t *told;           /* for each control group, the number of writes that the log says */
    bool is_synced;           /* a syncfs was promised after the last line of `cached` */
    uint64_t cached_from;     /* number of writes of `cached` that a syncfs may have made durable */
    _Atomic bool has_failed;  /* writing the log has failed */
    char *text;               /* the batch that is being filled */
};

/*
 * Makes a log with a ring for each worker. The log writes to fd, but does not close it. Returns 0,
 * or a negative errno with a line in e.
 */
int promise_log_open(struct promise_log *log, int fd, const struct header *h, struct err *e);
void promise_log_close(struct promise_log *log);

/* Writes the header as the first line. */
int promise_log_begin(struct promise_log *log, const struct header *h, struct err *e);

/* What all workers of a run share. */
struct write_run {
    struct header header;
    struct pattern pattern;
    struct promise_log log;
    const char *path; /* path of the private directory, for messages */
    int directory_fd;
    int (*first_sync)(int fd); /* syncs each of the run's first files; NULL: one syncfs does it */
    _Atomic unsigned left_out; /* methods that do not work here, a bit for each method */
    _Atomic unsigned active;   /* number of threads that make promises or write control groups */
    uint64_t end_ns;           /* the end of the run by clock_ns(); UINT64_MAX: none */
    uint64_t gap_ns;           /* time between two promises of a worker, from --rate; 0: no limit */
};

/* What a thread of the run does. */
enum worker_kind { WORKER_PROMISES, WORKER_CONTROL, WORKER_LOG };

struct worker {
    struct write_run *run;
    enum worker_kind kind;
    unsigned number;  /* index among the workers that make promises */
    unsigned methods; /* methods of this worker, a bit for each method */
    struct work work[METHODS_MOST];
    uint64_t *versions[METHODS_MOST]; /* for each unit, the last version begun */
    uint64_t due_ns[METHODS_MOST];    /* earliest time of each method's next step */
    void *buffer;
    struct rng rng;
};

/*
 * The task of all workers in a thread pool: the first step makes the files, the second one changes
 * them.
 */
extern const struct task worker_task;

/*
 * Finds out whether the overwrites of the control group `drive` reach the device, each in its
 * place, and notes it in the run's header. The worker is that of the group; its files are durable,
 * and no other worker writes yet.
 */
void worker_probe_drive(struct worker *w);

/* Closes the files and frees the memory of a worker, but not the worker itself. */
void worker_close(struct worker *w);
