// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "io/engine.h"
#include "measure/histogram.h"
#include "measure/slow_ops.h"

/* The one way from a source of operations to an engine. A queue belongs to one thread or process.
 * It keeps up to `depth` operations of a source in flight, begins one when another has ended, times
 * and counts them, continues short and interrupted transfers, and describes failures.
 *
 * The queue works in steps: it completes a batch of what has come back, fills up from the source,
 * submits all of it together, and takes what is complete by now, with one look at the clock for
 * each of the last two. It waits only if it can do nothing else.
 *
 * All memory is one mapping that io_queue_open() makes, so a forked process can open and use a
 * queue, and using it allocates nothing. Functions return 0, or a negative errno with a line in e;
 * -EINTR: the run must stop. */

/* One operation from its start to its end, with all its transfers. Only the queue uses it. */
struct operation {
    struct io io;      /* must be first, because an engine's struct io is the operation */
    uint64_t start_ns; /* when its first transfer was submitted; 0: not yet */
    uint64_t end_ns;   /* when its last transfer came back */
};

/* Alignment of buffers: no device needs more than a page. */
#define QUEUE_ALIGNMENT 4096

/* What a source answers when the queue asks for its next operation. */
enum source_answer {
    SOURCE_READY, /* the source has filled *io */
    SOURCE_LATER, /* it has none now: ask again when an operation has ended, or after a sleep */
    SOURCE_ENDED, /* it has no more */
};

/* What a source answers after a successful transfer. */
enum transfer_answer {
    OPERATION_ENDED,     /* this was the operation's last transfer */
    OPERATION_CONTINUES, /* the source has put the operation's next transfer into *io */
    OPERATION_ENDED_NOW, /* the same, and the source's time since then counts, too */
};

/* Where operations come from: for a queue, a test is just this. All functions are on the path of an
 * operation, so they must not allocate, lock or print. */
struct io_source {
    /* Fills *io with the next operation: kind, file, offset, length, and what a write writes, in
     * io->buffer, which belongs to the operation until it has ended, as does io->user. now_ns is a
     * recent clock_ns(). The time that this takes counts as latency of the operations in flight. */
    enum source_answer (*next)(void *context, struct io *io, uint64_t now_ns);

    /* Called after every transfer that has moved all its bytes. A source that has read a chunk to
     * write it back answers OPERATION_CONTINUES. NULL: operations have one transfer. */
    enum transfer_answer (*transferred)(void *context, struct io *io);

    /* Called for an operation that failed with the positive errno `code`. Returns true if the run
     * goes on, and the error is counted; false if it ends. NULL: every failure ends it. */
    bool (*failed)(void *context, const struct io *io, int code);

    void *context;

    /* Time after which the queue stops asking the source, as after SOURCE_ENDED; the queue checks
     * this once a step. 0: no limit. */
    uint64_t duration_ns;

    /* All functions take so little time that one transfer's end is the next one's start, where an
     * engine makes one after another: that saves every second look at the clock. */
    bool is_quick;
};

struct io_queue_setup {
    const struct engine_ops *engine;
    const struct engine_options *options;
    unsigned depth;      /* most operations in flight, at least 1 */
    size_t buffer_bytes; /* size of a buffer: that of the longest operation */
    size_t user_bytes;   /* memory that the source needs for each operation; zeroed at first */
    const struct io_file *files;
    unsigned file_count;
    struct slow_box *slow; /* where slow operations are reported; NULL: nowhere */
};

struct io_queue {
    struct io_queue_setup setup;
    bool is_open;
    void *memory; /* the mapping that contains everything below */
    size_t memory_bytes;
    void *state;
    unsigned char *buffers;
    struct operation **unused;  /* this and the next one have `depth` elements each */
    struct operation **pending; /* operations that will be submitted */
    struct io **done; /* twice the depth: transfers that have come back and wait to be examined */
    unsigned unused_count, pending_count, done_first, done_end;
    unsigned in_flight; /* number of transfers that are submitted and not yet returned */
};

/* Opens a queue. The files must be open; `files` must stay in place until the queue is closed. What
 * failed to open is closed. */
int io_queue_open(struct io_queue *q, const struct io_queue_setup *setup, struct err *e);
void io_queue_close(struct io_queue *q);

/* Runs all operations of the source, until it has ended and nothing is in flight. `stats` counts
 * the operations that have ended, and the time for which transfers are in flight. */
int io_queue_run(struct io_queue *q, const struct io_source *source, struct op_stats *stats,
                 struct err *e);

/* Makes what was written to a file durable. */
int io_queue_sync(struct io_queue *q, unsigned file, struct err *e);

/* Whether transfers cost no more than necessary. False: the engine could have registered its
 * buffers with the kernel, but was not allowed to. */
bool io_queue_has_buffers(const struct io_queue *q);
