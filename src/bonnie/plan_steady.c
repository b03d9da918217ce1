#include "bonnie/plan_steady.h"

#include "bonnie/settings.h"
#include "util/units.h"

#define DEFAULT_ROUND_NS    (60 * BILLION)
#define DEFAULT_MOST_ROUNDS 25

/* The first given option that needs rounds; NULL: there is none. */
static const char *option_of_rounds(const struct settings *s)
{
    return s->round_ns.given       ? "--round-time"
           : s->precondition.given ? "--precondition"
           : s->most_rounds.given  ? "--max-rounds"
           : s->require_steady     ? "--require-steady"
                                   : NULL;
}

static bool has_block_test(const bool tests[static TEST_COUNT])
{
    return tests[TEST_PUT_BLOCK] || tests[TEST_REWRITE] || tests[TEST_GET_BLOCK] ||
           tests[TEST_SEEKS] || tests[TEST_IOPS];
}

int plan_steady(struct steady_plan *steady, const bool tests[static TEST_COUNT], uint64_t time_ns,
                const struct settings *s, struct err *e)
{
    const char *alone = option_of_rounds(s);
    *steady = (struct steady_plan){
        .wanted = s->steady,
        .is_required = s->require_steady,
        .has_metric = s->steady_metric_given,
        .metric = s->steady_metric,
        .round_ns = given_or(s->round_ns, DEFAULT_ROUND_NS),
        .precondition = (unsigned)given_or(s->precondition, 0),
        .most_rounds = (unsigned)given_or(s->most_rounds, DEFAULT_MOST_ROUNDS),
    };
    if (!s->steady)
        return alone ? err_say(e, "%s: there are no rounds without --steady-state", alone) : 0;
    if (time_ns > 0)
        return err_say(e, "--time cannot be combined with --steady-state, which ends tests "
                          "when they are steady; --round-time is the time of a round");
    if (!has_block_test(tests))
        return err_say(e, "--steady-state: only put_block, rewrite, get_block, seeks and iops "
                          "can become steady, and none of them will run");
    return 0;
}
