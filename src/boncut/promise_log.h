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

/*
 * Puts a promise into the worker's ring, and waits while the ring is full. Returns false when
 * writing the log has failed.
 */
bool promise_log_put(struct promise_log *log, unsigned worker, const struct log_line *line);

/* Counts one more write of a control group that has returned. */
static inline void promise_log_count(struct promise_log *log, unsigned method)
{
    atomic_fetch_add_explicit(&log->writes[method], 1, memory_order_release);
}

/*
 * Writes promises until *active, the number of threads that make them, is 0, and then all that are
 * left. Returns 0, or a negative errno with a line in e.
 */
int promise_log_work(struct promise_log *log, const _Atomic unsigned *active, struct err *e);

#endif
