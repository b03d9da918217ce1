#ifndef BONNIE_REPORT_JSON_TEST_H
#define BONNIE_REPORT_JSON_TEST_H

#include <jansson.h>

#include "bonnie/result.h"

/*
 * Makes an object of the JSON report from one test of one run. `device` is the name of the devices
 * whose counters the test has. Returns NULL when there is no memory.
 */
json_t *json_of_test(const struct test_result *t, enum test_id test, const char *device);

#endif
