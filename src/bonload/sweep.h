#ifndef BONLOAD_SWEEP_H
#define BONLOAD_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/steps.h"

/* Several rates, one after the other, as the main thread drives them. */
struct sweep {
    struct run *run;
    struct steps *steps;
    size_t next; /* rate to be set next */
    bool is_over;
};

void sweep_begin(struct sweep *s, struct run *run, struct steps *steps, uint64_t now_ns);

/* To be called often: goes to the next rate when its time has come; sets is_over after the last. */
void sweep_look(struct sweep *s, uint64_t now_ns);

/* Notes the rate that was being measured when the run ended early. */
void sweep_end(struct sweep *s, uint64_t now_ns);

#endif
