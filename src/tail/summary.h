// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "measure/histogram.h"
#include "tail/causes.h"

/* The slowest operations of a test, and why they were slow: plain data and pure functions. */

#define MAX_TAIL   1000 /* most operations of a test that are explained */
#define TAIL_LEAST 10   /* fewest, if the test has this many */

struct tail_record {
    uint64_t start_ns; /* time of clock_ns(), or since the start of the test */
    uint64_t latency_ns;
    uint64_t offset;       /* in the file */
    enum tail_cause cause; /* the largest of `spans` */
    struct tail_spans spans;
    bool writes;
    bool is_lost; /* some events of its time are lost, so its cause is unknown */
};

/* The slowest operations so far, the slowest first. */
struct tail_slowest {
    struct tail_record records[MAX_TAIL];
    unsigned count;
};

/* Adds an operation, which takes the place of the fastest one when there is no room; and the bound
 * that one must exceed to be added, 0 while there is room. */
uint64_t tail_slowest_least(const struct tail_slowest *all);
void tail_slowest_add(struct tail_slowest *all, const struct tail_record *r);

/* The latency from which on operations are worth examining, judged by the latencies so far. */
uint64_t tail_slow_from(const struct histogram *latencies);

struct tail_summary {
    bool is_wanted;    /* false: the other fields mean nothing */
    bool is_traced;    /* the kernel's events were read */
    const char *note;  /* what could not be seen, and why; empty: everything was seen. Not owned */
    uint64_t ops;      /* number of operations of the test */
    uint64_t slowest;  /* number of operations to explain */
    uint64_t above_ns; /* latency that they all exceed */
    uint64_t lost_ops; /* number of examined operations whose events were lost in part */
    uint64_t lost_events;           /* number of lost events, as far as the kernel counted them */
    uint64_t by_cause[CAUSE_COUNT]; /* number of examined operations with each cause */
    struct tail_record *records;    /* the examined operations, in the order of time; owned */
    size_t examined;                /* their number */
};

/* Sums up a test that began at start_ns and has these latencies. Explains s->slowest operations; if
 * that is 0, a thousandth, but at least TAIL_LEAST and at most MAX_TAIL. Returns 0 or -ENOMEM. */
int tail_summary_make(struct tail_summary *s, const struct tail_slowest *all,
                      const struct histogram *latencies, uint64_t start_ns);
void tail_summary_release(struct tail_summary *s);

/* Adds a sentence: "of the slowest 100 (above 8.1 ms): 71 waited for the device itself; 29 for a
 * CPU." `what`, such as " reads", follows the number. It has no comma, because scripts take such a
 * line for the CSV line; nothing if there is nothing to say. The note is not in it. */
void tail_summary_words(struct label_text *words, const struct tail_summary *s, const char *what);
