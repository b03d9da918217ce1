#ifndef BONLOAD_CONTROL_SWEEP_H
#define BONLOAD_CONTROL_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "bonload/control/steps.h"
#include "bonload/plan/plan.h"
#include "bonload/stats/standing.h"

/* Several rates, one after another, as rank 0 decides. */
struct sweep {
    const struct plan *plan;
    size_t next; /* index of the next rate */
    uint64_t begin_ns;
};

/* Begins with the first rate: loads[] becomes the shares of reads and writes. */
void sweep_begin(struct sweep *s, const struct plan *p, uint64_t now_ns,
                 uint64_t loads[LOAD_KINDS]);

/* Moves to the next rate when its time has come; called repeatedly. */
void sweep_decide(struct sweep *s, uint64_t now_ns, struct order *order);

/* Begins the rate that was decided on. */
void sweep_resume(struct sweep *s, uint64_t now_ns);

/* Fills in the load of the step with that number, from 0, when it has been measured. */
void sweep_note(const struct plan *p, size_t number, struct step *step);

#endif
