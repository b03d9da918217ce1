#ifndef BONLOAD_STATS_RECORDER_H
#define BONLOAD_STATS_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/plan/words.h"
#include "measure/histogram.h"
#include "util/err.h"

/*
 * The counts of the requests of one kind. Recorders belong to CPUs and not to channels, so that
 * memory does not grow with the number of channels: several threads may count in one, with atomic
 * additions, while others read it. All fields are plain numbers, so that two can be added.
 */
struct tally {
    uint64_t bytes;
    uint64_t errors;
    uint64_t error_ns; /* sum over all failed requests, from when they were due */
    uint64_t error_longest_ns;
    uint64_t misses;      /* among requests that did not fail */
    uint64_t late;        /* requests that began more than LATE_NS after they were due */
    uint64_t connections; /* connections that were made, also by failed requests */
    uint64_t connect_ns;  /* time that they took */
    uint64_t tls_ns;      /* part of connect_ns */
    uint64_t above; /* successful requests whose judged time was above the limit of the search */
    struct histogram response;
    /* empty if requests are never due in advance: then it equals the response time */
    struct histogram service;
    struct histogram first_byte; /* empty unless the target knows it */
};

/* A request that begins within a millisecond of its due time is on time. */
#define LATE_NS UINT64_C(1000000)

/* The counts of one operation of a target that has several (meta). */
struct op_tally {
    uint64_t errors;
    uint64_t misses;
    struct histogram response;
};

/* The operations of the targets, of reads and writes together. */
#define OPS_MOST 16

struct recorder {
    struct tally kinds[LOAD_KINDS];
    struct op_tally ops[OPS_MOST]; /* memory that is not used is not allocated */
};

/* One request that has ended. */
struct observation {
    enum load_kind kind;
    unsigned op;
    uint64_t response_ns;
    uint64_t service_ns;
    uint64_t first_byte_ns; /* 0: not known */
    uint64_t late_ns;
    uint64_t judged_ns; /* what the limit applies to; 0: the response time */
    unsigned connections;
    uint64_t connect_ns;
    uint64_t tls_ns;
    uint64_t bytes;
    bool failed;
    bool missed;
};

struct recorder_rules {
    bool is_shared;   /* several threads count in one recorder */
    bool has_service; /* requests have due times */
    bool has_ops;
    uint64_t limit_ns; /* for `above`; UINT64_MAX: none */
};

/* Counts a request. */
void recorder_add(struct recorder *r, const struct recorder_rules *rules,
                  const struct observation *o);

/* Adds what part counted to whole, which nobody else looks at. */
void tally_merge(struct tally *whole, const struct tally *part);
void op_tally_merge(struct op_tally *whole, const struct op_tally *part);

/* What was counted between two snapshots. */
void tally_subtract(struct tally *difference, const struct tally *now, const struct tally *before);
void op_tally_subtract(struct op_tally *difference, const struct op_tally *now,
                       const struct op_tally *before);

/* Number of requests that have ended, successful and failed. */
static inline uint64_t tally_ended(const struct tally *t)
{
    return t->response.count + t->errors;
}

/* Several recorders, whose memory is allocated when it is touched. */
struct recorders {
    struct recorder *list;
    unsigned count;
};
int recorders_open(struct recorders *r, unsigned count, struct err *e);
void recorders_close(struct recorders *r);
void recorders_clear(struct recorders *r);
void recorders_sum(const struct recorders *r, enum load_kind kind, struct tally *sum);

/* The counts of one operation. */
void recorders_sum_op(const struct recorders *r, unsigned op, struct op_tally *sum);

/* Only the response times; cheap enough to be called many times a second. */
void recorders_sum_responses(const struct recorders *r, enum load_kind kind, struct histogram *sum);

/* Some numbers of one kind, without its histograms. */
struct counts {
    uint64_t good;
    uint64_t errors;
    uint64_t good_ns; /* sum of the response times of successful requests */
    uint64_t above;
    uint64_t bytes;
};
struct counts recorders_counts(const struct recorders *r, enum load_kind kind);

#endif
