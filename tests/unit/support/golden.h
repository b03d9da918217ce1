#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

/*
 * The whole text of a file in tests/golden/report, which the caller frees. The test fails if the
 * file is missing.
 */
char *golden_text(const char *name);

#endif
