#ifndef BONCUT_CAMPAIGN_CUT_H
#define BONCUT_CAMPAIGN_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "boncut/header.h"
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
    char
        uuid[HEADER_TEXT]; /* of the filesystem on which the cuts were made; empty: not known yet */
};

#define CUT_NAME 32

/* Stores "0007." and the ending in `name`. */
void cut_name(char name[CUT_NAME], unsigned number, const char *ending);

/* Whether that cut has been made and checked. If so, notes the filesystem of its log. */
bool cut_is_done(struct campaign *c, unsigned number);

/*
 * Makes the cut and checks it; once more if nothing could be judged. The .json file exists only
 * when it is complete. Returns 0 or a negative errno with a line in e: also if nothing could be
 * judged again, or if DIR is on another filesystem than in the cuts before.
 */
int cut_make(struct campaign *c, unsigned number, struct err *e);

#endif
