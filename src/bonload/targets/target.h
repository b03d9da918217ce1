#ifndef BONLOAD_TARGETS_TARGET_H
#define BONLOAD_TARGETS_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/ledger/made.h"
#include "bonload/ledger/names.h"
#include "bonload/ledger/sizes.h"
#include "bonload/ledger/versions.h"
#include "bonload/ledger/written.h"
#include "bonload/plan/plan.h"
#include "bonload/plan/words.h"
#include "util/err.h"

/*
 * A target receives requests: files, a server, or nothing. It only carries out single requests:
 * when they begin, their times, counting them, and reporting their failures are the work of the
 * driver above it (driver.h).
 */

/* One request. */
struct request {
    enum load_kind kind;
    unsigned channel;  /* index of its channel, among those of its kind */
    uint64_t number;   /* the number that determines its name, from 1 on */
    bool removes;      /* a write that removes what was written under that number */
    bool changes;      /* a write that may change it */
    uint64_t due_ns;   /* when it should begin, in clock_ns() time */
    uint64_t start_ns; /* when it began */
    unsigned gate;     /* the step that it belongs to: load.gate when it began */

    /* Set by the target before the request ends. */
    unsigned op;            /* index in target_ops.ops */
    uint32_t failure;       /* 0: none; otherwise a code for target_ops.describe() */
    uint32_t miss;          /* why it had no effect, where that is normal; 0: it had one */
    bool made;              /* with -cleanup: it created the file that it wrote */
    uint64_t bytes;         /* number of bytes moved */
    uint64_t judged_ns;     /* what the limit of a search applies to; 0: its response time */
    uint64_t aside_ns;      /* part of its time that does not count: checking what was read */
    uint64_t first_byte_ns; /* from its start to its first byte; 0: not known */
    unsigned connections;   /* number of connections made for it */
    uint64_t connect_ns;    /* time for these; it does not count as service */
    uint64_t tls_ns;        /* part of connect_ns */
};

enum target_answer {
    TARGET_ENDED,  /* the request has ended */
    TARGET_QUEUED, /* poll will return it */
};

enum target_trait {
    TARGET_BLOCKS = 1,    /* submit blocks in system calls: each channel needs a thread */
    TARGET_INSTANT = 2,   /* requests take almost no time, and need neither names nor numbers */
    TARGET_NAMES = 4,     /* it needs a template or a file of names */
    TARGET_STORES = 8,    /* what is written can be read back: -cleanup and -verify make sense */
    TARGET_FILES = 32,    /* its bytes are those of whole files, so devices count them, too */
    TARGET_URLS = 64,     /* its names are URLs */
    TARGET_NO_KINDS = 16, /* operations are drawn from a single mix, and need no earlier writes */
};

/* The data that all threads of a target work with; it outlives the target. */
struct target_setup {
    const struct plan *plan;
    const struct names *names; /* NULL: the target needs none */
    const struct sizes *sizes;
    const struct bodies *bodies; /* that are given; NULL: bodies are made */
    struct versions *versions;
    const struct written *written;
    struct made *made; /* with -cleanup, for a target without kinds: the names that it has made */
};

struct target_ops {
    const char *name;
    const char *summary; /* one line for messages */
    unsigned traits;     /* bits of enum target_trait */
    const char *const
        *ops; /* names of its operations, with a NULL at the end; NULL: only reads and writes */

    /*
     * Returns a negative errno, with the reason in e, if it does not work in this build; NULL: it
     * does.
     */
    int (*available)(struct err *e);

    /*
     * Checks the settings, and completes the plan with those of the target; NULL: there is nothing
     * to check. Returns 0 or a negative errno.
     */
    int (*check)(struct plan *p, const struct settings *s, struct err *e);

    /* Opens the data that all threads share: *shared, which is NULL if there is none. */
    int (*open)(void **shared, const struct target_setup *setup, struct err *e);

    /* Opens the data of one thread, for requests on that many channels. */
    int (*join)(void **thread, void *shared, unsigned channels, struct err *e);

    /*
     * Chooses r->op, and whether it removes or changes something, with the random number `random`,
     * before the request gets its number. When there is nothing to remove or to change, it gets the
     * number of a write instead.
     * NULL: prepare does that.
     */
    void (*choose)(void *shared, struct request *r, uint64_t random);

    /* Prepares a request that is about to begin; not timed. NULL: nothing to do. */
    void (*prepare)(void *thread, struct request *r);

    /* Begins a request. r must stay where it is until it has ended. */
    enum target_answer (*submit)(void *thread, struct request *r);

    /*
     * Checks what a request returned, after its time has ended; it may turn out to have failed.
     * NULL: nothing to check.
     */
    void (*inspect)(void *thread, struct request *r);

    /*
     * Returns up to `most` of the requests that have ended, and waits for one until clock_ns()
     * reaches until_ns. A target that never queues has no such function.
     */
    unsigned (*poll)(void *thread, uint64_t until_ns, struct request *done[], unsigned most);

    void (*leave)(void *thread);

    /* Describes a failure or a miss. */
    void (*describe)(const void *shared, uint32_t failure, char *text, size_t size);

    /*
     * Removes what the request of that number wrote. Returns 0 or a negative errno. NULL: it
     * cannot.
     */
    int (*remove)(void *shared, uint64_t number);

    /* Adds the number of bytes checked, and of damaged places; NULL: it checks nothing. */
    void (*verified)(void *shared, uint64_t *checked_bytes, uint64_t *damaged);

    /* Forgets its own counts at the end of the warm-up. May be NULL. */
    void (*forget)(void *shared);

    /* Releases the shared data; may be NULL. */
    void (*close)(void *shared);
};

/* All targets, with those that this build lacks. Ends with NULL. */
extern const struct target_ops *const target_table[];

/* All names that target_by_name() knows, with a NULL at the end. */
extern const char *const target_words[];

/* The operations of the target meta, with a NULL at the end. */
extern const char *const meta_op_names[];

/* The default. */
#define DEFAULT_TARGET "disk"

/* The target with that name or alias, or NULL. */
const struct target_ops *target_by_name(const char *name);

/* The usual code of a failure: an errno, and what was being done. */
enum target_step {
    STEP_NONE,
    STEP_OPEN,
    STEP_READ,
    STEP_WRITE,
    STEP_SYNC,
    STEP_CLOSE,
    STEP_RENAME,
    STEP_UNLINK,
    STEP_SHORT,
    STEP_DAMAGED,
    STEP_OTHER,
    STEP_REASON /* the target has its own description of it */
};
static inline uint32_t failure_of(enum target_step step, int code)
{
    return (uint32_t)step << 16 | (uint32_t)code;
}
void failure_describe(const void *shared, uint32_t failure, char *text, size_t size);

#endif
