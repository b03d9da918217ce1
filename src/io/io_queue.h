#ifndef IO_IO_QUEUE_H
#define IO_IO_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/engine.h"
#include "io/file.h"
#include "measure/op_stats.h"
#include "util/err.h"

/*
 * The one way from a source of operations to an engine. A queue belongs to one thread or process;
 * it keeps up to `depth` operations of a source in flight, times and counts them, goes on where a
 * transfer was short or interrupted, and puts a failure into words.
 *
 * The load is a closed loop (an operation begins when another one has ended) or an open one: a
 * source that has a schedule says when each operation was due, its response time counts from then,
 * and the queue sleeps until the next one is due, or until an operation in flight has ended.
 *
 * All memory, buffers included, is one mapping made in io_queue_open(): a queue can be opened and
 * used in a forked process, and using it allocates nothing. Functions return 0 or a negative errno
 * with a line in e; -EINTR means that the run is to stop.
 */

/* Buffers lie at multiples of it: no device asks for more than a page. */
#define QUEUE_ALIGNMENT 4096

/* What a source says when it is asked for its next operation. */
enum source_answer {
    SOURCE_READY, /* io is filled in */
    SOURCE_LATER, /* there is none now. If io->start_ns has been set, the source is asked again at
                   * that time of clock_ns(), and not before; else when an operation in flight has
                   * ended, or, with none in flight, after a sleep of 1 us at first and 1 ms at most
                   */
    SOURCE_ENDED, /* there is no further one */
};

/* What a source says of a transfer that has ended well. */
enum transfer_answer {
    OPERATION_ENDED,     /* it was the operation's last */
    OPERATION_CONTINUES, /* the source has put the operation's next transfer into io */
    OPERATION_ENDED_NOW, /* it was the last, and what the source did after it counts as well */
};

/*
 * Where operations come from: what a test is, as a queue sees it. All functions are called on the
 * path of an operation: they must not allocate, lock or print.
 */
struct io_source {
    /*
     * Fills in the next operation: io->kind, file, offset, length, the buffer of a write, and, when
     * it was due at a time that is not after now_ns, start_ns; 0, as it is when this is called,
     * stands for the time when it is submitted. now_ns is a recent clock_ns(). The time that this
     * takes is not part of this operation's latency, but of those in flight. io->buffer has
     * buffer_bytes and io->user has user_bytes (struct io_queue_setup); both are the operation's
     * own until it has ended.
     */
    enum source_answer (*next)(void *context, struct io *io, uint64_t now_ns);

    /* Told of every transfer that has moved all of its bytes (a chunk that was read is written
     * back: OPERATION_CONTINUES). */
    enum transfer_answer (*transferred)(void *context, struct io *io);

    /*
     * Told of an operation that failed with that positive errno. True: the error is counted and the
     * run goes on; false: it ends. NULL: every failure ends the run.
     */
    bool (*failed)(void *context, const struct io *io, const struct op_times *times, int code);

    /*
     * Told of every operation that has ended well, instead of having it counted in the run's
     * statistics: a source that counts kinds apart, or wants service times too, does it here
     * (op_record_add). NULL: the queue counts.
     */
    void (*ended)(void *context, const struct io *io, const struct op_times *times);

    void *context;

    /*
     * So long after the beginning of the run the source is not asked any more, as if it had said
     * SOURCE_ENDED: that is looked at once a step. 0: it decides alone.
     */
    uint64_t duration_ns;
};

struct io_queue_setup {
    const struct engine_ops *engine;
    const struct engine_options *options;
    unsigned depth;      /* most operations in flight, at least 1 */
    size_t buffer_bytes; /* of the longest operation */
    size_t user_bytes;   /* what a source has to remember of each operation; zeroed at first */
    const struct io_file *files;
    unsigned file_count;
    const void *target; /* what an engine of one program works with (engine.h), or NULL */
};

struct operation;

struct io_queue {
    struct io_queue_setup setup;
    bool is_open;
    void *memory; /* all that follows lies in it */
    size_t memory_bytes;
    unsigned char *state;
    unsigned char *buffers;
    struct operation *operations; /* of `depth` elements, as the next two are */
    struct operation **unused;
    struct operation **staged; /* to be submitted */
    struct io **done;          /* returned by the engine, not looked at yet: of twice the depth */
    unsigned unused_count;
    unsigned staged_count;
    unsigned done_first;
    unsigned done_end;
    unsigned in_flight; /* submitted, not yet returned */
};

/* Opens a queue. The files must be open, and stay where they are until it is closed. */
int io_queue_open(struct io_queue *q, const struct io_queue_setup *setup, struct err *e);

/*
 * Does all operations of the source, until it has ended and nothing is in flight. stats counts each
 * operation that ended, unless source->ended does, and the number of transfers in flight.
 *
 * Once a source has named a time, the thread's timer slack (prctl(2)) is 1 us: what the system
 * sleeps longer than that counts as response time.
 */
int io_queue_run(struct io_queue *q, const struct io_source *source, struct op_stats *stats,
                 struct err *e);

/* Makes what was written to a file durable. */
int io_queue_sync(struct io_queue *q, unsigned file, struct err *e);

/*
 * False when the engine could have its buffers known to the system, and was not allowed to: every
 * transfer costs more then.
 */
bool io_queue_has_buffers(const struct io_queue *q);

/* Closes the queue if it is open. */
void io_queue_close(struct io_queue *q);

#endif
