#ifndef BONNIE_ADVICE_H
#define BONNIE_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonnie/tests.h"
#include "measure/bottleneck.h"

/*
 * Which option may give a higher figure. One table in advice.c says what fits which test and which
 * settings.
 */

/* The facts on which the choice depends. */
struct advice_facts {
    enum test_id test;
    enum bottleneck_reason reason;
    unsigned workers; /* or seekers */
    unsigned iodepth; /* operations in flight for each of them */
    unsigned cpus;    /* that the program may use */
    uint64_t operation_bytes;
    bool is_direct;           /* the test, with O_DIRECT */
    bool is_durable;          /* every write was made durable */
    bool engine_queues;       /* the test's engine keeps several operations in flight, */
    bool engine_needs_direct; /* but only with O_DIRECT */
    bool evicts;              /* caches were emptied before tests that read */
    bool is_compressible;     /* the contents of the files */
    bool lacks_journal;       /* the filesystem is an ext4 without one */
};

/*
 * Writes the advice into text: a sentence without commas, since scripts take a line with one for
 * the CSV line; or nothing, when no option would help. size is at least ADVICE_TEXT.
 */
#define ADVICE_TEXT 256
void advice_for(char text[static ADVICE_TEXT], const struct advice_facts *facts);

#endif
