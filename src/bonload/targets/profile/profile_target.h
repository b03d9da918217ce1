#ifndef BONLOAD_TARGETS_PROFILE_PROFILE_TARGET_H
#define BONLOAD_TARGETS_PROFILE_PROFILE_TARGET_H

#include "bonload/profiles/profile.h"
#include "bonload/targets/profile/gauge.h"
#include "util/err.h"

/*
 * The target `profile`: a request runs the steps of a profile, while the program's background work
 * runs at its own pace.
 */

/* The gauge that a limit applies to; valid until the target is closed. */
const struct gauge *profile_target_gauge(const void *shared, uint32_t on);

/* The failure that has ended the run: 0, or a negative errno with a line in e. */
int profile_target_failure(const void *shared, struct err *e);

/*
 * Ends the background work and removes all files; the figures stay. Returns 0 or a negative errno
 * with a line in e.
 */
int profile_target_finish(void *shared, struct err *e);

#endif
