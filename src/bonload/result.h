#ifndef BONLOAD_RESULT_H
#define BONLOAD_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/failures.h"
#include "bonload/plan.h"
#include "bonload/recorder.h"
#include "bonload/series.h"
#include "bonload/slowest.h"
#include "bonload/steps.h"
#include "sync/ranks.h"

/* What a search found for one kind. */
enum found { FOUND_LOAD, FOUND_NONE, FOUND_MOST, FOUND_UNSURE };
extern const char *const found_names[];

/* How often requests failed, or came to nothing, for one reason. */
#define REASON_TEXT 256
struct reason {
    enum load_kind kind;
    uint64_t count;
    char text[REASON_TEXT];
};

/* The distinct ones; those beyond the room for them are left out. */
struct reasons_found {
    size_t count;
    struct reason list[FAILURES_MOST];
};

/* One of the longest requests. */
struct slow_result {
    uint64_t response_ns;
    double at_seconds; /* when it was due, since the beginning of the run */
    uint64_t op;
    char *name;
    char *outcome;
};

/* What was measured of the requests of one kind. */
struct kind_result {
    bool is_there;
    enum pace pace;
    double load;         /* threads, or requests per second that were asked for */
    struct tally *tally; /* of the whole run, or of the answer that a search confirmed */
    double elapsed;      /* seconds that `tally` is of */
    uint64_t begin_ns;   /* when the first request could begin, on the clock of this rank */
    uint64_t end_ns;     /* when the last one ended; 0: none did */
    uint64_t total;      /* requests of the whole run, and failures among them */
    uint64_t total_errors;
    uint64_t begun;
    uint64_t due;   /* PACE_RATE: that came due */
    double offered; /* PACE_RATE: requests per second that came due */
    uint64_t staggered_ns;
    unsigned slow_count;
    struct slow_result slowest[SLOWEST_KEPT]; /* the longest first */
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
    uint64_t latency_sum_ns; /* of the good ones */
    uint64_t latency_max_ns;
};
struct host_result {
    char name[RANK_HOST_SIZE];
    unsigned ranks; /* 0: there is no such host */
    struct rank_span span;
    double cpu_seconds;
    struct host_kind kinds[LOAD_KINDS];
};

/* How several ranks made a run together; without others all is 0. */
struct together {
    unsigned ranks;
    struct host_result *hosts; /* each at the number of its first rank: as many as ranks */
    uint64_t start_spread_ns;  /* between the first rank's start and the last one's */
    uint64_t clock_uncertainty_ns;
    unsigned worst; /* the rank with the largest share of failed requests */
    double worst_share;
};

/* Everything that a report needs. Texts belong to the plan, or to the result. */
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
    int64_t start_time_ns; /* of the clock on the wall */
    uint64_t start_ns;     /* and of this rank's clock */
    uint64_t end_ns;
    double elapsed;
    double cpu_seconds;
    bool was_stopped;       /* by a signal */
    bool is_bad_rate;       /* by -stop-on-bad-rate */
    bool is_interim;        /* the run goes on */
    bool reads_written;     /* reads choose among what was written, */
    bool has_written;       /* and there was something */
    uint64_t checked_bytes; /* by -verify */
    uint64_t damaged;
    struct together together;
};

/* Requests per second that ended, failed ones included; and without those. */
double result_rate(const struct kind_result *k);
double result_good_rate(const struct kind_result *k);

/* The share of requests that failed, in percent. */
double result_error_share(const struct result *result);

/* Adds a reason, or to one of that text; text is cut to the room for it. */
void reasons_add(struct reasons_found *r, enum load_kind kind, const char *text, uint64_t count);

/* Keeps a request if it is one of the longest, with its texts; else frees those. */
void result_add_slow(struct kind_result *k, const struct slow_result *slow);

/* The host whose requests took longest on average. Of several ranks. */
const struct host_result *together_slowest(const struct together *t);

/* Frees what the result owns. */
void result_release(struct result *result);

#endif
