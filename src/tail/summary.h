#ifndef TAIL_SUMMARY_H
#define TAIL_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/histogram.h"
#include "tail/causes.h"

/* The slowest operations of a test, and why they were slow: plain data, and pure functions. */

/* The most operations of a test that are examined. */
#define TAIL_MOST 1000

/* The least, if the test has that many. */
#define TAIL_LEAST 10

struct tail_record {
    uint64_t start_ns; /* on the clock of clock_ns(), or since the start of the test */
    uint64_t latency_ns;
    uint64_t offset; /* in its file */
    enum tail_cause cause;
    bool writes;
    bool is_lost; /* events of its time are lost, so nothing is known of it */
};

/* The slowest operations so far. */
struct tail_heap {
    struct tail_record records[TAIL_MOST];
    unsigned count;
};

/* The latency from which on an operation is among the slowest; 0 while there is room. */
uint64_t tail_heap_least(const struct tail_heap *h);

/* Adds an operation, in the place of the fastest one if there is no room. */
void tail_heap_add(struct tail_heap *h, const struct tail_record *r);

/*
 * By the latencies so far: that from which on an operation is worth being examined. These are
 * several times as many as will be explained.
 */
uint64_t tail_slow_from(const struct histogram *latencies);

struct tail_summary {
    bool is_wanted;       /* false: the other fields mean nothing */
    bool is_traced;       /* the kernel's events were looked at */
    const char *note;     /* what could not be seen, and why; empty: nothing. Not owned */
    uint64_t ops;         /* of the test */
    uint64_t slowest;     /* number of operations that are to be explained */
    uint64_t above_ns;    /* latency that all of these exceed */
    uint64_t lost_ops;    /* number of examined operations of which events are lost */
    uint64_t lost_events; /* number of events that the kernel lost, as far as it counted them */
    uint64_t by_cause[CAUSE_COUNT]; /* number of examined operations with each cause */
    struct tail_record *records;    /* the operations that were examined, by time; owned */
    size_t examined;                /* their number */
};

/*
 * Sums up the slowest of the operations in the histogram. start_ns is when the test began. Returns
 * 0 or -ENOMEM.
 */
int tail_summary_make(struct tail_summary *s, const struct tail_heap *h,
                      const struct histogram *latencies, uint64_t start_ns);

void tail_summary_release(struct tail_summary *s);

/* The share of the examined operations that has this cause, in percent. */
double tail_summary_percent(const struct tail_summary *s, enum tail_cause cause);

/* Room for a sentence about a test. */
#define TAIL_TEXT 640

/*
 * "of the slowest 0.1 % (above 8.1 ms): 71 % the device itself took that long; 29 % waited for a
 * CPU." Causes are in the order of their shares. It has no commas: scripts take a line with one for
 * the CSV line. Empty: there is nothing to say.
 */
void tail_summary_words(char text[static TAIL_TEXT], const struct tail_summary *s);

#endif
