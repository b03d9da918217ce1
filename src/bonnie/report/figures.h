#ifndef BONNIE_REPORT_FIGURES_H
#define BONNIE_REPORT_FIGURES_H

#include <stdbool.h>

#include "bonnie/result.h"
#include "report/sanitize.h"
#include "util/units.h"

/*
 * A result as text, field by field, as the CSV line prints it. The Bonnie++ table is made from
 * these texts, not from the result, so that the table that bon_csv2txt makes from the line is the
 * same, rounding included. An empty text stands for a default, or for a test that was not run.
 */

/* The figures of one test. */
struct figure {
    char rate[UNITS_TEXT];    /* `+++++` when the test was too short */
    char cpu[UNITS_TEXT];     /* percent; `+++` when the test was too short */
    char latency[UNITS_TEXT]; /* with its unit */
};

struct figures {
    char label[LABEL_BYTES];
    char concurrency[UNITS_TEXT];
    char seed[UNITS_TEXT];

    /* All empty when no test of data files was run. */
    char size[UNITS_TEXT];
    char chunk[UNITS_TEXT];
    char seeks[UNITS_TEXT];   /* never omitted, as in Bonnie++ */
    char seekers[UNITS_TEXT]; /* never omitted, either */

    /* All empty when no metadata test was run. Sizes are plain bytes, as in Bonnie++. */
    char files[UNITS_TEXT];    /* in units of 1024 */
    char file_max[UNITS_TEXT]; /* or `link` or `symlink` instead of a size */
    char file_min[UNITS_TEXT];
    char directories[UNITS_TEXT];
    char file_chunk[UNITS_TEXT];

    struct figure tests[TEST_COUNT];

    /* The iops test, which has no field in the CSV line. */
    char iops_block[UNITS_TEXT];
    char iops_writes[UNITS_TEXT]; /* percent */
    char iops_p50[UNITS_TEXT];    /* percentiles of the latency, with their units */
    char iops_p99[UNITS_TEXT];
    char iops_p99_9[UNITS_TEXT];
};

/*
 * Fills f from r. Rates are whole numbers, but small ones keep one decimal, so that they do not
 * lose most of their digits: seeks below 1000, KiB/s and files per second below 10. CPU time is in
 * whole percent.
 */
void figures_init(struct figures *f, const struct result *r);

/* True when any of the tests from `first` up to, but not including, `end` was run. */
bool figures_any(const struct figures *f, enum test_id first, enum test_id end);

/* The figures that Tim Bray's Bonnie prints. */
#define CLASSIC_TESTS 6
struct classic_figures {
    char size[UNITS_TEXT]; /* size of the data, rounded to MiB */
    /*
     * In the order of its columns: rates in whole KiB per second, seeks and CPU percent with one
     * decimal, no latency.
     */
    struct figure tests[CLASSIC_TESTS];
};
void figures_classic(struct classic_figures *f, const struct result *r);

#endif
