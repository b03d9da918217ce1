// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/judge/search.h"
#include "bonload/load/backing.h"
#include "bonload/load/series.h"
#include "measure/levels.h"
#include "report/document.h"
#include "sync/ranks.h"
#include "tail/summary.h"

/* The figures of a run, of one process or of all ranks together, as reports need them. */

/* How many requests failed, or missed, for one reason. */
struct reason {
    enum load_kind kind;
    uint64_t count;
    char text[REASON_TEXT];
};

/* The reasons of a run. Those for which there is no room are counted together. */
struct reasons_found {
    uint64_t others[LOAD_KINDS];
    size_t count;
    struct reason list[MAX_FAILURES];
};

#define REASON_OTHERS "of other kinds"
#define SLOW_NAME     4096 /* a longer name is cut */

struct slow_result {
    uint64_t response_ns;
    double at_seconds; /* when it was due, in seconds since the start of the run */
    unsigned op;
    char outcome[REASON_TEXT];
    char name[SLOW_NAME];
};

struct slow_results {
    unsigned count;
    struct slow_result list[SLOWEST_KEPT]; /* the slowest one first */
};

/* What was measured of one kind's requests. */
struct kind_result {
    struct tally tally; /* counts of the whole run, or of the answer that a search has confirmed */
    double elapsed;     /* number of seconds that `tally` covers */
    uint64_t begin_ns;  /* when the first request of `tally` could begin, on this rank's clock */
    uint64_t end_ns;    /* when the last one ended; 0: none did */
    uint64_t made;      /* number of requests in the whole run */
    uint64_t begun;
    uint64_t due;   /* PACE_RATE: number of requests that became due */
    double offered; /* PACE_RATE: requests per second that became due */
    uint64_t staggered_ns;
    struct search_answer answer; /* what a search has found */
};

/* What a rank measured, or all ranks together. It travels between hosts, so it has no pointers. */
struct figures {
    struct kind_result kinds[LOAD_KINDS];
    struct reasons_found failures;
    struct reasons_found misses;
    struct slow_results slowest[LOAD_KINDS];
    uint64_t start_ns; /* when the run started, on this rank's clock */
    uint64_t end_ns;
    double cpu_seconds;
    struct others machine;  /* what others did meanwhile; of several hosts the busiest */
    uint64_t checked_bytes; /* number of bytes that -verify checked */
    uint64_t damaged;
    bool was_stopped; /* a signal ended the run */
    bool is_bad_rate; /* -stop-on-bad-rate ended the run */
    bool could_read;  /* a write has succeeded, or reads do not choose among the run's writes */
    struct tally ops[MAX_OPS]; /* for each operation of the target; the others do not travel */
};

/* One host's part of a run that several ranks made together. */
struct host_result {
    char name[RANK_HOST_SIZE];
    unsigned ranks; /* number of ranks on this host; 0: the entry is empty */
    struct rank_span span;
    double cpu_seconds;
    struct counts kinds[LOAD_KINDS];
    uint64_t max_ns[LOAD_KINDS]; /* the longest successful request */
};

/* How several ranks made a run together. With one rank everything is 0. */
struct joint_run {
    unsigned ranks;
    struct host_result *hosts; /* one for each rank: a host has the index of its first rank */
    uint64_t start_spread_ns;  /* time from the first rank's start to the last rank's */
    uint64_t clock_uncertainty_ns;
    unsigned worst; /* the rank with the largest share of failed requests */
    double worst_share;
};

/* Everything that a report needs. Steps and series belong to the main loop, texts to the plan. */
struct result {
    const struct plan *plan;
    struct figures *figures; /* owned */
    size_t op_count;
    const struct levels *levels;           /* for each kind, what its speed fell to */
    struct tail_summary tails[LOAD_KINDS]; /* what the slowest requests waited for */
    const struct step *steps;              /* those of a search or a sweep */
    size_t step_count;
    struct series *series; /* INTERVALS and TIMELINE */
    int64_t start_time_ns; /* wall-clock time, since 1970 */
    bool is_of_last_load;  /* after a search: all figures except the steps are of the last load */
    bool is_exhausted;     /* -max-requests ended the run */
    bool is_above;         /* the latency is above the limit of -fail-above */
    bool is_hopeless;      /* the run ended because nothing succeeded */
    bool is_interim;       /* the run goes on */
    bool is_warmup;        /* the figures are of the warm-up */
    struct backing_use backing;
    char *first_failure; /* its description; NULL: there is none */
    struct joint_run together;
};

/* Allocates the figures of a result that has only a plan so far. Returns false when memory runs
 * out. In either case result_release() frees what the result owns, but not the result itself. */
bool result_open(struct result *result);
void result_release(struct result *result);

/* Makes the figures so far, or those of the whole run when it is over: then all ranks meet for the
 * last time, and rank 0 gets the figures of all. The caller releases the result after success. */
struct main_loop;
int result_make(struct result *result, struct main_loop *m, struct err *e);

/* The time between two moments of one clock, in seconds; 0 if the end does not come later. */
double seconds_between(uint64_t begin_ns, uint64_t end_ns);

/* Requests per second that ended: all of them, and only successful ones. */
double result_rate(const struct kind_result *k);
double result_good_rate(const struct kind_result *k);

/* A load that a search has found: "16 threads", "1.83 k/s". */
struct units_text search_load(const struct plan *p, double load);

/* Share of the requests that failed, in percent. A report tells first one above MOST_FAILED. */
#define MOST_FAILED 50
double result_error_share(const struct figures *f);

/* Fails, with a line in e, if the storage returned something other than what was written. */
int result_check(const struct result *result, struct err *e);

/* Adds `count` to the reason with that text, or adds the reason. Cuts a text that is too long. */
void reasons_add(struct reasons_found *r, enum load_kind kind, const char *text, uint64_t count);

/* The host with the largest mean latency, if there are several ranks. */
const struct host_result *together_slowest(const struct joint_run *t);

#define TOP_TEN            10 /* goader prints so many of the slowest, and these percentiles */
#define GOADER_PERCENTILES 9
extern const double goader_percentiles[GOADER_PERCENTILES];

/* What a search has found: "16 threads keep the mean of reads below 200 ms."; empty: none was. */
struct label_text found_words(const struct result *r, enum load_kind kind);

/* Prints the report for people: the answer, the figures that decide it, and what explains them. */
void report_text(const struct result *result, FILE *out);

/* Prints goader's report, to the letter, and below each kind at most five lines of ours. */
void report_human(const struct result *result, FILE *out);

/* The document of share/bonload.schema.json, and goader's, for document_end(). NULL: no memory. */
json_t *report_object(const struct result *result);
json_t *goader_object(const struct result *result);

/* Prints a distribution of latencies in ms, in the form of HdrHistogram's percentile files. */
void report_hgrm(const struct histogram *h, FILE *out);
