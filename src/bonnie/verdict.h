#ifndef BONNIE_VERDICT_H
#define BONNIE_VERDICT_H

#include <stdbool.h>

#include "bonnie/advice.h"
#include "measure/bottleneck.h"

#define FILESYSTEM_TEXT 32
#define VERDICT_TEXT    128

/*
 * What limited the figure of a test, or of several tests with the same reason: in that case every
 * percentage in `most` is the largest of any test, and in `least` the smallest. A zeroed verdict
 * says nothing.
 */
struct verdict {
    bool is_known;
    struct judgement least;
    struct judgement most;
    unsigned cpus;                    /* number of CPUs that the program may use */
    char filesystem[FILESYSTEM_TEXT]; /* type of the filesystem; empty: not known */
    uint64_t advice;                  /* what may help: see advice_text() */
};

/*
 * The verdict on one test: a judgement, and the advice for it. filesystem is the type of the
 * filesystem, or NULL; facts->reason is ignored.
 */
void verdict_of_test(struct verdict *v, const struct judgement *j, const struct advice_facts *facts,
                     const char *filesystem);

/*
 * If both have the same reason, so that one sentence can describe both, merges the percentages and
 * the advice of the other into `to`. Returns whether they had.
 */
bool verdict_join(struct verdict *to, const struct verdict *other);

/*
 * The verdict in words, with the figures that it is based on: a sentence that ends in a full stop
 * and has no commas, because scripts take a line with one for the CSV line. For one test it fits
 * into the rest of its line in measured.c. Empty if the verdict says nothing.
 */
void verdict_sentence(char text[static VERDICT_TEXT], const struct verdict *v);

#endif
