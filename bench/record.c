// SPDX-License-Identifier: GPL-2.0-or-later
/* The cost of recording one latency: a loop over latencies like those of storage, with and without
 * histogram_record. Prints how many ns each turn of both takes, for a number of turns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "measure/histogram.h"

/* A power of two. The latencies must be few enough to stay in a cache, and too many for a
 * processor's predictions. */
#define LATENCIES 16384

static uint64_t latencies[LATENCIES];
static struct histogram histogram;

static double nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* 60 us, and 20 us more on average; one in a hundred takes ten times as long, one in a thousand a
 * hundred times. */
static uint64_t draw(void)
{
    double latency = 60e3 - 20e3 * log((rand() + 1.0) / (RAND_MAX + 1.0));
    int rarity = rand() % 1000;
    return (uint64_t)(latency * (rarity == 0 ? 100 : rarity <= 10 ? 10 : 1));
}

static double with_recording(size_t turns)
{
    double start = nanoseconds();
    for (size_t i = 0; i < turns; i++) {
        histogram_record(&histogram, latencies[i % LATENCIES]);
        __asm__ volatile("" : : : "memory"); /* as far apart as two operations are */
    }
    return (nanoseconds() - start) / (double)turns;
}

static double without(size_t turns)
{
    double start = nanoseconds();
    for (size_t i = 0; i < turns; i++) {
        uint64_t latency = latencies[i % LATENCIES];
        __asm__ volatile("" : : "r"(latency) : "memory");
    }
    return (nanoseconds() - start) / (double)turns;
}

int main(int argc, char *argv[])
{
    size_t turns = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    if (turns == 0)
        return 1;
    for (size_t i = 0; i < LATENCIES; i++)
        latencies[i] = draw();
    with_recording(LATENCIES); /* the first access to the memory must not count */
    double with = with_recording(turns);
    printf("%.3f %.3f\n", with, without(turns));
    return 0;
}
