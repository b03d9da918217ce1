#ifndef BONLOAD_TARGETS_WEB_WEB_RANGE_H
#define BONLOAD_TARGETS_WEB_WEB_RANGE_H

#include "bonload/targets/web/web_state.h"

/*
 * Reads of a part of an object, at a random place: -ops=get:range=1MiB. If the size of the object
 * is not known, a HEAD asks for it first, in time that does not count. In a run that only reads,
 * sizes are remembered.
 */

/*
 * The sizes of objects by a hash of their names. An object may take the place of another one, whose
 * size is asked for again then. Safe in threads.
 */
struct web_sizes {
    _Atomic uint64_t slots[1 << 16];
};

/* Chooses the range of a request or, if the size has to be asked for first, sets x->asks_size. */
void web_range_prepare(struct web_exchange *x);

/* Called when the size was asked for: chooses the range, or sets x->failure and returns false. */
bool web_range_follow(struct web_exchange *x);

/* Sets the header of a transfer with that method, or removes that of the last one. */
void web_range_set(struct web_exchange *x, enum web_method method);

/* What is wrong with a successful answer to a request for a range: 0 or a failure. */
uint32_t web_range_verdict(const struct web_exchange *x);

#endif
