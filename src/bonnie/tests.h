// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

/* The tests, in the order in which they run and are reported. Their canonical names are the same on
 * the command line, in the CSV header and in every report. */
enum test_id {
    TEST_PUTC,
    TEST_PUT_BLOCK,
    TEST_REWRITE,
    TEST_GETC,
    TEST_GET_BLOCK,
    TEST_SEEKS,
    TEST_IOPS,
    TEST_SEQ_CREATE,
    TEST_SEQ_STAT,
    TEST_SEQ_DEL,
    TEST_RAN_CREATE,
    TEST_RAN_STAT,
    TEST_RAN_DEL,
    TEST_COUNT
};

/* The first test of metadata, on many small files. The tests before it work on the data files. */
#define TEST_FIRST_METADATA TEST_SEQ_CREATE

/* The next of Bonnie++'s twelve tests after this one; these have columns in its table and its CSV
 * line. The first one is 0. Returns TEST_COUNT after the last one. */
static inline enum test_id test_next_classic(enum test_id test)
{
    return test + 1 == TEST_IOPS ? test + 2 : test + 1;
}

/* The canonical names of all tests, with a NULL at the end. */
extern const char *const test_names[TEST_COUNT + 1];
