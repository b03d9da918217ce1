#ifndef BONNIE_REPORT_MEASURED_H
#define BONNIE_REPORT_MEASURED_H

#include <stdio.h>

#include "bonnie/result.h"

/*
 * Prints for every test what limited its figure and, with `advice`, which option may help, under
 * "What was measured", and the first damaged places, under "What was damaged".
 * Lines below these two are indented, and no line has a comma: scripts take one that has for the
 * CSV line. Nothing when there is nothing to say. Returns 0, or a negative errno when not
 * everything could be written.
 */
int measured_print(FILE *out, const struct result *r, bool advice);

#endif
