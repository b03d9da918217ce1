#ifndef BONLOAD_RESULT_RESULT_H
#define BONLOAD_RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/control/search.h"
#include "bonload/control/steps.h"
#include "bonload/load/backing.h"
#include "bonload/plan/plan.h"
#include "bonload/stats/failures.h"
#include "bonload/stats/recorder.h"
#include "bonload/stats/series.h"
#include "bonload/stats/slowest.h"
#include "sync/ranks.h"

/* The number of requests that failed, or were without effect, for one reason. */
struct reason {
    enum load_kind kind;
    uint64_t count;
    char text[REASON_TEXT];
};

/* The distinct reasons; those without room are counted together. */
struct reasons_found {
    uint64_t others[LOAD_KINDS];
    size_t count;
    struct reason list[FAILURES_MOST];
};
#define REASON_OTHERS "of other kinds"

/* One of the longest requests. */
struct slow_result {
    uint64_t response_ns;
    double at_seconds; /* when it was due, since the start of the run */
    uint64_t op;
    char *name;
    char *outcome;
};

/* The measurements of the requests of one kind. */
struct kind_result {
    bool is_there;
    enum pace pace;
    double load;         /* threads, or requests per second, that were asked for */
    struct tally *tally; /* of the whole run, or of the answer that a search confirmed */
    double elapsed;      /* seconds that `tally` covers */
    uint64_t begin_ns;   /* when the first request could begin, on this rank's clock */
    uint64_t end_ns;     /* when the last one ended; 0: none did */
    uint64_t total;      /* number of requests in `tally`, and of failures among them */
    uint64_t total_errors;
    uint64_t made; /* the same for the whole run */
    uint64_t made_errors;
    uint64_t begun;
    uint64_t due;   /* PACE_RATE: number that became due */
    double offered; /* PACE_RATE: requests per second that became due */
    uint64_t staggered_ns;
    unsigned slow_count;
    struct slow_result slowest[SLOWEST_KEPT]; /* longest first */
    enum found found;                         /* of a search */
    double found_load;
};

struct op_result {
    const char *name;
    struct op_tally *tally;
};

/* One host's part of a run that several ranks made together. */
struct host_kind {
    uint64_t requests;
    uint64_t errors;
    uint64_t bytes;
    uint64_t good;
    uint64_t latency_sum_ns; /* of successful requests */
    uint64_t latency_max_ns;
};
struct host_result {
    char name[RANK_HOST_SIZE];
    unsigned ranks; /* 0: there is no such host */
    struct rank_span span;
    double cpu_seconds;
    struct host_kind kinds[LOAD_KINDS];
};

/* How several ranks made a run together; with one rank everything is 0. */
struct together {
    unsigned ranks;
    struct host_result *hosts; /* each at the index of its first rank; as many entries as ranks */
    uint64_t start_spread_ns;  /* from the first rank's start to the last one's */
    uint64_t clock_uncertainty_ns;
    unsigned worst; /* the rank with the largest share of failed requests */
    double worst_share;
};

/* Everything that a report needs. Texts belong to the plan or to the result. */
struct result {
    const struct plan *plan;
    struct kind_result kinds[LOAD_KINDS];
    struct op_result ops[OPS_MOST];
    size_t op_count;
    struct reasons_found failures;
    struct reasons_found misses;
    const struct steps *steps;
    const struct series *intervals;
    const struct series *timeline;
    int64_t start_time_ns; /* wall-clock time */
    uint64_t start_ns;     /* the same on this rank's clock */
    uint64_t end_ns;
    double elapsed;
    double cpu_seconds;
    bool is_of_last_load;   /* of a search: all figures except the steps cover only the last load */
    bool was_stopped;       /* ended by a signal */
    bool is_exhausted;      /* ended by -max-requests */
    bool is_above;          /* the latency, of -fail-above */
    bool is_bad_rate;       /* ended by -stop-on-bad-rate */
    bool is_hopeless;       /* ended because nothing had succeeded */
    bool is_interim;        /* the run continues */
    bool reads_written;     /* reads choose among what was written, */
    bool has_written;       /* and something was written */
    uint64_t checked_bytes; /* by -verify */
    uint64_t damaged;
    struct backing_use backing;
    char *first_failure; /* described; NULL: none is known */
    struct together together;
};

/* Requests per second that ended, with failed ones, and without them. */
double result_rate(const struct kind_result *k);
double result_good_rate(const struct kind_result *k);

/*
 * True when nearly every request needed a new connection, although fewer than a tenth of them were
 * in flight at a time: the server does not keep connections alive.
 */
bool result_reconnects(const struct kind_result *k);

/* The share of requests that failed, in percent. */
double result_error_share(const struct result *result);

/* Adds a reason, or adds to the one with that text, which is cut to the available room. */
void reasons_add(struct reasons_found *r, enum load_kind kind, const char *text, uint64_t count);

/* Keeps a request with its texts if it is one of the longest; otherwise frees the texts. */
void result_add_slow(struct kind_result *k, const struct slow_result *slow);

/* With several ranks: the host with the largest mean latency. */
const struct host_result *together_slowest(const struct together *t);

/* Frees what the result owns. */
void result_release(struct result *result);

#endif
