#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

/* The whole text of a file in tests/golden/report; to be freed. Without it the test fails. */
char *golden_text(const char *name);

#endif
