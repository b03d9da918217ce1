#ifndef BONLOAD_VERDICT_ANSWER_H
#define BONLOAD_VERDICT_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/profiles/profile.h"
#include "bonload/verdict/verdict.h"

/*
 * What is known about a profile. Everything is copied, so the runs need not exist any more.
 * answer_release() frees the gauges.
 */

/* Figures of some durations, in ns. */
struct span_figures {
    const char *name;
    uint64_t count;
    uint64_t p50;
    uint64_t p99;
    uint64_t longest;
};

/* What was measured with one load. */
struct at_load {
    double asked; /* requests per second; 0: `clients` concurrent requests */
    unsigned clients;
    double achieved;
    uint64_t requests;
    struct span_figures response; /* requests, from their due times on */
    struct span_figures sync;     /* the syncs that requests waited for */
    struct span_figures works[PROFILE_WORKS];
    struct judged judged[PROFILE_LIMITS];
    size_t judged_count;
};

/* How the search for a higher load ended. */
enum more { MORE_NOT_SOUGHT, MORE_FOUND, MORE_NONE, MORE_MOST, MORE_UNSURE };

struct answer {
    struct profile profile; /* with the limits that were applied */
    struct at_load loads[PROFILE_LOADS];
    size_t load_count;
    /* over all loads together, because they do not depend on the load */
    struct gauge works[PROFILE_WORKS];
    enum more more;
    double most; /* highest load that was found, in requests per second */
};

void answer_release(struct answer *a);

/* The worst of all verdicts; GOODNESS_NONE: there is none. */
enum goodness answer_goodness(const struct answer *a);

/*
 * The judgement that decides: one with the worst verdict and, if there are several, the one nearest
 * to its limit, or the furthest above it. *load becomes its load. NULL: nothing was judged.
 */
const struct judged *answer_decider(const struct answer *a, const struct at_load **load);

#endif
