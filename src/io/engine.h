#ifndef IO_ENGINE_H
#define IO_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/engine_options.h"
#include "io/transfer.h"
#include "util/err.h"

/*
 * An engine moves data between buffers and files: one transfer after the other, or many at once.
 * It does nothing else: counting, timing, short and interrupted transfers and the text of a failure
 * are the work of the one queue above it (io_queue.h). Nothing else calls an engine.
 */

/* What submit says of a transfer. */
enum engine_answer {
    ENGINE_COMPLETED, /* its result is set */
    ENGINE_QUEUED,    /* wait will return it */
    ENGINE_BUSY,      /* it was not taken: wait first, then submit it again */
};

/* What an engine works with from open to close. All of it outlives the engine. */
struct engine_setup {
    unsigned depth; /* most transfers that are submitted and not yet returned by wait */
    const struct io_file *files;
    unsigned file_count;
    unsigned char *buffers; /* all buffers, one after the other */
    size_t buffers_bytes;
    const struct engine_options *options;
    const void *target; /* from io_queue_setup, for an engine that one program brings along */
};

enum engine_capability {
    ENGINE_QUEUES = 1,       /* it has many transfers in flight: a depth above 1 makes sense */
    ENGINE_STORES = 2,       /* what is written is there when it is read */
    ENGINE_NEEDS_DIRECT = 4, /* buffered transfers are not asynchronous */
    ENGINE_REQUESTS = 8, /* a transfer is a request of any length: its result, 0 included, is its
                          * length, and never short */
};

/* For wait: no deadline. */
#define ENGINE_NO_DEADLINE UINT64_MAX

struct engine_ops {
    const char *name;
    const char *summary; /* one line for --engine=help */
    unsigned capabilities;

    /* 0 when it works on this system; else a negative errno, and the reason in e. */
    int (*available)(struct err *e);

    /* Bytes of state for that depth, which its caller provides: zeroed, aligned for anything. */
    size_t (*state_bytes)(unsigned depth);

    /* Prepares the state. A failure leaves nothing to close. */
    int (*open)(void *state, const struct engine_setup *setup, struct err *e);

    /* Takes one transfer. io stays where it is until it is completed. */
    enum engine_answer (*submit)(void *state, struct io *io);

    /*
     * Hands everything that was queued to the system, and waits until at least `least` transfers
     * are complete (0: it does not wait, but sees all that are complete by now), or until
     * clock_ns() reaches until_ns; an engine whose transfers may take seconds may also return
     * earlier, so that its caller can see that the run is to stop. Puts up to `most` completed
     * transfers, `most` being at least 1, into done. Returns their number, 0 included; or a
     * negative errno, after which no transfer is lost: after -EINTR it is called again.
     */
    int (*wait)(void *state, unsigned least, uint64_t until_ns, struct io *done[], unsigned most);

    /*
     * Whether the system knows the buffers beforehand, and need not look them up for each transfer.
     * NULL: the engine has no such thing.
     */
    bool (*has_buffers)(const void *state);

    /* Makes what was written to the file durable; 0 or a negative errno. NULL: by fsync. */
    int (*durable)(void *state, unsigned file);

    /* Ends it. Transfers are still in flight only after a failure; nothing looks at them any more.
     */
    void (*close)(void *state);
};

/* All engines, those included that this build lacks: their available() says so. Ends with NULL. */
extern const struct engine_ops *const engine_table[];

/* The engine of plain system calls, which moves the data of tests that know nothing of engines. */
#define DEFAULT_ENGINE "sync"

/* The engine of that name, or NULL. */
const struct engine_ops *engine_by_name(const char *name);

#endif
