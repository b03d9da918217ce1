// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/findings.h"

#include <stdio.h>

#define RECENT_BIN_US 100000

uint64_t control_version(uint64_t writes, uint32_t block)
{
    return writes / CONTROL_GROUPS + (block / CONTROL_BATCH < writes % CONTROL_GROUPS);
}

const char *const finding_names[FINDINGS] = {
    [FOUND_KEPT] = "kept",
    [FOUND_LOST] = "lost",
    [FOUND_FOREIGN] = "foreign",
    [FOUND_TORN] = "torn",
    [FOUND_MISSING] = "missing",
    [FOUND_CAME_BACK] = "came_back",
    [FOUND_WRONG_SIZE] = "wrong_size",
    [FOUND_UNREADABLE] = "unreadable",
    [FOUND_UNKNOWN] = "not_known",
};

static bool is_loss(enum finding finding)
{
    return finding != FOUND_KEPT && finding < FOUND_UNREADABLE;
}

static void recent_add(struct recent_units *r, enum finding finding)
{
    r->units++;
    r->lost += is_loss(finding);
}

void findings_add(struct findings *f, const struct ledger *l, unsigned method, uint32_t unit,
                  const struct sight *s, const char *file)
{
    const struct promise *p = ledger_promise(l, method, unit);
    struct tally *t = &f->methods[method];
    struct loss loss = {.method = method,
                        .sight = *s,
                        .promised = p->version,
                        .before_end_us = l->last_us - p->time_us};
    enum finding *finding = &loss.sight.finding;
    /* a failed call may have left anything in its sectors, but nothing older than was promised */
    if (p->failed > p->version &&
        (*finding == FOUND_FOREIGN || *finding == FOUND_TORN || *finding == FOUND_UNREADABLE))
        *finding = FOUND_UNKNOWN;
    t->units++;
    t->found[*finding]++;
    uint64_t bin = loss.before_end_us / RECENT_BIN_US;
    if (bin < RECENT_BINS)
        recent_add(&f->bins[RECENT_BINS - 1 - bin], *finding);
    for (unsigned second = 0; second < LAST_SECONDS; second++)
        if (loss.before_end_us < (second + 1) * UINT64_C(1000000))
            recent_add(&t->last[second], *finding);
    if ((!is_loss(*finding) && *finding != FOUND_UNREADABLE) || f->loss_count == LOSSES_NAMED)
        return;
    snprintf(loss.file, sizeof loss.file, "%s", file);
    f->losses[f->loss_count++] = loss;
}

uint64_t tally_losses(const struct tally *t)
{
    return t->units - t->found[FOUND_KEPT] - t->found[FOUND_UNREADABLE] - t->found[FOUND_UNKNOWN];
}

void findings_sum(const struct findings *f, struct tally *sum)
{
    *sum = (struct tally){0};
    for (unsigned method = 0; method < METHODS; method++) {
        const struct tally *t = &f->methods[method];
        sum->units += t->units;
        for (unsigned i = 0; i < FINDINGS; i++)
            sum->found[i] += t->found[i];
        for (unsigned i = 0; i < LAST_SECONDS; i++) {
            sum->last[i].units += t->last[i].units;
            sum->last[i].lost += t->last[i].lost;
        }
    }
}
