#ifndef BONLOAD_TARGETS_TARGET_H
#define BONLOAD_TARGETS_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/names.h"
#include "bonload/plan.h"
#include "bonload/sizes.h"
#include "bonload/versions.h"
#include "bonload/words.h"
#include "bonload/written.h"
#include "util/err.h"

/*
 * A target is what requests go to: files, a server, or nothing. It does what one request asks for
 * and nothing else: when requests begin, their times, counting them and putting their failures into
 * the report is the work of the driver above it (driver.h).
 */

/* One request. */
struct request {
    enum load_kind kind;
    unsigned channel;  /* number of its channel, among those of its kind */
    uint64_t number;   /* whose name it is for, from 1 on */
    bool removes;      /* a write that takes away what was written under that number */
    uint64_t due_ns;   /* when it should begin, on clock_ns() */
    uint64_t start_ns; /* when it began */

    /* Set by the target until the request has ended. */
    unsigned op;            /* its place in target_ops.ops */
    uint32_t failure;       /* 0: none; else what target_ops.describe() knows */
    uint32_t miss;          /* why it came to nothing, where that is normal; 0: it did not */
    uint64_t bytes;         /* moved */
    uint64_t aside_ns;      /* of its time, what was not for it: looking at what was read */
    uint64_t first_byte_ns; /* from its start to its first byte; 0: not known */
    unsigned connections;   /* that were made for it */
    uint64_t connect_ns;    /* what that took; it is not counted as service */
    uint64_t tls_ns;        /* of connect_ns */
};

enum target_answer {
    TARGET_ENDED,  /* the request has ended */
    TARGET_QUEUED, /* poll will return it */
};

enum target_trait {
    TARGET_BLOCKS = 1,    /* submit waits in system calls: each channel needs a thread of its own */
    TARGET_INSTANT = 2,   /* requests take next to no time, and need neither names nor numbers */
    TARGET_NAMES = 4,     /* it needs a template or a file of names */
    TARGET_STORES = 8,    /* what is written can be read: -cleanup and -verify mean something */
    TARGET_NO_KINDS = 16, /* operations are drawn from one mix: they need no earlier writes */
};

/* What all threads of a target work with; everything outlives it. */
struct target_setup {
    const struct plan *plan;
    const struct names *names; /* NULL: the target needs none */
    const struct sizes *sizes;
    struct versions *versions;
    const struct written *written;
};

struct target_ops {
    const char *name;
    const char *summary; /* one line for messages */
    unsigned traits;     /* of enum target_trait */
    const char *const
        *ops; /* names of its operations, up to a NULL; NULL: reads and writes alone */

    /* 0 when it works in this build; else a negative errno, and the reason in e. */
    int (*available)(struct err *e);

    /* Looks at what is asked for, and completes the plan with what the target has of its own; NULL:
     * there is nothing. Returns 0 or a negative errno. */
    int (*check)(struct plan *p, const struct settings *s, struct err *e);

    /* Opens what all threads share: *shared, which is NULL if there is nothing. */
    int (*open)(void **shared, const struct target_setup *setup, struct err *e);

    /* Opens one thread's part, for requests on that number of channels. */
    int (*join)(void **thread, void *shared, unsigned channels, struct err *e);

    /*
     * Chooses r->op, and whether it removes, before the request gets its number; `random` decides.
     * When there is nothing to be removed, it gets the number of a write instead. NULL: prepare
     * does.
     */
    void (*choose)(void *shared, struct request *r, uint64_t random);

    /* Gets a request ready that is about to begin; not timed. NULL: there is nothing to be done. */
    void (*prepare)(void *thread, struct request *r);

    /* Begins a request. r stays where it is until it has ended. */
    enum target_answer (*submit)(void *thread, struct request *r);

    /* Looks at what a request brought, when its time is over; it may turn out to have failed. NULL:
     * there is nothing to be looked at. */
    void (*inspect)(void *thread, struct request *r);

    /*
     * Returns up to `most` of the requests that have ended, waiting for one until clock_ns() is
     * until_ns at most. A target that never queues has none.
     */
    unsigned (*poll)(void *thread, uint64_t until_ns, struct request *done[], unsigned most);

    void (*leave)(void *thread);

    /* Puts a failure or a miss into words. */
    void (*describe)(const void *shared, uint32_t failure, char *text, size_t size);

    /* Removes what a number's request wrote; 0 or a negative errno. NULL: it cannot. */
    int (*remove)(void *shared, uint64_t number);

    /* Adds how much was looked at, and how much of it was damaged; NULL: it does not look. */
    void (*verified)(void *shared, uint64_t *checked_bytes, uint64_t *damaged);

    /* Releases what threads shared; may be NULL. */
    void (*close)(void *shared);
};

/* All targets, those included that this build lacks. Ends with NULL. */
extern const struct target_ops *const target_table[];

/* All names that target_by_name() knows, up to a NULL. */
extern const char *const target_words[];

/* The operations of the target meta, up to a NULL. */
extern const char *const meta_op_names[];

/* The target of that name, also under another name that it has, or NULL. */
const struct target_ops *target_by_name(const char *name);

/* Requests that fail say so with an errno and what was being done: the usual code of a failure. */
enum target_step {
    STEP_NONE,
    STEP_OPEN,
    STEP_READ,
    STEP_WRITE,
    STEP_SYNC,
    STEP_CLOSE,
    STEP_SHORT,
    STEP_DAMAGED,
    STEP_OTHER,
    STEP_REASON /* the target has words of its own for it */
};
static inline uint32_t failure_of(enum target_step step, int code)
{
    return (uint32_t)step << 16 | (uint32_t)code;
}
void failure_describe(const void *shared, uint32_t failure, char *text, size_t size);

#endif
