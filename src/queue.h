#ifndef BONNIE_QUEUE_H
#define BONNIE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/engine.h"
#include "io.h"
#include "measure/samples.h"
#include "util/err.h"

/*
 * The one way from a test to an engine. A queue belongs to one worker or seeker; it keeps up to
 * `depth` operations of a source in flight, takes their time, counts them, goes on where a transfer
 * was short or interrupted, and finds the words for a failure.
 *
 * All memory, buffers included, is one mapping made in queue_open(): a queue can be opened and used
 * in a forked process, and using it allocates nothing. Functions return 0 or a negative errno with
 * a line in e; -EINTR means that the run is to stop.
 */

/* Buffers lie at multiples of it: no device asks for more than a page. */
#define QUEUE_ALIGNMENT 4096

/* What a source says when it is asked for its next operation. */
enum source_answer {
    SOURCE_READY, /* io is filled in: kind, file, offset, length, and the buffer of a write */
    SOURCE_LATER, /* not before an operation in flight, here or elsewhere, has ended */
    SOURCE_ENDED, /* there is no further one */
};

/*
 * Where operations come from: what a test is, as a queue sees it. Both are called on the path of an
 * operation: they must not allocate, lock or print.
 */
struct io_source {
    /* Fills in the next operation. now_ns is a recent clock_ns(). The time this takes is not part
     * of this operation's latency, but of those in flight. io->buffer has queue_setup.buffer_bytes,
     * and is the operation's own until it has ended. */
    enum source_answer (*next)(void *context, struct io *io, uint64_t now_ns);

    /* Told of every whole transfer. True: the same operation goes on with another transfer, which
     * it has put into io (a chunk that was read is written back). */
    bool (*transferred)(void *context, struct io *io);

    void *context;
};

struct queue_setup {
    const struct engine_ops *engine;
    const struct engine_options *options;
    unsigned depth;
    size_t buffer_bytes; /* the longest operation */
    const struct io_file *files;
    unsigned file_count;
};

struct queue {
    struct queue_setup setup;
    bool is_open;
    void *memory; /* all that follows lies in it */
    size_t memory_bytes;
    unsigned char *state;
    unsigned char *buffers;
    struct operation *operations; /* depth of each of these four */
    struct operation **unused;
    struct operation **staged; /* to be submitted */
    struct io **done;
    unsigned unused_count;
    unsigned staged_count;
    unsigned in_flight; /* submitted, not yet returned */
};

/* Opens a queue. The files must be open, and stay where they are until it is closed. */
int queue_open(struct queue *q, const struct queue_setup *setup, struct err *e);

/* Does all operations of the source; samples are counted for each that ended. */
int queue_run(struct queue *q, const struct io_source *source, struct samples *samples,
              struct err *e);

/* Makes what was written to a file durable. */
int queue_sync(struct queue *q, unsigned file, struct err *e);

/* Closes the queue if it is open. */
void queue_close(struct queue *q);

#endif
