#ifndef BONLOAD_TARGETS_WEB_WEB_RANGE_H
#define BONLOAD_TARGETS_WEB_WEB_RANGE_H

#include "bonload/targets/web/web_state.h"

/*
 * Reads of a part of an object at a random place: -ops=get:range=1MiB. If the object's size is
 * unknown, a HEAD asks for it first, in time that does not count. A run that only reads remembers
 * the sizes.
 */

/*
 * Sizes of objects by a hash of their names. An object may displace another one, whose size must
 * then be asked for again. Safe in threads.
 */
struct web_sizes {
    _Atomic uint64_t slots[1 << 16];
};

/*
 * Chooses the range of a request. If the size must be asked for first, sets x->asks_size instead.
 */
void web_range_prepare(struct web_exchange *x);

/*
 * To be called after a HEAD for the size: chooses the range. Returns false, with x->failure set, if
 * that is impossible.
 */
bool web_range_follow(struct web_exchange *x);

/* Sets the header Range of the next transfer, or removes that of the last one. */
void web_range_set(struct web_exchange *x, enum web_method method);

/* Judges a successful answer to a request for a range. Returns 0 or a failure. */
uint32_t web_range_verdict(const struct web_exchange *x);

#endif
