#ifndef BONLOAD_CONTROL_SWEEP_H
#define BONLOAD_CONTROL_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "bonload/control/steps.h"
#include "bonload/plan/plan.h"
#include "bonload/stats/standing.h"

/* Makes one rate after another. Rank 0 decides for all ranks. */
struct sweep {
    const struct plan *plan;
    size_t next; /* index of the next rate */
    uint64_t begin_ns;
};

/* Begins with the first rate. loads[] becomes its shares for reads and writes. */
void sweep_begin(struct sweep *s, const struct plan *p, uint64_t now_ns,
                 uint64_t loads[LOAD_KINDS]);

/* Orders the next rate when the time of the current one is over. To be called often. */
void sweep_decide(struct sweep *s, uint64_t now_ns, struct order *order);

/* Starts the time of the rate that sweep_decide() has ordered. */
void sweep_resume(struct sweep *s, uint64_t now_ns);

/* Sets the load of step `number`, counted from 0, when the step has been measured. */
void sweep_note(const struct plan *p, size_t number, struct step *step);

#endif
