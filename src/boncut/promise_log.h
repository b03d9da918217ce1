#ifndef BONCUT_PROMISE_LOG_H
#define BONCUT_PROMISE_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boncut/header.h"
#include "boncut/log_line.h"
#include "util/err.h"

/*
 * The output of promises. Each worker puts its promises into a ring of its own, without a lock, an
 * allocation or a system call; one thread empties all rings, makes lines of the promises, and
 * writes these with one write(2) for each batch, twice a millisecond. While nobody reads the log,
 * the rings fill up, and the workers wait: nothing is lost.
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
    uint64_t start_ns; /* times in the log count from here */
    unsigned rings_count;
    struct promise_ring *rings; /* one for each worker */
    _Atomic uint64_t *writes; /* for each control group, the number of writes that have returned */
    uint64_t *told;           /* the number of those that are in the log */
    _Atomic bool has_failed;  /* writing the log has failed */
    char *text;               /* the batch under construction */
};

/* Makes a log with a ring for each worker. Returns 0 or a negative errno. */
int promise_log_open(struct promise_log *log, int fd, const struct header *h, struct err *e);

void promise_log_close(struct promise_log *log);

/* Writes the header: the first line. */
int promise_log_begin(struct promise_log *log, const struct header *h, struct err *e);

/*
 * Adds a worker's promise, which is written soon. Waits while the ring is full. Returns false when
 * writing the log has failed.
 */
bool promise_log_put(struct promise_log *log, unsigned worker, const struct log_line *line);

/* Counts a write of a control group that has returned. */
static inline void promise_log_count(struct promise_log *log, unsigned method)
{
    atomic_fetch_add_explicit(&log->writes[method], 1, memory_order_release);
}

/*
 * Writes promises while `active`, the number of threads that make them, is not 0, and then the
 * rest. Returns 0 or a negative errno.
 */
int promise_log_work(struct promise_log *log, const _Atomic unsigned *active, struct err *e);

#endif
