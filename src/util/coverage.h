#ifndef BONNIE_UTIL_COVERAGE_H
#define BONNIE_UTIL_COVERAGE_H

/*
 * Built with --enable-coverage, a process that ends by returning from main() writes down which
 * lines it reached. One that ends in another way calls this before; in every other build it does
 * nothing.
 */
#ifdef BONNIE_COVERAGE
void __gcov_dump(void);
#endif

static inline void coverage_dump(void)
{
#ifdef BONNIE_COVERAGE
    __gcov_dump();
#endif
}

#endif
