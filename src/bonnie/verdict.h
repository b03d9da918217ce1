// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/tests.h"
#include "measure/limit.h"

/* Advises options that may give a higher figure, by a table of what fits a test and its settings:
 * what the advice depends on. */
struct advice_facts {
    enum test_id test;
    enum limit_reason reason;
    unsigned workers, iodepth; /* workers or seekers; operations in flight for each of them */
    unsigned cpus;             /* number of CPUs that the program may use */
    uint64_t operation_bytes;
    bool is_direct;           /* the test uses O_DIRECT */
    bool is_durable;          /* every write was made durable */
    bool engine_queues;       /* the test's engine can keep several operations in flight */
    bool engine_needs_direct; /* it can do so only with O_DIRECT */
    bool evicts;              /* caches are evicted before tests that read */
    bool is_compressible;     /* the files have compressible contents */
    bool lacks_journal;       /* the filesystem is an ext4 without one */
};

/* Returns the remedies that may help in a test, as a set of rows of that table; 0: none. */
uint64_t advice_for(const struct advice_facts *facts);

/* Writes a set of remedies as a sentence; an empty set gives an empty text. The set may be the
 * union of those of several tests with the same reason. The sentence has no commas, because scripts
 * take a line with a comma for the CSV line. */
#define ADVICE_TEXT 256
void advice_text(char text[static ADVICE_TEXT], uint64_t set);

/* What limited the figure of a test, or of several tests with the same reason: every percentage in
 * `most` is the largest of any of them, and in `least` the smallest. All zeros: nothing is said. */
struct verdict {
    bool is_known;
    struct judgement least, most;
    uint64_t advice; /* a set of remedies for advice_text() */
};

/* Merges `other` into `to`, if one sentence can describe both. Returns whether it can. */
bool verdict_join(struct verdict *to, const struct verdict *other);
