#ifndef BONLOAD_CONTROL_VERBOSE_H
#define BONLOAD_CONTROL_VERBOSE_H

#include "bonload/control/progress.h"
#include "bonload/load/run.h"

/* Reports each kind of failure once. *told has a bit for each kind that has been reported. */
void tell_failures(const struct run *run, uint64_t *told, struct progress_view *view);

/* Reports the memory use every 10 s. *told_ns is the time of the last report. */
void tell_memory(uint64_t *told_ns, uint64_t now_ns);

#endif
