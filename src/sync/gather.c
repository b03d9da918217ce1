// SPDX-License-Identifier: GPL-2.0-or-later
#include "sync/gather.h"

#include <errno.h>

struct gathering_meeting {
    const struct gather *gather;
    bool is_damaged; /* some rank's bundle cannot be read */
};

static void take_bundle(void *context, unsigned rank, const void *brought, size_t bytes)
{
    struct gathering_meeting *m = context;
    struct bundle_reader in = {.at = brought, .bytes = bytes};
    m->is_damaged |= !m->gather->take(m->gather->context, rank, &in);
}

static void decide(void *context)
{
    const struct gathering_meeting *m = context;
    if (m->gather->decide && !m->is_damaged)
        m->gather->decide(m->gather->context);
}

int gather(struct coordinator *c, struct gather *g, struct err *e)
{
    struct gathering_meeting meeting = {.gather = g};
    const struct meeting m = {.name = g->name,
                              .mine = g->mine.words,
                              .bytes = bundle_bytes(&g->mine),
                              .take = take_bundle,
                              .decide = decide,
                              .context = &meeting,
                              .answer = g->answer,
                              .answer_bytes = g->answer_bytes,
                              .compares_clocks = g->compares_clocks,
                              .is_last = g->is_last,
                              .left = g->left};
    int rc = g->mine.is_short ? err_system(e, ENOMEM, "allocate memory for the figures")
                              : coordinator_meet(c, &m, e);
    bundle_release(&g->mine);
    return rc == 0 && meeting.is_damaged ? err_say(e, "the figures of another rank cannot be read")
                                         : rc;
}
