#ifndef BONLOAD_STATS_RECORDER_H
#define BONLOAD_STATS_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/plan/words.h"
#include "measure/histogram.h"
#include "util/err.h"

/*
 * Counts of the requests of one kind. Recorders belong to CPUs and not to channels, so memory does
 * not grow with the number of channels. Several threads may add to one tally, with atomic
 * additions, while others read it. All fields are plain numbers, so two tallies can be added.
 */
struct tally {
    uint64_t bytes;
    uint64_t misses;      /* requests that did not fail but missed (miss.h) */
    uint64_t late;        /* requests that began more than LATE_NS after they were due */
    uint64_t connections; /* number of new connections, those of failed requests included */
    uint64_t connect_ns;  /* time spent on making these connections */
    uint64_t tls_ns;      /* part of connect_ns */
    uint64_t above; /* successful requests whose judged time was above the limit of a search */
    struct histogram response;
    /* empty if requests have no due times: then the service time is the response time */
    struct histogram service;
    struct histogram first_byte; /* empty unless the target knows when the first byte came */
    struct histogram failed;     /* failed requests, each from its due time */
};

/* A request that begins within a millisecond of its due time is on time. */
#define LATE_NS UINT64_C(1000000)

/* Counts of one operation of a target that has several. */
struct op_tally {
    uint64_t errors;
    uint64_t misses;
    struct histogram response;
};

/* Most operations that a target has, reads and writes together. */
#define OPS_MOST 16

struct recorder {
    struct tally kinds[LOAD_KINDS];
    struct op_tally ops[OPS_MOST]; /* places that are not used take no memory */
};

/* One request that has ended, with times in ns. */
struct observation {
    enum load_kind kind;
    unsigned op;
    uint64_t response_ns;
    uint64_t service_ns;
    uint64_t first_byte_ns; /* 0: unknown */
    uint64_t late_ns;
    uint64_t judged_ns; /* time that the limit applies to; 0: the response time */
    unsigned connections;
    uint64_t connect_ns;
    uint64_t tls_ns;
    uint64_t bytes;
    bool failed;
    bool missed;
};

struct recorder_rules {
    bool is_shared;   /* several threads use one recorder */
    bool has_service; /* requests have due times */
    bool has_ops;
    uint64_t limit_ns; /* limit for tally.above; UINT64_MAX: none */
};

/* Counts a request. */
void recorder_add(struct recorder *r, const struct recorder_rules *rules,
                  const struct observation *o);

/* Adds the counts of `part` to `whole`. No other thread may use `whole`. */
void tally_merge(struct tally *whole, const struct tally *part);
void op_tally_merge(struct op_tally *whole, const struct op_tally *part);

/* Computes what was counted between the snapshots `before` and `now`. */
void tally_subtract(struct tally *difference, const struct tally *now, const struct tally *before);
void op_tally_subtract(struct op_tally *difference, const struct op_tally *now,
                       const struct op_tally *before);

/* Number of requests that have ended, successful or failed. */
static inline uint64_t tally_ended(const struct tally *t)
{
    return t->response.count + t->failed.count;
}

/* The service times of successful requests. */
static inline const struct histogram *tally_service(const struct tally *t)
{
    return t->service.count > 0 ? &t->service : &t->response;
}

/* An array of recorders, whose memory is allocated when it is touched. */
struct recorders {
    struct recorder *list;
    unsigned count;
    bool is_seen; /* processes that are forked later see what is counted */
};
int recorders_open(struct recorders *r, unsigned count, bool is_seen, struct err *e);
void recorders_close(struct recorders *r);
void recorders_clear(struct recorders *r);
void recorders_sum(const struct recorders *r, enum load_kind kind, struct tally *sum);

/* For each kind, the counts at the last two looks, and what was counted between them. */
struct recent {
    struct tally now[LOAD_KINDS];
    struct tally before[LOAD_KINDS];
    struct tally since[LOAD_KINDS];
};
void recent_look(struct recent *recent, const struct recorders *r, enum load_kind kind);

/* Adds up the counts of one operation over all recorders. */
void recorders_sum_op(const struct recorders *r, unsigned op, struct op_tally *sum);

/*
 * Adds up only the response times, or the service times if of_service is set. This is cheap enough
 * for many calls a second.
 */
void recorders_sum_times(const struct recorders *r, enum load_kind kind, bool of_service,
                         struct histogram *sum);

/* Some counts of one kind, without histograms. */
struct counts {
    uint64_t good;
    uint64_t errors;
    uint64_t good_ns; /* sum of the response times of successful requests */
    uint64_t above;
    uint64_t bytes;
};
struct counts recorders_counts(const struct recorders *r, enum load_kind kind);

#endif
