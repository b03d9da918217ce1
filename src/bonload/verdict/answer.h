#ifndef BONLOAD_VERDICT_ANSWER_H
#define BONLOAD_VERDICT_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/profiles/profile.h"
#include "bonload/verdict/verdict.h"

/*
 * The findings about a profile. Everything is copied, so the runs need not exist any more.
 * answer_release() frees the gauges.
 */

/* Durations of something, in ns. */
struct span_figures {
    const char *name;
    uint64_t count;
    uint64_t p50;
    uint64_t p99;
    uint64_t longest;
};

/* The measurements at one load. */
struct at_load {
    double asked; /* requests per second; 0: `clients` concurrent requests */
    unsigned clients;
    double achieved;
    uint64_t requests;
    struct span_figures response; /* from when a request should have begun */
    struct span_figures sync;     /* syncs that requests waited for */
    struct span_figures works[PROFILE_WORKS];
    struct judged judged[PROFILE_LIMITS];
    size_t judged_count;
};

/* The result of searching for a higher load. */
enum more { MORE_NOT_SOUGHT, MORE_FOUND, MORE_NONE, MORE_MOST, MORE_UNSURE };

struct answer {
    struct profile profile; /* with the limits that were applied */
    struct at_load loads[PROFILE_LOADS];
    size_t load_count;
    struct gauge works[PROFILE_WORKS]; /* over all loads together, on which they do not depend */
    enum more more;
    double most; /* requests per second */
};

void answer_release(struct answer *a);

/* The worst of all verdicts: GOODNESS_NONE if there is none. */
enum goodness answer_goodness(const struct answer *a);

/*
 * The deciding judgement: one with that verdict and, if there are several, the one closest to its
 * limit or furthest above it; *load is its load. NULL: nothing was judged.
 */
const struct judged *answer_decider(const struct answer *a, const struct at_load **load);

#endif
