#ifndef BONLOAD_LOAD_BACKLOG_H
#define BONLOAD_LOAD_BACKLOG_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/load/run.h"

/* Requests of a rate that are due and have not ended, observed by frequent looks. */
struct backlog {
    uint64_t looked_ns;                /* time of the last look; at first, the start of the load */
    uint64_t staggered_ns[LOAD_KINDS]; /* how long there were more than a second's worth */
    bool is_bad;                       /* there have been more than two seconds' worth */
    struct arrivals_cursor cursors[LOAD_KINDS];
};

/* Observes one kind, of which `ended` requests have ended. The caller sets looked_ns afterwards. */
void backlog_look(struct backlog *b, const struct run *run, enum load_kind kind, uint64_t ended,
                  uint64_t now_ns);

#endif
