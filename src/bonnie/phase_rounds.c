#include "bonnie/phase_rounds.h"

#include "bonnie/precondition.h"
#include "util/message.h"

int phase_rounds_begin(struct rounds *rounds, struct run_context *r, enum test_id test,
                       const struct section *section, struct err *e)
{
    const struct steady_plan *p = &r->plan->steady;
    const enum round_metric of_rate = test_counts_operations(test) ? ROUND_IOPS : ROUND_BANDWIDTH;
    *rounds = (struct rounds){
        .section = section,
        .stats = &r->stats,
        .metric = p->has_metric ? p->metric : of_rate,
        .most = p->most_rounds,
    };
    int rc = rounds_open(rounds, e);
    return rc == 0 ? precondition(r, e) : rc;
}

static void tell_round(const struct rounds *rounds, struct run_context *r, enum test_id test)
{
    const struct round *last = &rounds->list[rounds->count - 1];
    progress_lines_break(&r->progress);
    message("%s: round %u: %.0f %s", test_name(test), rounds->count,
            round_figure(last, rounds->metric), round_unit(rounds->metric));
}

bool phase_rounds_next(struct rounds *rounds, struct run_context *r, enum test_id test)
{
    bool goes_on = rounds_end(rounds);
    if (r->plan->verbose > 0)
        tell_round(rounds, r, test);
    return goes_on;
}

struct steady_result phase_rounds_take(struct rounds *rounds, const struct plan *p)
{
    struct steady_result steady = {
        .wanted = true,
        .is_steady = rounds->is_steady,
        .metric = rounds->metric,
        .round_ns = p->steady.round_ns,
        .most_rounds = p->steady.most_rounds,
        .precondition = p->steady.precondition,
        .fit = rounds->fit,
        .rounds = rounds->list,
        .count = rounds->count,
    };
    rounds->list = NULL;
    return steady;
}
