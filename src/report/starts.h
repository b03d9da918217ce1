#ifndef REPORT_STARTS_H
#define REPORT_STARTS_H

#include <stdint.h>

/* Holds what starts_text() writes. */
#define STARTS_TEXT 128

/*
 * How well several ranks began together: "within 0.476 ms of one another". Where they read more
 * than one clock, how well those could be compared follows in parentheses; 0: it is the same clock.
 */
void starts_text(char text[static STARTS_TEXT], uint64_t spread_ns, uint64_t clock_uncertainty_ns);

#endif
