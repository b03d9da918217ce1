#include "bonload/load/backlog.h"

#include <math.h>

#include "util/units.h"

/* Number of requests that were due some seconds before now_ns. */
static uint64_t due_before(struct backlog *b, const struct load *load, unsigned seconds,
                           uint64_t now_ns)
{
    const struct arrivals *schedule = load_schedule(load);
    uint64_t ago_ns = seconds * BILLION;
    return now_ns < schedule->start_ns + ago_ns
               ? 0
               : arrivals_due(schedule, &b->cursors[load->kind][seconds], now_ns - ago_ns);
}

/*
 * Adds the time for which more than one second's worth of requests were due and had not ended: so
 * long as the number of those that ended is below what was due a second ago. That number grew as
 * the schedule says, so the moment when it crossed the line can be computed, even if this thread
 * did not run then.
 */
static void look_at(struct backlog *b, const struct load *load, uint64_t ended, uint64_t now_ns)
{
    if (!load_has_schedule(load))
        return;
    uint64_t due = due_before(b, load, 0, now_ns);
    double backlog = due > ended ? (double)(due - ended) : 0;
    double second = fmax((double)(due - due_before(b, load, 1, now_ns)), 1);
    double seconds =
        fmax((double)(due - due_before(b, load, BAD_RATE_SECONDS, now_ns)), BAD_RATE_SECONDS);
    if (backlog > second) {
        double rate = arrivals_rate(load_schedule(load), now_ns - BILLION);
        double passed = (double)(now_ns - b->looked_ns);
        double above = (backlog - second) / rate * (double)BILLION;
        b->staggered_ns[load->kind] += (uint64_t)(above < passed ? above : passed);
    }
    b->is_bad |= backlog > seconds;
}

void backlog_look(struct backlog *b, const struct crew *crew, uint64_t now_ns)
{
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        if (crew->run->loads[kind].pace == PACE_RATE)
            look_at(b, &crew->run->loads[kind], crew_progress(crew, kind).ended, now_ns);
    b->looked_ns = now_ns;
}
