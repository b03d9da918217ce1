#ifndef SYNC_COORDINATOR_H
#define SYNC_COORDINATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "sync/ranks.h"
#include "util/err.h"

/*
 * When a phase may begin: at once, when Enter is pressed at a prompt, together with the phases of
 * other processes, or with those of all ranks of one run. Each way is a table of operations; all
 * return 0 or a negative errno with a line in e, -EINTR when the run is to stop.
 */
struct coordinator;

/*
 * A meeting of all ranks of a run: what each of them brings is gathered by rank 0, whose answer all
 * others get. A rank that has failed does not come, it leaves. A process without others is rank 0.
 */
struct meeting {
    const char *name; /* what they meet for, to name those who do not come */
    const void *mine; /* what this rank brings: `bytes` of it, which may differ between ranks */
    size_t bytes;
    /* Rank 0 only, for each rank: takes what it has brought, which lies there during the call. */
    void (*take)(void *context, unsigned rank, const void *brought, size_t bytes);
    /* Rank 0 only, when all have come: fills the answer. Both may be NULL: there is nothing to do.
     */
    void (*decide)(void *context);
    void *context;
    void *answer; /* as long in all ranks */
    size_t answer_bytes;
    bool compares_clocks; /* before decide(), rank 0 compares its clock with the others' */
    /*
     * The last one of the run, at which the others leave what they have, and go on: there is no
     * answer. After a signal it is held too, for as long as a launcher lets a process live.
     */
    bool is_last;
};

/* What one rank sends to another, while it gets as much from a third, or from the same. */
struct parcel {
    unsigned to;
    unsigned from;
    const void *sent;
    void *got;
    size_t bytes;
};

struct coordinator_ops {
    bool asks;   /* it prints a prompt, which is to have a line of its own */
    bool rounds; /* the rounds of a phase begin together, too */
    /* Each may be NULL: there is nothing to do. See the functions below. */
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
    int semaphores;  /* the id of the set at which processes meet */
    unsigned phases; /* number of meetings so far */
    void *state;     /* of the operations */
    /* Called before a message, for whoever has begun a line on standard error; may be NULL. */
    void (*break_line)(void *context);
    void *line;
};

extern const struct coordinator_ops coordinator_alone;
extern const struct coordinator_ops coordinator_prompt;     /* prompt.c */
extern const struct coordinator_ops coordinator_semaphores; /* semaphores.c */
extern const struct coordinator_ops coordinator_mpi;        /* mpi.c, in programs built with MPI */

/* How the program that runs is coordinated unless its options say otherwise; each defines it. */
extern const struct coordinator_ops *const program_coordinator;

/*
 * Joins the others. Where no semaphores were made there is nobody to wait for: says so on standard
 * error, and goes on alone. With several ranks, each is told by its own number who it is.
 */
int coordinator_join(struct coordinator *c, const struct coordinator_ops *ops, struct err *e);

/* Returns when the phase may begin; `phase` is its name for a prompt. */
int coordinator_barrier(struct coordinator *c, const char *phase, struct err *e);

/* Meets the other ranks, if there are any. */
int coordinator_meet(struct coordinator *c, const struct meeting *m, struct err *e);

/* A meeting at which rank 0 hands its own bytes to all others. */
int coordinator_share(struct coordinator *c, const char *name, void *bytes, size_t count,
                      struct err *e);

/* Sends and gets a parcel. There must be other ranks, which all do the same. */
int coordinator_exchange(struct coordinator *c, const struct parcel *p, struct err *e);

/*
 * Refuses ranks whose program has another version than rank 0's, or which were given other
 * arguments: they would not do the same tests.
 */
int coordinator_agree(struct coordinator *c, int argc, char *argv[], struct err *e);

/*
 * Looks whether another rank has failed, while this one works: then all here are asked to stop. For
 * the main thread only; `coordinator` is one, for thread pools and process groups to call.
 */
void coordinator_look(void *coordinator);

/*
 * In rank 0, before it leaves: waits until all other ranks have cleaned up, and leave; tells them
 * first if it has failed itself. After a signal it does not wait.
 */
void coordinator_await_leaving(struct coordinator *c, int rc, const struct err *e);

/*
 * Leaves the others: after the last phase, so that the semaphores serve again; after a failure,
 * when rc is not 0, so that they fail instead of waiting for ever. Of several ranks, rank 0 tells
 * the failure of any, and what e holds in the others is empty; a failure of rank 0 without a line
 * has been told already. Returns rc, or a negative errno when leaving failed or another rank did.
 */
int coordinator_leave(struct coordinator *c, int rc, struct err *e);

#endif
