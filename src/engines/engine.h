#ifndef BONNIE_ENGINES_ENGINE_H
#define BONNIE_ENGINES_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engines/options.h"
#include "io.h"
#include "util/err.h"

/*
 * An engine moves data between buffers and files: one transfer after the other, or many at once.
 * It does nothing else: counting, timing, short and interrupted transfers and the words for a
 * failure are the work of the one queue above it (queue.h). Nobody else calls an engine.
 */

enum io_kind { IO_READ, IO_WRITE };

/* One transfer. What a test has to remember of it is at the end, and no engine's business. */
struct io {
    enum io_kind kind;
    unsigned file;         /* its number among the files that the engine was opened with */
    uint64_t offset;       /* of the first byte, in the file */
    size_t length;         /* bytes to move */
    unsigned char *buffer; /* within the engine's buffers */
    ssize_t result;        /* set by the engine: bytes moved, or a negative errno */

    uint64_t mark;      /* see contents.h */
    bool changes;       /* it is, or is to become, a write that changes what is there */
    uint64_t waited_ns; /* for storage, after the transfer: part of the operation's latency */
};

/* What submit says of a transfer. */
enum engine_answer {
    ENGINE_COMPLETED, /* its result is set */
    ENGINE_QUEUED,    /* wait will return it */
    ENGINE_BUSY,      /* it was not taken: wait first, then submit it again */
};

/* What an engine works with from open to close. All of it outlives the engine. */
struct engine_setup {
    unsigned depth; /* so many transfers at most are submitted and not yet returned by wait */
    const struct io_file *files;
    unsigned file_count;
    unsigned char *buffers; /* all buffers, one after the other */
    size_t buffers_bytes;
    const struct engine_options *options;
};

enum engine_capability {
    ENGINE_QUEUES = 1,       /* it has many transfers in flight: a depth above 1 makes sense */
    ENGINE_STORES = 2,       /* what is written is there when it is read */
    ENGINE_NEEDS_DIRECT = 4, /* buffered transfers are not asynchronous */
};

struct engine_ops {
    const char *name;
    const char *summary; /* one line for --engine=help */
    unsigned capabilities;

    /* 0 when it works on this system; else a negative errno, and why not in e. */
    int (*available)(struct err *e);

    /* Bytes of state for that depth, which its caller provides: zeroed, aligned for anything. */
    size_t (*state_bytes)(unsigned depth);

    /* Prepares the state. A failure leaves nothing to close. */
    int (*open)(void *state, const struct engine_setup *setup, struct err *e);

    /* Takes one transfer. io stays where it is until it was completed. */
    enum engine_answer (*submit)(void *state, struct io *io);

    /*
     * Hands to the system all that was queued, and waits until at least `least` transfers are
     * complete (0: does not wait). Puts up to `most` of those, one at least, into done. Returns how
     * many; or a negative errno, after which no transfer is lost: after -EINTR it is called again.
     */
    int (*wait)(void *state, unsigned least, struct io *done[], unsigned most);

    /* Makes what was written to the file durable; 0 or a negative errno. NULL: by fsync. */
    int (*durable)(void *state, unsigned file);

    /* Ends it. Only after a failure there are transfers in flight; nobody looks at them any more.
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
