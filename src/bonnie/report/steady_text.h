#ifndef BONNIE_REPORT_STEADY_TEXT_H
#define BONNIE_REPORT_STEADY_TEXT_H

#include "bonnie/result.h"

/*
 * The outcome of a test's rounds in words: "steady after round 9 of 25". Without a comma, because
 * scripts take a line with one for the CSV line.
 */
#define STEADY_TEXT 128
void steady_text(char text[static STEADY_TEXT], const struct steady_result *s);

#endif
