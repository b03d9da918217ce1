#ifndef BONNIE_REPORT_JSON_STEADY_H
#define BONNIE_REPORT_JSON_STEADY_H

#include <jansson.h>

#include "bonnie/result.h"

/*
 * The rounds of a test, their fit and the verdict; null if the test did not have to become steady.
 */
json_t *json_of_steady(const struct steady_result *s);

#endif
