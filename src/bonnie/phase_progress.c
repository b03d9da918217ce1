#include "bonnie/phase_progress.h"

#include <stdio.h>
#include <string.h>

#include "bonnie/workloads/workload.h"
#include "live/progress_bar.h"

void phase_title(char title[PHASE_TITLE], const struct run_context *r, enum test_id test)
{
    const char *name = workload_of(test)->title;
    unsigned number = 0;
    unsigned count = 0;
    for (enum test_id t = 0; t < TEST_COUNT; t++) {
        count += r->plan->tests[t];
        number += t <= test && r->plan->tests[t];
    }
    if (progress_lines_is_live(&r->progress))
        snprintf(title, PHASE_TITLE, "%u of %u: %s", number, count, name);
    else
        snprintf(title, PHASE_TITLE, "%s", name);
}

struct monitor_goal phase_goal(const struct plan *p, enum test_id test)
{
    const struct workload *w = workload_of(test);
    bool is_steady = p->steady.wanted && w->uses_engine; /* then the goal is an upper limit */
    struct monitor_goal goal = {.nanoseconds = is_steady
                                                   ? p->steady.most_rounds * p->steady.round_ns
                                                   : workload_duration_ns(w, p)};
    switch (w->unit) {
    case UNIT_PERCHAR_BLOCK:
        goal.bytes = p->data.perchar_bytes;
        break;
    case UNIT_CHUNK:
        goal.bytes = goal.nanoseconds > 0 ? 1 : p->data.chunks * p->data.chunk_bytes;
        break;
    case UNIT_SEEK:
        goal.ops = is_steady ? 1 : p->data.seeks;
        break;
    case UNIT_BLOCK:
        break;
    case UNIT_FILE:
    case UNIT_NAME:
        goal.ops = p->files.count;
        break;
    }
    return goal;
}

void phase_tell(const char *title, struct run_context *r, enum test_id test,
                const struct test_result *t)
{
    char figures[PROGRESS_FIGURES];
    const struct progress_reading reading = {
        .elapsed_ns = t->elapsed_ns,
        .ops = t->ops,
        .bytes = t->bytes,
        .goal_bytes = phase_goal(r->plan, test).bytes,
    };
    size_t used = strlen(r->figures);
    progress_figures(figures, &reading);
    progress_lines_done(&r->progress, title, figures);
    snprintf(r->figures + used, sizeof r->figures - used, "  %-10s  %s\n", test_name(test),
             figures);
}
