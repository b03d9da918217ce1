// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "io/file.h"

/* Options of single engines. All zeros are the defaults. */
struct engine_options {
    struct {
        bool sqpoll; /* a kernel thread looks for submissions, so these need no system call */
        bool iopoll; /* the kernel polls for completions, without interrupts */
    } uring;
    struct {
        uint64_t delay_ns; /* duration of every transfer */
        uint64_t fail_at; /* number of the transfer, counted from 1, that fails with EIO; 0: none */
        uint64_t short_at;   /* number of the transfer that moves half of its bytes */
        uint64_t corrupt_at; /* number of the read in which one bit is flipped */
    } null;
};

/* An engine moves data between buffers and files: one transfer at a time, or many at once. The
 * queue above it (io_queue.h), its only caller, does all else. */

/* What submit() answers. */
enum engine_answer {
    ENGINE_COMPLETED, /* the transfer is complete, and io->result is set */
    ENGINE_QUEUED,    /* wait() will return the transfer */
    ENGINE_BUSY, /* the engine has not accepted the transfer: call wait(), and submit it again */
};

/* What an engine works with. All of it outlives the open engine. */
struct engine_setup {
    unsigned depth; /* most transfers that are submitted but not yet returned by wait() */
    const struct io_file *files;
    unsigned file_count;
    unsigned char *buffers; /* all buffers, one after another */
    size_t buffers_bytes;
    const struct engine_options *options;
};

enum engine_capability {
    ENGINE_QUEUES = 1,       /* keeps many transfers in flight, so a depth above 1 makes sense */
    ENGINE_STORES = 2,       /* what was written can be read back */
    ENGINE_NEEDS_DIRECT = 4, /* buffered transfers are not asynchronous */
};

struct engine_ops {
    const char *name;
    const char *summary; /* one line for --engine=help */
    unsigned capabilities;
    const char *lacks; /* what this build lacks for it; NULL: nothing */

    /* Returns 0, or a negative errno and why it does not work here in e. NULL: it always does. */
    int (*available)(struct err *e);

    /* Bytes of the engine's state, and what it needs besides for each transfer in flight. It begins
     * with a struct engine_setup, which the caller sets; the rest is zeroed. */
    size_t state_bytes, transfer_bytes;

    /* Returns 0, or a negative errno with a line in e and nothing to close. NULL: not needed. */
    int (*open)(void *state, struct err *e);

    /* Submits one transfer. *io must stay in place until the transfer is complete. */
    enum engine_answer (*submit)(void *state, struct io *io);

    /* Hands all queued transfers to the system, and waits until at least `least` are complete, or,
     * where they may take seconds, for less, so that the caller sees that the run must stop. Stores
     * up to `most` of them, at least 1, in `done`. Returns their number, or a negative errno,
     * which loses no transfer: -EINTR: call again. NULL: submit() queues nothing. */
    int (*wait)(void *state, unsigned least, struct io *done[], unsigned most);

    /* Whether the buffers are registered with the kernel. NULL: the engine registers none. */
    bool (*has_buffers)(const void *state);

    /* Makes what was written durable. Returns 0 or a negative errno. NULL: fsync(2) does that. */
    int (*durable)(void *state, unsigned file);

    /* Nobody needs the results of transfers that are still in flight. NULL: nothing to do. */
    void (*close)(void *state);
};

/* The engine of plain system calls. Tests that use no engine move data in the same way. */
#define DEFAULT_ENGINE "sync"

/* All engines, also those that this build lacks, and a NULL; the one with that name, or NULL. */
extern const struct engine_ops *const engine_table[];
const struct engine_ops *engine_by_name(const char *name);

/* What --engine and --iodepth mean: finds the engine with that name, which must be in the table
 * (NULL: the default), and its depth. wanted_depth 0 is 32 if the engine keeps many transfers in
 * flight, and otherwise 1. Returns 0, or -EINVAL with a line in e if it cannot have that depth. */
int engine_choose(const char *name, uint64_t wanted_depth, const struct engine_ops **engine,
                  unsigned *depth, struct err *e);

/* The values of --engine, with a NULL at the end: all engines of the table, and help. */
extern const char *const engine_words[];

/* Returns 0 if the engine works on this system, and otherwise a negative errno with a line in e. */
int engine_check(const struct engine_ops *engine, struct err *e);

/* Prints the text of --engine=help: every engine, and why it cannot be used if that is so. */
void engine_print_all(FILE *out);
