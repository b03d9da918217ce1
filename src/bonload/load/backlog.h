#ifndef BONLOAD_LOAD_BACKLOG_H
#define BONLOAD_LOAD_BACKLOG_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/load/crew.h"

#define BAD_RATE_SECONDS 2

/*
 * The requests of a rate that are due and have not ended, as frequent looks see them. A
 * second's worth is what became due in the last second, or 1 if that is less.
 */
struct backlog {
    uint64_t looked_ns;                /* time of the last look, or the start of the load */
    uint64_t staggered_ns[LOAD_KINDS]; /* time with more than one second's worth of such requests */
    bool is_bad;                       /* there were more than BAD_RATE_SECONDS' worth once */
    /* what was due at the last look, and so many seconds before */
    struct arrivals_cursor cursors[LOAD_KINDS][BAD_RATE_SECONDS + 1];
};

/* Looks at all kinds that have a rate. */
void backlog_look(struct backlog *b, const struct crew *crew, uint64_t now_ns);

#endif
