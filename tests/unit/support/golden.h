#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

/*
 * Returns the whole text of a file in tests/golden/report, which the caller frees. The test fails
 * if there is no such file.
 */
char *golden_text(const char *name);

#endif
