#ifndef BONLOAD_GOADER_H
#define BONLOAD_GOADER_H

#include "bonload/plan/settings.h"
#include "util/err.h"

/*
 * Called by the name goader, the program does what goader does, where that does no harm, so
 * existing command lines keep working. bonload(1) lists the remaining differences.
 */

/*
 * Moves USER:PASSWORD@ from the URL in argv to settings->credentials. Returns 0, or -EINVAL with a
 * line in e.
 */
int goader_take_credentials(struct settings *s, struct err *e);

/*
 * Decides about an option that only goader accepts. If the user called goader, reports that the
 * option has no effect, and returns 0. Otherwise returns rc, with its line in e.
 */
int goader_passes(const struct settings *s, int rc, struct err *e);

#endif
