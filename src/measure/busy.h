// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "measure/device.h"

/*
 * Whether the machine was busy with something other than the work that is measured. A busy machine
 * makes good storage look bad: a thread that has its answer waits for a CPU, the kernel threads
 * that write wait, too, and other users of the device delay its requests. It never makes bad
 * storage look good. Everything is counted by the kernel, between two readings.
 */

/* Most control groups, one above the other, whose quotas count. */
#define BUSY_GROUPS 8

/* How long the quota of a control group of this process held it back. */
struct busy_group {
    uint64_t throttled_ns; /* sum over all CPUs */
    uint64_t periods_ns;   /* length of all periods in which that happened on any CPU */
};

/* Counters at one moment. Owns nothing. */
struct busy_reading {
    uint64_t at_ns;
    unsigned cpus;      /* number of CPUs that this process may use; 0: /proc/stat cannot be read */
    uint64_t used_ns;   /* CPU time of everybody on these CPUs, as /proc/stat has it */
    uint64_t stolen_ns; /* time in which the host of this virtual machine ran something else */
    uint64_t own_ns;    /* CPU time of this process */
    unsigned group_count;
    struct busy_group groups[BUSY_GROUPS];
    bool knows_bytes;    /* false: the rest means nothing */
    uint64_t read_bytes; /* what this process caused (/proc/self/io) */
    uint64_t written_bytes;
    struct device_counters device; /* what everybody caused */
};

/* What others did. All percentages are known unless they are negative. */
struct busy_evidence {
    unsigned cpus;
    double own_percent;    /* share of all CPUs that this process used */
    double others_percent; /* share of all CPUs that others used, the kernel's threads included */
    double stolen_percent; /* share of all CPUs that the host took */
    double waited_percent; /* share of the time for which the thread that waited longest was
                              ready to run, and had no CPU */
    double throttled_percent; /* share of the time, at most, for which a quota held it back */
    double foreign_percent;   /* share of the device's bytes that others moved */
};

/* Reads the counters; d may be NULL. `root` is a prefix of /proc and /sys, "" except in tests. */
void busy_read(struct busy_reading *r, const struct device_set *d, const char *root);

/* What the measured work was, between two readings. */
struct busy_work {
    double waited_ns;  /* of the thread that waited longest for a CPU; negative: unknown */
    uint64_t requests; /* number of requests that may have changed something on the device */
};

struct busy_evidence busy_between(const struct busy_reading *before,
                                  const struct busy_reading *after, const struct busy_work *work);

/*
 * Whether the machine was busy:
 * - Others and the host used at least a quarter of the CPUs: then a thread that becomes ready to
 *   run finds its CPU taken in one of four cases.
 * - A thread waited for a CPU for at least a quarter of the time, unless this process itself used
 *   two thirds of the CPUs: then its threads waited for each other.
 * - A quota held the process back for at least a hundredth of the time, which alone breaks a limit
 *   on the 99th percentile.
 * - Others moved at least a tenth of the device's bytes.
 */
bool busy_is(const struct busy_evidence *e);

/* Counts this process's CPU time for each of several that do the same work on one machine. */
void busy_among(struct busy_evidence *e, unsigned processes);

/* Evidence in which everything is unknown. */
extern const struct busy_evidence busy_unknown;

/* Replaces *most by *other if that machine was busier. */
void busy_keep_busier(struct busy_evidence *most, const struct busy_evidence *other);

/*
 * The evidence in words, as terminal, JSON and page have it: "busy: others used 96 % of 2 CPUs
 * (busy from 25 %)" or "not busy: others used 3 % of 2 CPUs; ...". No percentage is rounded up.
 */
#define BUSY_TEXT 400
void busy_words(char text[static BUSY_TEXT], const struct busy_evidence *e);

/* Adds the CPU times in a line of /proc/stat, "cpu3 ...", in ns. Returns false for other lines. */
bool busy_parse_cpu(const char *line, unsigned *cpu, uint64_t *used_ns, uint64_t *stolen_ns);
