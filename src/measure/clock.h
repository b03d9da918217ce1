#ifndef MEASURE_CLOCK_H
#define MEASURE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds on the monotonic clock; only differences mean anything. */
static inline uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A number of nanoseconds, or a moment on the clock, as system calls take it. */
static inline struct timespec clock_timespec(uint64_t nanoseconds)
{
    return (struct timespec){.tv_sec = (time_t)(nanoseconds / 1000000000),
                             .tv_nsec = (long)(nanoseconds % 1000000000)};
}

/* The time that is left until that moment; 0 when it has passed. */
static inline struct timespec clock_left(uint64_t until_ns)
{
    uint64_t now_ns = clock_ns();
    return clock_timespec(until_ns > now_ns ? until_ns - now_ns : 0);
}

#endif
