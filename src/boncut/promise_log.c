#include "boncut/promise_log.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "boncut/methods/method.h"
#include "measure/clock.h"

/* Size of a batch: room for the lines of all control groups and some hundreds of others. */
#define BATCH_BYTES 65536

/* Interval at which the log's thread looks at the rings, and a worker at its full ring. */
#define PAUSE_NS 400000

int promise_log_open(struct promise_log *log, int fd, const struct header *h, struct err *e)
{
    *log = (struct promise_log){.fd = fd, .run = h->run, .rings_count = h->workers};
    log->rings = aligned_alloc(64, h->workers * sizeof *log->rings);
    log->writes = calloc(method_count, sizeof *log->writes);
    log->told = calloc(method_count, sizeof *log->told);
    log->text = malloc(BATCH_BYTES);
    if (!log->rings || !log->writes || !log->told || !log->text)
        return err_system(e, ENOMEM, "memory for the log of %u workers", h->workers);
    for (unsigned i = 0; i < h->workers; i++) {
        atomic_init(&log->rings[i].put, 0);
        atomic_init(&log->rings[i].taken, 0);
    }
    return 0;
}

void promise_log_close(struct promise_log *log)
{
    free(log->rings);
    free(log->writes);
    free(log->told);
    free(log->text);
    *log = (struct promise_log){.fd = -1};
}

static void pause_a_moment(void)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    nanosleep(&pause, NULL);
}

bool promise_log_put(struct promise_log *log, unsigned worker, const struct log_line *line)
{
    struct promise_ring *ring = &log->rings[worker];
    uint64_t put = atomic_load_explicit(&ring->put, memory_order_relaxed);
    while (put - atomic_load_explicit(&ring->taken, memory_order_acquire) == PROMISE_RING) {
        if (atomic_load(&log->has_failed))
            return false;
        pause_a_moment();
    }
    ring->lines[put % PROMISE_RING] = *line;
    atomic_store_explicit(&ring->put, put + 1, memory_order_release);
    return true;
}

/* Writes all of the text, even if write(2) takes it in parts. */
static int write_out(struct promise_log *log, const char *text, size_t length, struct err *e)
{
    while (length > 0) {
        ssize_t written = write(log->fd, text, length);
        if (written < 0 && errno != EINTR) {
            atomic_store(&log->has_failed, true);
            return err_system(e, errno, "write the log to standard output");
        }
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

int promise_log_begin(struct promise_log *log, const struct header *h, struct err *e)
{
    char text[HEADER_LINE_MOST];
    return write_out(log, text, header_format(text, h), e);
}

/* Appends promises from a ring to the batch while there is room. Returns the batch's new length. */
static size_t take_ring(struct promise_log *log, struct promise_ring *ring, size_t length)
{
    uint64_t put = atomic_load_explicit(&ring->put, memory_order_acquire);
    uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
    for (; taken < put && length + LOG_LINE_MOST <= BATCH_BYTES; taken++) {
        const struct log_line *line = &ring->lines[taken % PROMISE_RING];
        log->is_synced |= line->method == method_syncfs;
        length += log_line_format(log->text + length, line, log->run);
    }
    atomic_store_explicit(&ring->taken, taken, memory_order_release);
    return length;
}

/*
 * Appends the number of writes of a control group to the batch. This must come after the promises:
 * whatever a syncfs among them has made durable was written before.
 */
static size_t take_control(struct promise_log *log, unsigned method, size_t length)
{
    uint64_t writes = atomic_load_explicit(&log->writes[method], memory_order_acquire);
    if (writes == log->told[method])
        return length;
    if (method == method_cached && log->is_synced) {
        log->cached_from = writes;
        log->is_synced = false;
    }
    const struct log_line line = {.method = method,
                                  .unit = method == method_cached ? (uint32_t)log->cached_from : 0,
                                  .version = writes,
                                  .time_us = (clock_ns() - log->start_ns) / 1000};
    log->told[method] = writes;
    return length + log_line_format(log->text + length, &line, log->run);
}

/* Fills the batch, and returns its length. */
static size_t make_batch(struct promise_log *log)
{
    size_t length = 0;
    for (unsigned i = 0; i < log->rings_count; i++)
        length = take_ring(log, &log->rings[i], length);
    for (unsigned method = 0; method < method_count; method++)
        if (methods[method].is_control && length + LOG_LINE_MOST <= BATCH_BYTES)
            length = take_control(log, method, length);
    return length;
}

int promise_log_work(struct promise_log *log, const _Atomic unsigned *active, struct err *e)
{
    for (;;) {
        bool is_last = atomic_load(active) == 0;
        size_t length = make_batch(log);
        int rc = write_out(log, log->text, length, e);
        if (rc != 0)
            return rc;
        if (is_last && length == 0)
            return 0;
        if (!is_last && length < BATCH_BYTES / 2)
            pause_a_moment();
    }
}
