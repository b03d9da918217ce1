// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/ledger/names.h"
#include "bonload/ledger/written.h"
#include "bonload/plan/plan.h"

/* A target is what requests go to: files, a server, or nothing. It only carries out single
 * requests. The load thread above it (load/run.h) decides when they begin, times and counts
 * them, and reports their failures. A request goes through choose() (its operation), the load
 * thread, which gives it its number, prepare(), submit(), poll() if it was queued, and inspect();
 * the service time is that from submit() to the end. A removal gets the oldest number that was
 * written, and reads choose among later ones; one whose object was removed meanwhile is a miss. */

struct request {
    enum load_kind kind;
    unsigned channel;  /* index of the request's channel, among those of its kind */
    uint64_t number;   /* number that determines the request's name, counted from 1 */
    bool removes;      /* a write that removes the object with that number */
    bool changes;      /* a write that may change the object with that number */
    uint64_t due_ns;   /* when the request should begin, by clock_ns() */
    uint64_t start_ns; /* when the request began */
    unsigned gate;     /* step that the request belongs to: run.gate when it began */

    /* The target sets these before the request ends. */
    unsigned op;        /* index in target_ops.ops */
    uint32_t failure;   /* 0: none; otherwise a code for target_ops.describe() */
    uint32_t miss;      /* the reason if the request normally has no effect; 0: it had an effect */
    bool made;          /* with -remove: the request created the file that it wrote */
    uint64_t bytes;     /* number of bytes moved */
    uint64_t judged_ns; /* time that the limit of a search applies to; 0: the response time */
    uint64_t aside_ns;  /* part of the request's time that does not count: checking what was read */
    uint64_t first_byte_ns; /* time from the start to the first byte; 0: unknown */
    unsigned connections;   /* number of connections made for the request */
    uint64_t connect_ns;    /* time for making these, which does not count as service */
    uint64_t tls_ns;        /* part of connect_ns */
};

enum target_answer {
    TARGET_ENDED,  /* the request has ended */
    TARGET_QUEUED, /* poll will return it */
};

enum target_trait {
    TARGET_BLOCKS = 1,   /* submit() blocks in system calls, so each channel needs a thread */
    TARGET_INSTANT = 2,  /* requests take almost no time, and need neither names nor numbers */
    TARGET_NAMES = 4,    /* stores what is written by names, so it needs a template or a file */
    TARGET_NO_KINDS = 8, /* operations come from a single mix, and need no earlier writes */
    TARGET_FILES = 16,   /* moves the bytes of whole files, so the devices below count them, too */
    TARGET_URLS = 32,    /* names are URLs */
    TARGET_LOCAL = 64,   /* works on a filesystem of this machine, whose devices are watched */
};

/* What -verify has checked so far; all threads add to it. */
struct verify_counts {
    _Atomic uint64_t bytes;
    _Atomic uint64_t damaged; /* number of damaged reads */
};

/* What all threads of a target work with. All that it points to outlives the target. */
struct target_setup {
    const struct plan *plan;
    const struct names *names;
    const struct sizes *sizes;
    const struct pattern *pattern;       /* of what is written */
    const struct given_body *given_body; /* of all writes; NULL: the target makes bodies */
    struct written_set *written;
    struct verify_counts *verified;
    /* with -remove and TARGET_NO_KINDS: names of the files that the run has made */
    struct made_set *made;
};

/* Functions that return an int return 0, or a negative errno with a line in the e that they get. */
struct target_ops {
    const char *name;
    unsigned traits; /* bits of enum target_trait */
    /* names of the operations, with a NULL at the end; NULL: reads and writes only */
    const char *const *ops;
    const void *dialect; /* what differs between targets that share their operations */

    /* Sizes of the data that all threads share, and of those of one thread, with what each of its
     * channels adds. The caller allocates both, all zeros, and frees them at the end. */
    size_t shared_bytes;
    size_t thread_bytes;
    size_t channel_bytes;

    /* Checks the settings, and adds the target's own to the plan. NULL: there are none. */
    int (*check)(struct plan *p, const struct settings *s, struct err *e);

    /* Open the data that all threads share, and those of one thread. In either case close() and
     * leave() follow, and release what the data own. Each of the four may be NULL. */
    int (*open)(void *shared, const struct target_setup *setup, struct err *e);
    void (*close)(void *shared);
    int (*join)(void *thread, void *shared, unsigned channels, struct err *e);
    void (*leave)(void *thread);

    /* Chooses r->op by the random number `random`, and whether the request removes or changes
     * something, before it gets its number. If there is nothing to remove or to change, it becomes
     * a write instead. NULL: prepare() chooses. */
    void (*choose)(void *shared, struct request *r, uint64_t random);

