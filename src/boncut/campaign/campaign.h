#ifndef BONCUT_CAMPAIGN_CAMPAIGN_H
#define BONCUT_CAMPAIGN_CAMPAIGN_H

#include "boncut/settings.h"
#include "util/err.h"

/*
 * `boncut campaign`: makes many cuts, from a machine whose power stays on, and reports what they
 * show together. Cuts of an interrupted campaign are kept in its directory of logs, and are not
 * made again. *status is the exit status. Returns 0 or a negative errno with a line in e.
 */
int boncut_campaign(const struct settings *s, int *status, struct err *e);

#endif
