#ifndef BONLOAD_TARGETS_PROFILE_ACTS_H
#define BONLOAD_TARGETS_PROFILE_ACTS_H

#include "bonload/plan/plan.h"
#include "bonload/profiles/profile.h"
#include "bonload/targets/profile/log.h"
#include "bonload/targets/profile/mailbox.h"
#include "bonload/targets/profile/pages.h"
#include "util/rng.h"

/* The files of a profile, and the actions of its steps. */
struct acts {
    const struct profile *profile;
    struct storage storage;
    struct gauge syncs; /* durations of the syncs that requests wait for */
    /* each log has its index in profile.files; other entries are empty */
    struct log logs[PROFILE_FILES];
    struct pages pages[PROFILE_FILES];
    struct mailbox mailboxes[PROFILE_FILES];
    bool has_scratch;
    _Atomic uint32_t failure; /* the first failure that ends the run; 0: none */
};

/* What a thread needs to run steps. */
struct actor {
    struct acts *acts;
    struct rng random;
    bool makes_requests;   /* requests wait for its syncs */
    unsigned char *buffer; /* room for what any step reads or writes */
    uint64_t sync_ns;      /* longest sync in the last call of actor_do(); 0: none */
    uint64_t aside_ns;     /* part of its time that does not count: checking pages */
    uint64_t bytes;        /* number of bytes that it moved */
    unsigned step;         /* an enum target_step: the call that failed in it */
};

/*
 * Makes the files of the plan's profile in a private directory if there is room for them. `a` is
 * all zeros. Returns 0, or a negative errno with a line in e; the caller calls acts_close() in
 * either case.
 */
int acts_open(struct acts *a, const struct target_setup *setup, struct err *e);

/* Removes all files, unless that is done. Returns 0, or a negative errno with a line in e. */
int acts_close(struct acts *a, struct err *e);

/* `stream` selects the actor's random numbers. Returns 0, or -ENOMEM with a line in e. */
int actor_open(struct actor *t, struct acts *a, uint64_t stream, struct err *e);
void actor_close(struct actor *t);

/* Does the steps up to the first ACT_NONE. Returns 0, or the failure as of failure_of(). */
uint32_t actor_do(struct actor *t, const struct profile_step *steps);

/* Ends the run because of that failure. */
void acts_fail(struct acts *a, uint32_t failure);

#endif
