#include "bonload/load/backlog.h"

#include "util/units.h"

#define BAD_RATE_SECONDS 2

/* Number of a schedule's requests that are due by now_ns. */
static uint64_t due_by(struct backlog *b, const struct load *load, uint64_t now_ns)
{
    if (load->pace != PACE_RATE || !atomic_load(&load->is_open) || atomic_load(&load->rate) == 0)
        return 0;
    return arrivals_due(&load->schedules[atomic_load(&load->schedule) % SCHEDULES],
                        &b->cursors[load->kind], now_ns);
}

/*
 * Adds the time for which more than one second's worth of requests were due and had not ended.
 * Between two looks the backlog grew as the schedule says, so the moment when it crossed that line
 * can be computed, even if this thread did not run then.
 */
void backlog_look(struct backlog *b, const struct run *run, enum load_kind kind, uint64_t ended,
                  uint64_t now_ns)
{
    const struct load *load = &run->loads[kind];
    double rate = arrivals_rate(&load->schedules[atomic_load(&load->schedule) % SCHEDULES], now_ns);
    double line = rate > 1 ? rate : 1;
    uint64_t due = due_by(b, load, now_ns);
    double backlog = due > ended ? (double)(due - ended) : 0;
    if (backlog > line) {
        double passed = (double)(now_ns - b->looked_ns);
        double above = (backlog - line) / rate * (double)BILLION;
        b->staggered_ns[kind] += (uint64_t)(above < passed ? above : passed);
    }
    b->is_bad |= backlog > BAD_RATE_SECONDS * line;
}
