#ifndef REPORT_STARTS_H
#define REPORT_STARTS_H

#include <stdint.h>

/* Room for the text of starts_text(). */
#define STARTS_TEXT 128

/*
 * Writes how closely several ranks began together: "within 0.476 ms of one another". In parentheses
 * follows clock_uncertainty_ns, which says how well their clocks could be compared; 0: all ranks
 * read the same clock.
 */
void starts_text(char text[static STARTS_TEXT], uint64_t spread_ns, uint64_t clock_uncertainty_ns);

#endif
