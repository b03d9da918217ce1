#ifndef IO_ENGINE_H
#define IO_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/engine_options.h"
#include "io/file.h"
#include "io/transfer.h"
#include "util/err.h"

/*
 * An engine moves data between buffers and files: one transfer at a time, or many at once. It does
 * nothing else: counting, timing, short and interrupted transfers and the text of a failure are the
 * work of the one queue above it (io_queue.h). Nothing else calls an engine.
 */

/* The results of submit. */
enum engine_answer {
    ENGINE_COMPLETED, /* the transfer is complete, and its result is set */
    ENGINE_QUEUED,    /* wait will return the transfer */
    ENGINE_BUSY,      /* not accepted: call wait first, then submit it again */
};

/* What an engine works with from open to close. All of it outlives the open engine. */
struct engine_setup {
    /* largest number of transfers that are submitted and not yet returned by wait */
    unsigned depth;
    const struct io_file *files;
    unsigned file_count;
    unsigned char *buffers; /* all buffers, one after the other */
    size_t buffers_bytes;
    const struct engine_options *options;
};

enum engine_capability {
    ENGINE_QUEUES = 1,       /* it keeps many transfers in flight: a depth above 1 makes sense */
    ENGINE_STORES = 2,       /* what is written can be read back */
    ENGINE_NEEDS_DIRECT = 4, /* its buffered transfers are not asynchronous */
};

struct engine_ops {
    const char *name;
    const char *summary; /* one line for --engine=help */
    unsigned capabilities;

    /* Returns 0 when it works on this system, otherwise a negative errno with the reason in e. */
    int (*available)(struct err *e);

    /*
     * The number of bytes of state that it needs for that depth. The caller provides them zeroed,
     * with maximal alignment.
     */
    size_t (*state_bytes)(unsigned depth);

    /* Prepares the state. After a failure there is nothing to close. */
    int (*open)(void *state, const struct engine_setup *setup, struct err *e);

    /* Submits one transfer. io must stay where it is until the transfer is complete. */
    enum engine_answer (*submit)(void *state, struct io *io);

    /*
     * Hands everything that was queued to the system, and waits until at least `least` transfers
     * are complete; 0: it does not wait, but returns all that are complete by now. An engine whose
     * transfers may take seconds may return earlier, so that its caller can see that the run is to
     * stop. Stores up to `most` completed transfers, `most` being at least 1, in done. Returns
     * their number, which may be 0, or a negative errno, after which no transfer is lost: after
     * -EINTR it is called again.
     */
    int (*wait)(void *state, unsigned least, struct io *done[], unsigned most);

    /*
     * Whether the buffers are registered with the kernel, which then need not look them up for each
     * transfer. NULL: the engine registers no buffers.
     */
    bool (*has_buffers)(const void *state);

    /*
     * Makes what was written to the file durable. Returns 0 or a negative errno. NULL: fsync does
     * it.
     */
    int (*durable)(void *state, unsigned file);

    /* Ends it. Transfers are in flight only after a failure; nobody uses them any more. */
    void (*close)(void *state);
};

/* All engines, with those that this build lacks: their available() says so. Ends with NULL. */
extern const struct engine_ops *const engine_table[];

/*
 * The engine of plain system calls; tests that do not use engines move their data in the same way.
 */
#define DEFAULT_ENGINE "sync"

/* The engine of that name, or NULL. */
const struct engine_ops *engine_by_name(const char *name);

#endif
