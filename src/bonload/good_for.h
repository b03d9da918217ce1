#ifndef BONLOAD_GOOD_FOR_H
#define BONLOAD_GOOD_FOR_H

#include "bonload/plan/settings.h"
#include "report/page.h"
#include "sync/coordinator.h"
#include "util/err.h"

/*
 * -good-for: runs of the target `profile`, one after another, and their common verdict: a run for
 * each load that is judged, then a search for the highest.
 *
 * Prints the verdict and the figures, and writes the page if it is open. *status becomes the exit
 * status that the verdict has. Returns 0 or a negative errno with a line in e.
 */
int good_for(const struct settings *s, struct coordinator *coordinator, struct page *page,
             int *status, struct err *e);

/* Prints the profiles, for -good-for=list. Returns 0 or a negative errno with a line in e. */
int good_for_list(struct err *e);

#endif
