#ifndef BONLOAD_PLAN_WORDS_H
#define BONLOAD_PLAN_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/histogram.h"

/*
 * Reads and writes are counted, timed, limited and reported separately. Reports have writes first.
 */
enum load_kind { LOAD_WRITE, LOAD_READ, LOAD_KINDS };
extern const char *const load_titles[LOAD_KINDS]; /* "Writes", "Reads" */

/* How load is made. */
enum mode { MODE_RATE, MODE_THREADS, MODE_SEARCH, MODE_SWEEP };
extern const char *const mode_names[];

/* How a rate spaces its requests. */
enum arrival { ARRIVAL_CONSTANT, ARRIVAL_POISSON };
extern const char *const arrival_names[];

/* What a search varies. */
enum search_for { SEARCH_THREADS, SEARCH_RATE };
extern const char *const search_names[];

enum output_format { OUTPUT_HUMAN, OUTPUT_JSON };
extern const char *const output_names[];

/* The figure of the latency that must stay below a limit. */
enum limit_of { LIMIT_MEAN, LIMIT_PERCENTILE, LIMIT_MAX };
struct latency_limit {
    enum limit_of of;
    double percent; /* of LIMIT_PERCENTILE: above 0, below 100 */
    uint64_t nanoseconds;
};

/* Parses "20ms", "p99:20ms", "p99.9:20ms" or "max:20ms". Returns 0 or -EINVAL. */
int latency_limit_parse(const char *text, struct latency_limit *limit);

/* The figure of a distribution that the limit applies to, in ns. */
uint64_t latency_limit_figure(const struct latency_limit *limit, const struct histogram *h);

/* Formats the limited figure as "mean", "p99.9" or "max". */
#define LIMIT_TEXT 32
void latency_limit_name(const struct latency_limit *limit, char text[static LIMIT_TEXT]);

#endif
