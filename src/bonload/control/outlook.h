#ifndef BONLOAD_CONTROL_OUTLOOK_H
#define BONLOAD_CONTROL_OUTLOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/load/run.h"

/*
 * Whether a run has any prospect of success. If nothing succeeds, repeating it shows nothing new: a
 * missing directory stays missing. A missing server may appear, so it gets more time.
 */
struct outlook {
    bool has_succeeded; /* a request has succeeded */
    bool is_hopeless;   /* many requests have failed and none has succeeded: the load has to end */
};

/* Examines what has been counted since the load began, elapsed_ns ago. */
void outlook_look(struct outlook *o, const struct run *run, uint64_t elapsed_ns);

#endif
