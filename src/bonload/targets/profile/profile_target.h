#ifndef BONLOAD_TARGETS_PROFILE_PROFILE_TARGET_H
#define BONLOAD_TARGETS_PROFILE_PROFILE_TARGET_H

#include "bonload/profiles/profile.h"
#include "bonload/targets/profile/gauge.h"
#include "util/err.h"

/*
 * The target `profile`: a request does the steps of a profile, while the program's other work goes
 * on at its own pace.
 */

/* The gauge of what a limit is on. It lives until the target is closed. */
const struct gauge *profile_target_gauge(const void *shared, uint32_t on);

/* The failure that ended the run: 0, or a negative errno with a line in e. */
int profile_target_failure(const void *shared, struct err *e);

/*
 * Ends the work beside the requests, and removes all files. The gauges stay. Returns 0, or a
 * negative errno with a line in e.
 */
int profile_target_finish(void *shared, struct err *e);

#endif
