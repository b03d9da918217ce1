#ifndef BONNIE_PLAN_STEADY_H
#define BONNIE_PLAN_STEADY_H

#include <stdbool.h>
#include <stdint.h>

#include "bonnie/tests.h"
#include "measure/round.h"
#include "util/err.h"

struct settings;

/* Block tests that are repeated until their figure is steady. */
struct steady_plan {
    bool wanted; /* false: the other fields mean nothing */
    bool is_required;
    bool has_metric; /* false: the metric is that of the test's rate */
    enum round_metric metric;
    uint64_t round_ns;
    unsigned precondition; /* how often the data set is written before the first round */
    unsigned most_rounds;
};

/*
 * Fills the steady_plan of a plan with those tests and that --time. Returns 0, or -EINVAL and a
 * line in e: options that belong to --steady-state were given without it, it cannot be combined
 * with others, or no chosen test can become steady.
 */
int plan_steady(struct steady_plan *steady, const bool tests[static TEST_COUNT], uint64_t time_ns,
                const struct settings *s, struct err *e);

#endif
