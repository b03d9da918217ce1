#include "bonload/load/backlog.h"

#include "util/units.h"

#define BAD_RATE_SECONDS 2

/*
 * Adds the time for which more than one second's worth of requests were due and had not ended.
 * Between two looks the backlog grew as the schedule says, so the moment when it crossed that line
 * can be computed, even if this thread did not run then.
 */
static void look_at(struct backlog *b, const struct load *load, uint64_t ended, uint64_t now_ns)
{
    const struct arrivals *schedule = load_schedule(load);
    bool has_begun = load_has_schedule(load);
    uint64_t due = has_begun ? arrivals_due(schedule, &b->cursors[load->kind], now_ns) : 0;
    double rate = arrivals_rate(schedule, now_ns);
    double line = rate > 1 ? rate : 1;
    double backlog = due > ended ? (double)(due - ended) : 0;
    if (backlog > line) {
        double passed = (double)(now_ns - b->looked_ns);
        double above = (backlog - line) / rate * (double)BILLION;
        b->staggered_ns[load->kind] += (uint64_t)(above < passed ? above : passed);
    }
    b->is_bad |= backlog > BAD_RATE_SECONDS * line;
}

void backlog_look(struct backlog *b, const struct crew *crew, uint64_t now_ns)
{
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        if (crew->run->loads[kind].pace == PACE_RATE)
            look_at(b, &crew->run->loads[kind], crew_progress(crew, kind).ended, now_ns);
    b->looked_ns = now_ns;
}
