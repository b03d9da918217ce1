// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/profiles/profile.h"
#include "bonload/targets/profile/gauge.h"
#include "util/err.h"

/*
 * The target `profile`: a request does the steps of a profile, while the program's other work goes
 * on at its own pace.
 */

/*
 * Ends the work beside the requests, after the last request, and waits for what is under way. Then
 * the gauges have the whole duration of everything that began. The load ended at load_end_ns, by
 * clock_ns().
 */
void profile_target_end(void *shared, uint64_t load_end_ns);

/*
 * The gauge of what a limit is on. It is complete after profile_target_end(), and lives until the
 * target is closed.
 */
const struct gauge *profile_target_gauge(const void *shared, uint32_t on);

/* The failure that ended the run: 0, or a negative errno with a line in e. */
int profile_target_failure(const void *shared, struct err *e);

/* Removes all files, after profile_target_end(). The gauges stay. */
int profile_target_finish(void *shared, struct err *e);
