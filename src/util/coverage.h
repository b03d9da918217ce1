#ifndef UTIL_COVERAGE_H
#define UTIL_COVERAGE_H

/*
 * Built with --enable-coverage, a process that ends by returning from main() writes down which
 * lines it reached. One that ends in another way calls this before; in every other build it does
 * nothing. stop.c does so in a signal handler, although __gcov_dump() takes locks and memory: when
 * the signal comes in the middle of malloc() the process may hang instead of ending. That is put up
 * with where only tests run, which kill what hangs, and the second signal is rare; nobody else gets
 * such a build.
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

#endif
