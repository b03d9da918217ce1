#ifndef BONNIE_REPORT_MEASURED_H
#define BONNIE_REPORT_MEASURED_H

#include <stdio.h>

#include "bonnie/result.h"

/*
 * Prints below "What was measured" what limited every test's figure and, with `advice`, which
 * options may help, and below "What was damaged" the first corrupted places. Tests with the same
 * reason share their lines, so that the table above stays visible on a screen of 24 lines. All
 * lines below these two headings are indented and have no commas, because scripts take a line with
 * a comma for the CSV line. Prints nothing if there is nothing to report. Returns 0, or a negative
 * errno when not everything could be written.
 */
int measured_print(FILE *out, const struct result *r, bool advice);

#endif
