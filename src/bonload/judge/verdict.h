// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <jansson.h>

#include "bonload/judge/search.h"
#include "bonload/targets/profile/profile_target.h"
#include "measure/durability.h"

/* Judges whether a figure is below its limit. What was measured is a sample, so the figure has an
 * interval: the true percentile lies below its upper end with 95 %, and above its lower end with
 * 95 % (order statistics: David and Nagaraja, "Order Statistics", 2003, 7.1). The number of
 * durations is divided by the design effect, as in judge/sequential_test.h. */
enum goodness {
    GOODNESS_NONE, /* there is no limit */
    GOODNESS_GOOD, /* the upper end of the interval is below the limit, at the load asked for */
    GOODNESS_UNKNOWN,
    GOODNESS_BAD, /* its lower end is not; unknown if others used the machine */
};

struct judged_limit {
    const struct profile_limit *limit;
    uint64_t count; /* number of durations */
    uint64_t found_ns;
    uint64_t low_ns;    /* 0: there are too few durations for a lower end */
    uint64_t high_ns;   /* NO_UPPER_END: there are too few durations for one */
    bool outlasts_load; /* as in struct gauge: the longest duration is in the interval */
    bool is_withheld;   /* it would be GOODNESS_BAD, but others used the machine */
    enum goodness goodness;
};
#define NO_UPPER_END UINT64_MAX

/* Judges the durations in a gauge that has ended. A limit on the maximum needs no interval, because
 * one duration decides. A limit that is broken at a lower load than was asked for counts as broken.
 * If the load was not made, nothing is good; if the machine was busy, nothing is bad. */
struct judged_limit verdict_on(const struct gauge *g, const struct profile_limit *limit,
                               bool is_load_made, bool is_busy);

/* Computes the ranks of the interval's ends for n independent values, counted from 1 for the
 * longest; 0: the percentile may be above all values (*upper), or below all (*lower). */
void interval_ranks(uint64_t n, double percent, uint64_t *upper, uint64_t *lower);

struct duration_figures {
    const char *name;
    uint64_t count; /* number of durations */
    struct latencies times;
};

#define DURATIONS (2 + PROFILE_WORKS)

/* What was measured with one load. */
struct at_load {
    double asked; /* requests per second; 0: `clients` concurrent requests */
    unsigned clients;
    double offered;  /* requests per second that came due; 0: they have no due times */
    double achieved; /* successful requests per second */
    uint64_t requests;
    struct others machine; /* what others did meanwhile */
    /* requests, from their due times on; the syncs that they waited for; and each work */
    struct duration_figures durations[DURATIONS];
    struct judged_limit judged[PROFILE_LIMITS];
    size_t judged_count;
};

/* Whether 99 % of the requests that came due were made in time, if they have due times. */
bool at_load_is_made(const struct at_load *l);

/* What is known about a profile. Everything is copied, so the runs need not exist any more. */
struct answer {
    struct profile profile; /* with the limits that were applied */
    struct durability durability;
    struct at_load loads[PROFILE_LOADS];
    size_t load_count;
    struct gauge works[PROFILE_WORKS]; /* over all loads together: they do not depend on them */
    bool is_more_sought;
    struct search_answer more; /* what the search for a higher load has found */
};

/* Whether the profile has limits, and nothing that is written survives a crash: it needs no run. */
bool answer_is_certain(const struct answer *a);

/* The worst of all verdicts; GOODNESS_UNKNOWN: nothing was judged; GOODNESS_NONE: no limits. */
enum goodness answer_goodness(const struct answer *a);

/* Says on standard error why an answer is not good, with the figure that decides. */
void answer_complain(const struct answer *a);

/* Prints the verdict of each, and below all of them what was judged at each load. */
void answers_print(const struct answer *list, size_t count, FILE *out);

/* Prints all profiles with the sources of their limits. */
void profiles_print(FILE *out);

/* Puts the answers about a directory into a report, with the worst of them as its verdict. */
void answers_put(json_t **report, const struct answer *list, size_t count, const char *directory);
