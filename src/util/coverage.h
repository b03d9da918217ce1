// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

/*
 * In a build with --enable-coverage, a process that returns from main() records which lines it has
 * reached. A process that ends in another way calls coverage_dump() before. In other builds that
 * does nothing.
 *
 * stop.c calls it in a signal handler, although __gcov_dump() takes locks and allocates: if the
 * signal comes in the middle of malloc(), the process may hang instead of ending. That is
 * acceptable because only tests run such a build, they kill whatever hangs, and a second signal is
 * rare.
 */
#ifdef WITH_COVERAGE
void __gcov_dump(void);
#endif

static inline void coverage_dump(void)
{
#ifdef WITH_COVERAGE
    __gcov_dump();
#endif
}
