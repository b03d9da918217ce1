#ifndef SYNC_COORDINATOR_H
#define SYNC_COORDINATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "sync/ranks.h"
#include "util/err.h"

/*
 * Decides when a phase may begin: at once, when Enter is pressed at a prompt, together with the
 * phases of other processes, or together with those of all ranks of one run. Each of these is a
 * table of operations; all return 0 or a negative errno with a line in e, -EINTR when the run is to
 * stop.
 */
struct coordinator;

/*
 * A meeting of all ranks of a run: every rank contributes something, rank 0 gathers that, and its
 * answer goes to all others. A rank that has failed does not come, it leaves. A process without
 * others is rank 0.
 */
struct meeting {
    const char *name; /* name of the meeting, for the message about ranks that do not come */
    /* this rank's contribution of `bytes` bytes, whose number may differ between ranks */
    const void *mine;
    size_t bytes;
    /*
     * In rank 0 only, called for each rank: receives its contribution, which is valid during the
     * call.
     */
    void (*take)(void *context, unsigned rank, const void *brought, size_t bytes);
    /* In rank 0 only, called when all have come: fills the answer. Both functions may be NULL. */
    void (*decide)(void *context);
    void *context;
    void *answer; /* of the same length in all ranks */
    size_t answer_bytes;
    bool compares_clocks; /* before decide(), rank 0 compares its clock with the others' */
    /*
     * The last meeting of a run: the other ranks contribute what they have and continue without an
     * answer. It is held even after a signal, for as long as a launcher lets a process live.
     */
    bool is_last;
};

/* What one rank sends to another, while it receives as much from a third, or from the same. */
struct parcel {
    unsigned to;
    unsigned from;
    const void *sent;
    void *got;
    size_t bytes;
};

struct coordinator_ops {
    bool asks;   /* it prints a prompt, which needs a line of its own */
    bool rounds; /* the rounds of a phase begin together, too */
    /*
     * Each operation may be NULL, which does nothing. They are described with the functions below.
     */
    int (*join)(struct coordinator *c, struct err *e);
    int (*barrier)(struct coordinator *c, const char *phase, struct err *e);
    int (*meet)(struct coordinator *c, const struct meeting *m, struct err *e);
    int (*exchange)(struct coordinator *c, const struct parcel *p, struct err *e);
    void (*look)(void *c);
    void (*await_leaving)(struct coordinator *c, int rc, const struct err *e);
    int (*leave)(struct coordinator *c, int rc, struct err *e);
};

struct coordinator {
    const struct coordinator_ops *ops;
    struct ranks ranks;
    int semaphores;  /* id of the semaphore set at which processes meet */
    unsigned phases; /* number of meetings so far */
    void *state;     /* of the operations */
    /* Called before a message, to end a line that was begun on standard error; may be NULL. */
    void (*break_line)(void *context);
    void *line;
};

extern const struct coordinator_ops coordinator_alone;
extern const struct coordinator_ops coordinator_prompt;     /* prompt.c */
extern const struct coordinator_ops coordinator_semaphores; /* semaphores.c */
extern const struct coordinator_ops coordinator_mpi;        /* mpi.c, in programs built with MPI */

/* The default coordination of the running program; each program defines it. */
extern const struct coordinator_ops *const program_coordinator;

/*
 * Joins the other processes. If no semaphores were made, there is nobody to wait for: it says so on
 * standard error, and continues alone. With several ranks, each learns its number.
 */
int coordinator_join(struct coordinator *c, const struct coordinator_ops *ops, struct err *e);

/* Returns when the phase may begin; `phase` is its name for a prompt. */
int coordinator_barrier(struct coordinator *c, const char *phase, struct err *e);

/* Meets the other ranks, if there are any. */
int coordinator_meet(struct coordinator *c, const struct meeting *m, struct err *e);

/* A meeting at which rank 0 sends its bytes to all others. */
int coordinator_share(struct coordinator *c, const char *name, void *bytes, size_t count,
                      struct err *e);

/* Sends and receives a parcel. There must be other ranks, and all of them must do the same. */
int coordinator_exchange(struct coordinator *c, const struct parcel *p, struct err *e);

/*
 * Refuses ranks whose program has another version than rank 0's, or which were given other
 * arguments: they would not run the same tests.
 */
int coordinator_agree(struct coordinator *c, int argc, char *argv[], struct err *e);

/*
 * Checks whether another rank has failed while this one works, and if so, requests a stop here. For
 * the main thread only; `coordinator` is a struct coordinator *, so that thread pools and process
 * groups can call it.
 */
void coordinator_look(void *coordinator);

/*
 * In rank 0, before it leaves: waits until all other ranks have cleaned up and left; if rank 0 has
 * failed, tells them first. Does not wait after a signal.
 */
void coordinator_await_leaving(struct coordinator *c, int rc, const struct err *e);

/*
 * Leaves the others: after the last phase, so that the semaphores can be used again; after a
 * failure, when rc is not 0, so that the others fail instead of waiting for ever. With several
 * ranks, rank 0 reports the failure of any of them, and e is empty in the others; a failure of rank
 * 0 without a line has been reported already. Returns rc, or a negative errno when leaving failed
 * or another rank did.
 */
int coordinator_leave(struct coordinator *c, int rc, struct err *e);

#endif
