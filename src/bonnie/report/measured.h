#ifndef BONNIE_REPORT_MEASURED_H
#define BONNIE_REPORT_MEASURED_H

#include <stdio.h>

#include "bonnie/result.h"

/*
 * Prints what limited the figure of every test and, with `advice`, which option may help, under
 * "What was measured", and the first corrupted places under "What was damaged". Tests with the same
 * reason share their lines, so that the table above stays visible on a screen of 24 lines. Lines
 * below these two headings are indented, and no line has a comma, because scripts take a line with
 * one for the CSV line. Prints nothing when there is nothing to report. Returns 0, or a negative
 * errno when not everything could be written.
 */
int measured_print(FILE *out, const struct result *r, bool advice);

#endif
