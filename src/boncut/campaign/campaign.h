#ifndef BONCUT_CAMPAIGN_CAMPAIGN_H
#define BONCUT_CAMPAIGN_CAMPAIGN_H

#include "boncut/settings.h"
#include "util/err.h"

/*
 * `boncut campaign`: makes many power cuts, from a machine that stays on, and reports what all of
 * them show together. The directory of logs keeps the cuts of an interrupted campaign, and these
 * are not made again. *status becomes the exit status. Returns 0 or a negative errno with a line in
 * e.
 */
int boncut_campaign(const struct settings *s, int *status, struct err *e);

#endif
