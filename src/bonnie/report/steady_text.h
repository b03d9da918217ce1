#ifndef BONNIE_REPORT_STEADY_TEXT_H
#define BONNIE_REPORT_STEADY_TEXT_H

#include "bonnie/result.h"

/*
 * Says how the rounds of a test ended: "steady after round 9 of 25". The text has no commas,
 * because scripts take a line with a comma for the CSV line.
 */
#define STEADY_TEXT 128
void steady_text(char text[static STEADY_TEXT], const struct steady_result *s);

#endif
