#ifndef BONNIE_REPORT_STEADY_TEXT_H
#define BONNIE_REPORT_STEADY_TEXT_H

#include "bonnie/result.h"

/* The outcome of the rounds of a test in words, without a comma, as scripts take a line with one
 * for the CSV line: "steady after round 9 of 25". */
#define STEADY_TEXT 128
void steady_text(char text[static STEADY_TEXT], const struct steady_result *s);

#endif
