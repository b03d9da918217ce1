#ifndef BONLOAD_SWEEP_H
#define BONLOAD_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "bonload/plan.h"
#include "bonload/standing.h"
#include "bonload/steps.h"

/* Several rates, one after the other, as rank 0 decides it. */
struct sweep {
    const struct plan *plan;
    size_t next; /* rate to be set next */
    uint64_t begin_ns;
};

/* Begins with the first rate: loads[] becomes what reads and writes have of it. */
void sweep_begin(struct sweep *s, const struct plan *p, uint64_t now_ns,
                 uint64_t loads[LOAD_KINDS]);

/* To be called often: goes to the next rate when its time has come. */
void sweep_decide(struct sweep *s, uint64_t now_ns, struct order *order);

/* Notes what load the step of that number was, from 0 on, when it has been measured. */
void sweep_note(const struct plan *p, size_t number, struct step *step);

#endif
