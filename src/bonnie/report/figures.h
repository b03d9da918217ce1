// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/result.h"

/* Adds how the rounds of a test ended: "steady after round 9 of 25". The text has no commas,
 * because scripts take a line with a comma for the CSV line. */
void steady_words(struct label_text *words, const struct steady_result *s);

/* The `all` hook of tables for people: of several runs, a line for each test with the median,
 * smallest and largest rate, half of the 95 % confidence interval in percent of the mean, and a
 * mark if the runs vary too much (summary.h). */
int summary_table(FILE *out, const struct result runs[], size_t count);

/* Adds what O_DIRECT did in the tests that used it, without commas; nothing if none did, or their
 * figures were the page cache's all the same. Returns what was seen: "no" if one test was. */
enum direct_seen direct_words(struct label_text *words, const struct result runs[], size_t count);

/* Prints what the tables have no column for, as far as the plan wants it: throughput in MiB/s and
 * MB/s (10^6 bytes), and percentiles of latency; rows of a preset below their labels. No commas.
 * Ends the report: returns what report_end() does. */
int extra_tables(FILE *out, const struct result runs[], size_t count);

/* A result as texts, as the CSV line has them. Bonnie++'s table is made from these, so bon_csv2txt
 * makes the same one from the line. An empty text is a default, or a test that was not run. */

/* The figures of one test. */
struct figure {
    char rate[UNITS_TEXT];    /* `+++++`: the test was too short */
    char cpu[UNITS_TEXT];     /* in percent; `+++`: the test was too short */
    char latency[UNITS_TEXT]; /* with a unit */
};

/* Sets f from a test, without the latency. A rate below `small` has one decimal, others have none;
 * CPU time has cpu_decimals. The texts are empty if the test was not run. */
void figure_init(struct figure *f, const struct test_result *t, enum test_id test, double small,
                 int cpu_decimals);

struct figures {
    char label[LABEL_BYTES];
    char concurrency[UNITS_TEXT], seed[UNITS_TEXT];

    /* These are empty if no test of data files was run. */
    char size[UNITS_TEXT], chunk[UNITS_TEXT];
    char seeks[UNITS_TEXT], seekers[UNITS_TEXT]; /* never omitted, as in Bonnie++ */

    /* These are empty if no metadata test was run. Sizes are in plain bytes, as in Bonnie++. */
    char files[UNITS_TEXT];    /* number of files in units of 1024 */
    char file_max[UNITS_TEXT]; /* a size, `link` or `symlink` */
    char file_min[UNITS_TEXT];
    char directories[UNITS_TEXT];
    char file_chunk[UNITS_TEXT];

    struct figure tests[TEST_COUNT];
};

/* Rates are whole numbers, but seeks below 1000 and others below 10 keep one decimal. */
void figures_init(struct figures *f, const struct result *r);

/* Whether any of the tests from `first` up to, but not including, `end` was run. */
bool figures_any(const struct figures *f, enum test_id first, enum test_id end);
