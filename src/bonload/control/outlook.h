#ifndef BONLOAD_CONTROL_OUTLOOK_H
#define BONLOAD_CONTROL_OUTLOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/load/run.h"

/*
 * Whether a run can still succeed. When every request fails, more of them show nothing new: a
 * missing directory stays missing. A missing server may appear, so it gets more time.
 */
struct outlook {
    bool has_succeeded; /* at least one request has succeeded */
    bool is_hopeless;   /* only failures, and many: the caller must end the load */
};

/* Updates the outlook from the counts of the load, which began elapsed_ns ago. */
void outlook_look(struct outlook *o, const struct run *run, uint64_t elapsed_ns);

#endif
