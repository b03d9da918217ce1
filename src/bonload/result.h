#ifndef BONLOAD_RESULT_H
#define BONLOAD_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/plan.h"
#include "bonload/recorder.h"
#include "bonload/run.h"
#include "bonload/series.h"
#include "bonload/slowest.h"
#include "bonload/steps.h"

/* What a search found for one kind. */
enum found { FOUND_LOAD, FOUND_NONE, FOUND_MOST, FOUND_UNSURE };
extern const char *const found_names[];

/* What was measured of the requests of one kind. */
struct kind_result {
    bool is_there;
    enum pace pace;
    double load;         /* threads, or requests per second that were asked for */
    struct tally *tally; /* of the whole run, or of the answer that a search confirmed */
    double elapsed;      /* seconds that `tally` is of */
    uint64_t total;      /* requests of the whole run, and failures among them */
    uint64_t total_errors;
    uint64_t begun;
    uint64_t due;   /* PACE_RATE: that came due */
    double offered; /* PACE_RATE: requests per second that came due */
    uint64_t staggered_ns;
    struct slowest slowest;
    enum found found; /* of a search */
    double found_load;
};

struct op_result {
    const char *name;
    struct op_tally *tally;
};

/* Everything that a report needs. Texts belong to the plan or the run. */
struct result {
    const struct plan *plan;
    struct run *run; /* names, failures */
    struct kind_result kinds[LOAD_KINDS];
    struct op_result ops[OPS_MOST];
    size_t op_count;
    const struct steps *steps;
    const struct series *intervals;
    const struct series *timeline;
    int64_t start_time_ns; /* of the clock on the wall */
    double elapsed;
    double cpu_seconds;
    bool was_stopped;       /* by a signal */
    bool is_bad_rate;       /* by -stop-on-bad-rate */
    bool is_interim;        /* the run goes on */
    uint64_t checked_bytes; /* by -verify */
    uint64_t damaged;
};

/* Requests per second that ended, failed ones included; and without those. */
double result_rate(const struct kind_result *k);
double result_good_rate(const struct kind_result *k);

#endif
