#ifndef BONNIE_REPORT_MEASURED_H
#define BONNIE_REPORT_MEASURED_H

#include <stdio.h>

#include "result.h"

/*
 * Prints for every test what held its figure down, and what would lift it: `What was measured` and
 * a paragraph a test. Nothing when there is nothing to say.
 */
void measured_print(FILE *out, const struct result *r);

#endif
