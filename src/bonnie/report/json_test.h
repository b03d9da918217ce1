#ifndef BONNIE_REPORT_JSON_TEST_H
#define BONNIE_REPORT_JSON_TEST_H

#include <jansson.h>

#include "bonnie/result.h"

/*
 * One test of one run as an object of the JSON report. device names the devices whose counters the
 * test has. Returns NULL when there is no memory.
 */
json_t *json_of_test(const struct test_result *t, enum test_id test, const char *device);

#endif
