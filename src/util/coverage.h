// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

/* In a build with --enable-coverage, a process that does not return from main() calls this, so that
 * the lines that it has reached are recorded. In a signal handler (stop.c) it may hang, because it
 * takes locks and allocates: only tests run such a build, and kill what hangs. */
#ifdef WITH_COVERAGE
void __gcov_dump(void);
#endif

static inline void coverage_dump(void)
{
#ifdef WITH_COVERAGE
    __gcov_dump();
#endif
}
