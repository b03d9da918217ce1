#ifndef BONNIE_SESSION_H
#define BONNIE_SESSION_H

#include "cli/settings.h"
#include "util/err.h"

/*
 * A whole session as the settings ask for it: makes the plan, gives up privileges, runs as often as
 * is wanted, reports, and leaves nothing behind. Returns 0, or a negative errno with a line in e;
 * after a signal -EINTR, and stop_signal() tells which.
 */
int session(const struct settings *s, struct err *e);

#endif
