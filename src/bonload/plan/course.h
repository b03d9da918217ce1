#ifndef BONLOAD_PLAN_COURSE_H
#define BONLOAD_PLAN_COURSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/*
 * A rate that changes with time: between two points it changes linearly, before the first and after
 * the last one it stays. Two points of the same time are a jump.
 */
#define COURSE_MOST 1000

struct course_point {
    uint64_t at_ns;
    double rate;   /* requests per second */
    double before; /* requests that are due before */
};

struct course {
    size_t count; /* 0: the rate does not change */
    struct course_point points[COURSE_MOST];
};

/* Adds a point behind the others, from time 0 on. False: it is too early, or there is no room. */
bool course_add(struct course *c, uint64_t at_ns, double rate);

/* Reads "100..2000/60s". Returns 0 or -EINVAL. */
int course_parse_ramp(struct course *c, const char *text);

/*
 * Reads a file with a time (30s, 1m30s, or seconds) and a rate on each line, and comments behind #.
 * Returns 0 or a negative errno with a line in e.
 */
int course_read(struct course *c, const char *path, struct err *e);

/* Of a course with points: its rate and the number of requests that are due at a time, and when a
 * number is reached; a quarter of UINT64_MAX: never. */
double course_rate(const struct course *c, uint64_t at_ns);
double course_due(const struct course *c, uint64_t at_ns);
uint64_t course_time(const struct course *c, double number);

/* The largest rate, and when the last point is. */
double course_peak(const struct course *c);
uint64_t course_end(const struct course *c);

#endif
