// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/targets/target.h"

/* What is counted of requests: failures and misses by their reason, the slowest requests of each
 * thread, and tallies with histograms, which belong to CPUs: a histogram has 139 KB. Tallies can be
 * read while they are being counted: a window, a slice or a step is the difference of two sums. */

/* Counts the failures of each kind. Only the target knows what codes mean. Safe in threads. */
#define MAX_FAILURES 64  /* kinds for which there is room; all others are counted together */
#define REASON_TEXT  256 /* room for the description of a failure */

struct failure {
    _Atomic uint64_t key; /* kind of load and code in one number; 0: the entry is empty */
    _Atomic uint64_t count;
    _Atomic uint64_t number; /* number of the first request that failed so; 0: unknown so far */
};

struct failures {
    struct failure list[MAX_FAILURES];
    _Atomic uint64_t others[LOAD_KINDS];
};

/* Counts a failure. `code` must not be 0. */
void failures_note(struct failures *f, enum load_kind kind, uint32_t code, uint64_t number);

/* Copies the counts so far. No other thread may use `copy`. */
void failures_copy(struct failures *copy, const struct failures *f);
void failures_clear(struct failures *f);

static inline enum load_kind failure_kind(const struct failure *f)
{
    return (enum load_kind)(atomic_load(&f->key) >> 32);
}

static inline uint32_t failure_code(const struct failure *f)
{
    return (uint32_t)atomic_load(&f->key);
}

/* The slowest requests of a thread. Others read them only in a pause, or when the run is over, and
 * may find one torn that outlives the longest pause, and ends as that is over. */
#define SLOWEST_KEPT 10

struct slow_request {
    uint64_t response_ns;
    uint64_t due_ns;
    uint64_t number;
    uint32_t failure;
    unsigned op;
};

struct slowest {
    unsigned count;
    struct slow_request list[SLOWEST_KEPT]; /* longest first */
};

/* Keeps a request if it is one of the slowest. */
static inline void slowest_add(struct slowest *s, const struct slow_request *request)
{
    bool is_full = s->count == SLOWEST_KEPT;
    if (is_full && request->response_ns <= s->list[SLOWEST_KEPT - 1].response_ns)
        return;
    unsigned at = is_full ? SLOWEST_KEPT - 1 : s->count++;
    for (; at > 0 && s->list[at - 1].response_ns < request->response_ns; at--)
        s->list[at] = s->list[at - 1];
    s->list[at] = *request;
}

static inline void slowest_merge(struct slowest *whole, const struct slowest *part)
{
    for (unsigned i = 0; i < part->count; i++)
        slowest_add(whole, &part->list[i]);
}

/* Counts of one kind's requests. Threads may share a tally. */
struct tally {
    union {
        struct {
            uint64_t bytes;
            uint64_t misses;      /* requests that did not fail but missed */
            uint64_t late;        /* requests that began more than LATE_NS after they were due */
            uint64_t connections; /* new ones, those of failed requests included */
            uint64_t connect_ns;  /* time spent on making these connections */
            uint64_t tls_ns;      /* part of connect_ns */
            uint64_t above; /* successful requests whose judged time was above a search's limit */
        };
        uint64_t numbers[7]; /* all of these */
    };
    union {
        struct {
            struct histogram response;
            struct histogram service;    /* empty without due times: then it is the response time */
            struct histogram first_byte; /* empty unless the target knows when that came */
            struct histogram failed;     /* failed requests, each from its due time */
        };
        struct histogram times[4]; /* all of these */
    };
};

#define LATE_NS UINT64_C(1000000) /* a request that begins within it of its due time is on time */

/* The tallies of both kinds are followed by those of the target's operations, if it has several, in
 * which only response, failed and misses are counted. Tallies that are not used take no memory. */
#define MAX_TALLIES ((unsigned)LOAD_KINDS + MAX_OPS)

struct recorder {
    struct tally tallies[MAX_TALLIES];
};

struct recorder_rules {
    bool is_shared;   /* several threads use one recorder */
    bool has_service; /* requests have due times */
    bool has_ops;
    uint64_t limit_ns; /* limit for tally.above; UINT64_MAX: none */
};

/* Counts a request that has ended. */
void recorder_add(struct recorder *to, const struct recorder_rules *rules, const struct request *r,
                  uint64_t response_ns, uint64_t service_ns);

/* Add the counts of `part` to `whole`, which no other thread may use, or compute what was counted
 * between two snapshots; *difference may be *now itself. */
void tally_merge(struct tally *whole, const struct tally *part);
void tally_subtract(struct tally *difference, const struct tally *now, const struct tally *before);

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

/* Adds up a kind's tallies, or those of operation `which` - LOAD_KINDS. */
void recorders_sum(const struct recorders *r, unsigned which, struct tally *sum);

/* For each kind, the counts at the last two updates, and what was counted between them. */
struct recent_counts {
    struct tally now[LOAD_KINDS];
    struct tally before[LOAD_KINDS];
    struct tally since[LOAD_KINDS];
};

void recent_update(struct recent_counts *recent, const struct recorders *r, enum load_kind kind);

/* Adds up only the response times, or those of_service. Cheap enough for many calls a second. */
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

void counts_add(struct counts *sum, const struct tally *t);
struct counts recorders_counts(const struct recorders *r, enum load_kind kind);

/* Numbers of one kind's requests since the load began. */
struct progress {
    uint64_t begun;
    uint64_t ended;
};
