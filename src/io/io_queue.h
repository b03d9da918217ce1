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
 * it keeps up to `depth` operations of a source in flight, times and counts them, continues short
 * and interrupted transfers, and describes failures.
 *
 * The load is a closed loop: an operation begins when another one has ended.
 *
 * All memory, buffers included, is one mapping made in io_queue_open(): a queue can be opened and
 * used in a forked process, and using it allocates nothing. Functions return 0 or a negative errno
 * with a line in e; -EINTR means that the run is to stop.
 */

/* Alignment of buffers: no device requires more than a page. */
#define QUEUE_ALIGNMENT 4096

/* A source's answer when it is asked for its next operation. */
enum source_answer {
    SOURCE_READY, /* io is filled in */
    SOURCE_LATER, /* there is none now: ask again when an operation in flight has ended, or, with
                     none in flight, after a sleep of 1 us at first and 1 ms at most */
    SOURCE_ENDED, /* there are no more */
};

/* A source's answer when a transfer was successful. */
enum transfer_answer {
    OPERATION_ENDED,     /* it was the operation's last transfer */
    OPERATION_CONTINUES, /* the source has put the operation's next transfer into io */
    OPERATION_ENDED_NOW, /* it was the last transfer, and the time that the source spent after it
                            counts as well */
};

/*
 * The origin of operations: to a queue, this is what a test consists of. All functions are called
 * on the path of an operation: they must not allocate, lock or print.
 */
struct io_source {
    /*
     * Fills in the next operation: io->kind, file, offset, length, the buffer of a write. now_ns is
     * a recent clock_ns(). The time that this takes counts as latency of the operations in flight,
     * not of this one. io->buffer has buffer_bytes and io->user has user_bytes (struct
     * io_queue_setup); both are the operation's own until it has ended.
     */
    enum source_answer (*next)(void *context, struct io *io, uint64_t now_ns);

    /*
     * Called for every transfer that has moved all of its bytes (when a chunk that was read is to
     * be written back: OPERATION_CONTINUES).
     */
    enum transfer_answer (*transferred)(void *context, struct io *io);

    /*
     * Called for an operation that failed with that positive errno. True: the error is counted and
     * the run continues; false: the run ends. NULL: every failure ends the run.
     */
    bool (*failed)(void *context, const struct io *io, int code);

    void *context;

    /*
     * When this much time has passed since the start of the run, the source is treated as if it had
     * said SOURCE_ENDED; checked once a step. 0: no limit.
     */
    uint64_t duration_ns;
};

struct io_queue_setup {
    const struct engine_ops *engine;
    const struct engine_options *options;
    unsigned depth;      /* largest number of operations in flight, at least 1 */
    size_t buffer_bytes; /* of the longest operation */
    size_t user_bytes;   /* what a source needs to remember for each operation; zeroed at first */
    const struct io_file *files;
    unsigned file_count;
};

struct operation;

struct io_queue {
    struct io_queue_setup setup;
    bool is_open;
    void *memory; /* the mapping that holds everything below */
    size_t memory_bytes;
    unsigned char *state;
    unsigned char *buffers;
    struct operation *operations; /* `depth` elements, as in the next two */
    struct operation **unused;
    struct operation **staged; /* operations to be submitted */
    struct io **done; /* transfers returned by the engine and not examined yet; twice the depth */
    unsigned unused_count;
    unsigned staged_count;
    unsigned done_first;
    unsigned done_end;
    unsigned in_flight; /* submitted and not yet returned */
};

/*
 * Opens a queue. The files must be open, and `files` must stay where it is until the queue is
 * closed.
 */
int io_queue_open(struct io_queue *q, const struct io_queue_setup *setup, struct err *e);

/*
 * Runs all operations of the source, until it has ended and nothing is in flight. stats counts the
 * operations that ended, and the transfers in flight.
 */
int io_queue_run(struct io_queue *q, const struct io_source *source, struct op_stats *stats,
                 struct err *e);

/* Makes what was written to a file durable. */
int io_queue_sync(struct io_queue *q, unsigned file, struct err *e);

/*
 * False when the engine could have registered its buffers with the kernel but was not allowed to:
 * every transfer costs more then.
 */
bool io_queue_has_buffers(const struct io_queue *q);

/* Closes the queue if it is open. */
void io_queue_close(struct io_queue *q);

#endif
