#ifndef BONLOAD_SLOWEST_H
#define BONLOAD_SLOWEST_H

#include <stdint.h>

#include "bonload/words.h"

/* The requests that took longest. */
#define SLOWEST_KEPT 10

struct slow_request {
    uint64_t response_ns;
    uint64_t due_ns;
    uint64_t number;
    uint32_t failure;
    unsigned op;
};

struct slowest {
    unsigned count;
    struct slow_request list[SLOWEST_KEPT]; /* the longest first */
};

/* Keeps a request if it is one of the longest. */
static inline void slowest_add(struct slowest *s, const struct slow_request *request)
{
    unsigned at = s->count;
    if (at == SLOWEST_KEPT && request->response_ns <= s->list[at - 1].response_ns)
        return;
    if (at < SLOWEST_KEPT)
        s->count++;
    else
        at--;
    for (; at > 0 && s->list[at - 1].response_ns < request->response_ns; at--)
        s->list[at] = s->list[at - 1];
    s->list[at] = *request;
}

static inline void slowest_merge(struct slowest *whole, const struct slowest *part)
{
    for (unsigned i = 0; i < part->count; i++)
        slowest_add(whole, &part->list[i]);
}

#endif
