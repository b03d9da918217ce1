#ifndef BONNIE_PLAN_STEADY_H
#define BONNIE_PLAN_STEADY_H

#include <stdbool.h>
#include <stdint.h>

#include "bonnie/tests.h"
#include "measure/round.h"
#include "util/err.h"

struct settings;

/* How block tests are repeated until their figure is steady. */
struct steady_plan {
    bool wanted; /* false: the other fields mean nothing */
    bool is_required;
    bool has_metric; /* false: the metric is the rate of the test */
    enum round_metric metric;
    uint64_t round_ns;
    unsigned precondition; /* number of times that the data set is written before the first round */
    unsigned most_rounds;
};

/*
 * Sets the steady_plan of a plan with these tests and this --time. Returns 0, or -EINVAL with a
 * line in e when the user gave options of --steady-state without it, when it cannot be combined
 * with other options, or when no chosen test can become steady.
 */
int plan_steady(struct steady_plan *steady, const bool tests[static TEST_COUNT], uint64_t time_ns,
                const struct settings *s, struct err *e);

#endif
