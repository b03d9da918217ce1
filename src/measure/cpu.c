#include "measure/cpu.h"

#include <sys/resource.h>
#include <time.h>

static uint64_t nanoseconds(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

static uint64_t used_by(int who)
{
    struct rusage usage;
    if (getrusage(who, &usage) != 0)
        return 0;
    return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

uint64_t cpu_used_ns(void)
{
    return used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN);
}

uint64_t cpu_of_thread_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}
