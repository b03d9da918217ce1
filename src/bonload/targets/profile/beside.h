#ifndef BONLOAD_TARGETS_PROFILE_BESIDE_H
#define BONLOAD_TARGETS_PROFILE_BESIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "bonload/targets/profile/acts.h"

/* Work beside the requests: a thread that does its steps at its own pace. */
struct beside {
    const struct profile_work *work;
    struct actor actor;
    struct gauge gauge; /* durations of the work */
    struct event ends;
    _Atomic bool is_ending;
    _Atomic uint32_t failure; /* 0: none */
    pthread_t thread;
    bool has_thread;
};

/*
 * Starts the thread. A failure in the thread ends the run. Returns 0, or a negative errno with a
 * line in e; the caller may call beside_end() in either case.
 */
int beside_begin(struct beside *b, const struct profile_work *work, struct acts *acts,
                 uint64_t limit_ns, uint64_t stream, struct err *e);

/* Ends the thread. The gauge stays until beside_close(). */
void beside_end(struct beside *b);
void beside_close(struct beside *b);

#endif
