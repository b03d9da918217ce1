// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sync/ranks.h"
#include "util/bundle.h"
#include "util/err.h"

/* Decides when a phase may begin: at once, when the user presses Enter at a prompt, together with
 * phases of other processes, or with those of all ranks of one run: each a table of operations. All
 * functions return 0, or a negative errno with a line in e; -EINTR: the run must stop. */
struct coordinator;

/* A meeting of all ranks of a run: rank 0 takes a bundle from each, and its answer goes to all
 * others. A rank that has failed does not come, but leaves. A process without others is rank 0. */
struct meeting {
    const char *name;   /* for a message about ranks that do not come */
    struct bundle mine; /* what this rank brings; coordinator_meet() releases it */
    /* Called in rank 0 for each rank, itself first. Returns false when it cannot read the bundle,
     * or has no memory for what is in it; then decide() is not called, and the meeting fails. */
    bool (*take)(void *context, unsigned rank, struct bundle_reader *brought);
    /* Called only in rank 0, when all have come: sets the answer. Both functions may be NULL. */
    void (*decide)(void *context);
    void *context;
    void *answer; /* has the same length in all ranks */
    size_t answer_bytes;
    bool compares_clocks; /* rank 0 compares its clock with the others' before decide() */
    /* This is the last meeting of a run: the other ranks bring what they have, and go on without an
     * answer. It takes place even after a signal, for as long as a launcher lets processes live. */
    bool is_last;
    const char *left; /* is_last: what is added to the name of a rank that does not come; or NULL */
    bool is_damaged;  /* some rank's bundle could not be taken */
};

/* What one rank sends to another, while it receives as much from a third one, or from the same. */
struct parcel {
    unsigned to;
    unsigned from;
    const void *sent;
    void *got;
    size_t bytes;
};

struct coordinator_ops {
    bool asks; /* prints a prompt, which needs a line of its own */
    bool laps; /* the laps of a phase begin together, too */
    /* Each operation may be NULL, and then does nothing. Functions below describe the others. */
    int (*join)(struct coordinator *c, struct err *e);
    /* Returns when the phase may begin. `phase` is its name in a prompt. */
    int (*barrier)(struct coordinator *c, const char *phase, struct err *e);
    int (*meet)(struct coordinator *c, struct meeting *m, struct err *e);
    /* Sends and receives a parcel. There are other ranks, and all of them must call this. */
    int (*exchange)(struct coordinator *c, const struct parcel *p, struct err *e);
    void (*poll)(void *c);
    /* Waits in rank 0, before it leaves, until all other ranks have cleaned up and left. If rank 0
     * has failed, tells them first. Does not wait after a signal. */
    void (*await_leaving)(struct coordinator *c, int rc, const struct err *e);
    int (*leave)(struct coordinator *c, int rc, struct err *e);
};

struct coordinator {
    const struct coordinator_ops *ops;
    struct ranks ranks;
    int semaphores;  /* id of the set of semaphores at which processes meet */
    unsigned phases; /* number of meetings so far */
    void *state;     /* belongs to the operations */
    /* Ends an unfinished line on standard error, before a message; may be NULL. */
    void (*break_line)(void *context);
    void *line;
};

extern const struct coordinator_ops coordinator_alone;
extern const struct coordinator_ops coordinator_prompt;
extern const struct coordinator_ops coordinator_semaphores; /* semaphores.c */
extern const struct coordinator_ops coordinator_mpi;        /* mpi.c, in programs built with MPI */

/* How the running program coordinates by default. Each program defines it. */
extern const struct coordinator_ops *const program_coordinator;

/* Joins the other processes. If nobody has made semaphores, there are no processes to wait for: it
 * says so on standard error, and goes on alone. Each of several ranks learns its number. */
int coordinator_join(struct coordinator *c, const struct coordinator_ops *ops, struct err *e);

/* Meet the other ranks, if there are any; coordinator_share() copies rank 0's bytes to them. */
int coordinator_meet(struct coordinator *c, struct meeting *m, struct err *e);
int coordinator_share(struct coordinator *c, const char *name, void *bytes, size_t count,
                      struct err *e);

/* For `meet`, in rank 0: takes what a rank has brought; decides, when all have come. */
void meeting_take(struct meeting *m, unsigned rank, const void *brought, size_t bytes);
void meeting_decide(const struct meeting *m);

/* Refuses ranks with another version or other arguments than rank 0: their tests would differ. */
int coordinator_agree(struct coordinator *c, int argc, char *argv[], struct err *e);

/* Checks, while this rank works, whether another one has failed; if so, requests a stop here. Only
 * the main thread may call it. `coordinator` is a struct coordinator *, which thread pools
 * need not know. */
void coordinator_poll(void *coordinator);

/* Leaves the others: after the last phase, so that the semaphores can be used again; after a
 * failure (rc is not 0), so that the others fail instead of waiting for ever. With several ranks,
 * rank 0 reports the failure of any of them, and e becomes empty in the others; one of rank 0
 * without a line has been reported. Returns rc, or a negative errno if any rank has failed. */
int coordinator_leave(struct coordinator *c, int rc, struct err *e);

/* ---- the System V semaphores at which processes of one user meet ---- */

/* Make the semaphores for `processes` processes of this user, in place of earlier ones; remove
 * those that there are. Both fail where another user has made a set under this user's key. */
int semaphores_make(int processes, struct err *e);
int semaphores_remove(struct err *e);

/* --cleanup: removes the semaphores of this user if processes have met at them and all of these
 * have ended, and says so. */
void semaphores_clean_up(void);
