#ifndef BONNIE_ADVICE_H
#define BONNIE_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonnie/tests.h"
#include "measure/bottleneck.h"

/*
 * Advises options that may give a higher figure. The table in advice.c says which of them fit a
 * test and its settings.
 */

/* What the advice depends on. */
struct advice_facts {
    enum test_id test;
    enum bottleneck_reason reason;
    unsigned workers; /* workers or seekers */
    unsigned iodepth; /* operations in flight for each of them */
    unsigned cpus;    /* number of CPUs that the program may use */
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

/*
 * Writes a set of remedies as a sentence; an empty set gives an empty text. The set may be the
 * union of those of several tests with the same reason. The sentence has no commas, because scripts
 * take a line with a comma for the CSV line.
 */
#define ADVICE_TEXT 256
void advice_text(char text[static ADVICE_TEXT], uint64_t set);

#endif