    /* Prepares a request that is about to begin, in time that does not count. May be NULL. */
    void (*prepare)(void *thread, struct request *r);

    /* Begins a request; *r stays in place until its end. NULL: this build lacks the target. */
    enum target_answer (*submit)(void *thread, struct request *r);

    /* Checks what a request returned when its time has ended, and may make it fail. May be NULL. */
    void (*inspect)(void *thread, struct request *r);

    /* Stores up to `most` requests that have ended in `done`, and returns their number. If there
     * are none, waits for one until clock_ns() reaches until_ns. NULL: it never queues. */
    unsigned (*poll)(void *thread, uint64_t until_ns, struct request *done[], unsigned most);

    /* Describes a failure or a miss in at most `size` bytes with the NUL. */
    void (*describe)(const void *shared, uint32_t failure, char *text, size_t size);

    /* Removes what the request with that number wrote. NULL: the target cannot remove anything. */
    int (*remove)(void *shared, uint64_t number);

    /* Clears the target's own counts at the end of the warm-up. May be NULL. */
    void (*forget)(void *shared);
};

/* The target with that name or alias, or NULL; and all that it knows, with a NULL at the end. */
const struct target_ops *target_by_name(const char *name);
extern const char *const target_words[];
#define DEFAULT_TARGET "disk"

/* The operations of the target meta, with a NULL at the end. */
extern const char *const meta_op_names[];

/* What a request was doing when it failed. A failure's code is usually this and an errno. */
enum target_call {
    CALL_NONE,
    CALL_OPEN,
    CALL_READ,
    CALL_WRITE,
    CALL_SYNC,
    CALL_CLOSE,
    CALL_RENAME,
    CALL_UNLINK,
    CALL_SHORT,
    CALL_DAMAGED,
    CALL_OTHER,
    CALL_REASON /* the target describes the failure itself */
};
static inline uint32_t failure_of(enum target_call call, int code)
{
    return (uint32_t)call << 16 | (uint32_t)code;
}

/* Describes a failure that failure_of() made (target_ops.describe); `shared` is not used. */
void failure_describe(const void *shared, uint32_t failure, char *text, size_t size);

/* A body that the user gives as a file. It is read before the load begins. */
struct given_body {
    char *bytes;
    size_t size;
};

/* The body that one write gives to an object. Its stamp identifies the object by a hash of its
 * name, and the write by its number and the size of the body; its run is 0. So the name is enough
 * to check what an earlier run with the same seed wrote. */
struct body {
    uint64_t object;     /* names_hash() of the object's name */
    uint64_t generation; /* body_generation(); PATTERN_ANY: taken from the stamp */
    /* contents given by the user; NULL: the pattern of object and generation */
    const struct given_body *given;
};

/* Writes `length` bytes of a body, from `offset` on, to `to`. */
void body_fill(const struct pattern *p, const struct body *body, uint64_t offset, void *to,
               size_t length);

/* The generation of a write with that number, of which 23 bits are kept, and a body of that size,
 * at most 1 TiB. body_size() returns the size that a generation contains. */
uint64_t body_generation(uint64_t number, uint64_t size);
uint64_t body_size(uint64_t generation);

/* The expected body of a request: what a write must store, or what a read should return, as far as
 * that is known. Where names recur, a read that overlaps a write of the same name is not judged. */
struct expected_body {
    struct body body;
    uint64_t size;          /* UINT64_MAX: unknown */
    bool is_judged;         /* the contents are known, or the body's stamp is trusted */
    bool is_damaged;        /* a part of what was read is wrong */
    struct version version; /* for a read, if names recur: the state of its name before the read */
    uint64_t checked_bytes; /* bytes that could be judged, of all requests so far */
};

/* Prepare to write, or to read, the name with that number. `other` must have room for a name. */
void expected_of_write(struct expected_body *x, const struct target_setup *setup, const char *name,
                       uint64_t number);
void expected_of_read(struct expected_body *x, const struct target_setup *setup, const char *name,
                      uint64_t number, char *other);

/* Whether a write of the same name has begun since the read was prepared. */
bool expected_is_overlapped(const struct expected_body *x, const struct target_setup *setup);

/* Checks a part of what was read. The parts must come in order, from offset 0. If the generation is
 * taken from the stamp, a body without a sound stamp is damaged; one too short is not known. */
void expected_check(struct expected_body *x, const struct target_setup *setup, uint64_t offset,
                    const void *part, size_t length);

/* Judges a read of `bytes` bytes; with -verify counts a damaged one. 0, or as of failure_of(). */
uint32_t expected_verdict(const struct expected_body *x, const struct target_setup *setup,
                          uint64_t bytes);
