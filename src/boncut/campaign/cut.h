#ifndef BONCUT_CAMPAIGN_CUT_H
#define BONCUT_CAMPAIGN_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "boncut/settings.h"
#include "util/err.h"
#include "util/rng.h"

/*
 * One cut of a campaign, made from a machine whose power stays on. Its files are in the directory
 * of logs: "0007.promises", "0007.json" once it has been checked, and "0007.said", the output of
 * all commands.
 */
struct campaign {
    const struct settings *settings;
    int logs_fd; /* descriptor of the directory of logs */
    struct rng rng;
};

#define CUT_NAME 32

/* "0007" with that ending. */
void cut_name(char name[CUT_NAME], unsigned number, const char *ending);

/* Whether that cut has been made and checked. */
bool cut_is_done(const struct campaign *c, unsigned number);

/*
 * Makes the cut and checks it: its file .json is complete or does not exist. Returns 0 or a
 * negative errno with a line in e.
 */
int cut_make(struct campaign *c, unsigned number, struct err *e);

#endif
