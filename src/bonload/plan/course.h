// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/*
 * A rate that changes with time. It changes linearly between two points, and is constant before the
 * first and after the last one. Two points at the same time make a jump.
 */
#define COURSE_MOST 1000

struct course_point {
    uint64_t at_ns;
    double rate;   /* requests per second */
    double before; /* number of requests that are due before the point */
};

struct course {
    size_t count;    /* 0: the rate is constant */
    double peak;     /* the largest rate */
    uint64_t end_ns; /* time of the last point */
    struct course_point points[COURSE_MOST];
};

/* Adds a point. Returns false when it is earlier than the last one, or there is no room. */
bool course_add(struct course *c, uint64_t at_ns, double rate);

/* Parses "100..2000/60s". Returns 0 or -EINVAL. */
int course_parse_ramp(struct course *c, const char *text);

/*
 * Adds the points of a file with a time (30s, 1m30s, or seconds) and a rate on each line; comments
 * begin with #. Returns 0, or a negative errno with a line in e.
 */
int course_read(struct course *c, const char *path, struct err *e);

/*
 * These need a course with points. course_rate() returns the rate at a time, in requests per
 * second; course_due() the number of requests that are due by then; course_time() when that number
 * is reached, in ns (a quarter of UINT64_MAX: never).
 */
double course_rate(const struct course *c, uint64_t at_ns);
double course_due(const struct course *c, uint64_t at_ns);
uint64_t course_time(const struct course *c, double number);
