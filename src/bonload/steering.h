#ifndef BONLOAD_STEERING_H
#define BONLOAD_STEERING_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/conductor.h"

/*
 * A load that is changed, or ended, by how it goes: a search, a sweep, -stop-on-bad-rate. At every
 * look all ranks say how their parts stand, rank 0 decides, and all obey: so each step begins when
 * all have heard of it. Functions that return an int return 0 or a negative errno with a line in e.
 */

/* True when all ranks have to look together until the end. */
bool steering_is_needed(const struct conductor *c);

/* Begins a search or a sweep with its first load. */
void steering_begin(struct conductor *c, uint64_t now_ns);

int steering_look(struct conductor *c, uint64_t now_ns, struct err *e);

/* Measures the step of a sweep in which the run has ended early. */
int steering_end(struct conductor *c, uint64_t now_ns, struct err *e);

#endif
