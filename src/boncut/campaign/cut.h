#ifndef BONCUT_CAMPAIGN_CUT_H
#define BONCUT_CAMPAIGN_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "boncut/settings.h"
#include "sys/path.h"
#include "util/err.h"
#include "util/rng.h"

/*
 * One cut of a campaign, made from a machine that stays on. The directory of logs has its files:
 * "0007.promises", "0007.json" once the cut has been checked, and "0007.said", the output of all
 * commands.
 */
struct campaign {
    const struct settings *settings;
    struct path_directory logs; /* the directory of logs */
    struct rng rng;
};

#define CUT_NAME 32

/* Stores "0007." and the ending in `name`. */
void cut_name(char name[CUT_NAME], unsigned number, const char *ending);

/* Whether that cut has been made and checked. */
bool cut_is_done(const struct campaign *c, unsigned number);

/*
 * Makes the cut and checks it. The .json file exists only when it is complete. Returns 0 or a
 * negative errno with a line in e.
 */
int cut_make(struct campaign *c, unsigned number, struct err *e);

#endif
