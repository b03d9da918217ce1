// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/verdict.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "boncut/methods/method.h"
#include "sys/program.h"
#include "util/portable.h"
#include "util/units.h"

const char *const layer_names[LAYERS + 1] = {
    [LAYER_NONE] = "none",
    [LAYER_HOST] = "host",
    [LAYER_DRIVE] = "drive",
};

const char *const verdict_names[VERDICTS + 1] = {
    [VERDICT_KEPT] = "kept",
    [VERDICT_LOST] = "lost",
    [VERDICT_UNREADABLE] = "unreadable",
    [VERDICT_NOT_KNOWN] = "not_known",
};

const char *const verdict_headings[VERDICTS] = {
    [VERDICT_KEPT] = "KEPT",
    [VERDICT_LOST] = "LOST",
    [VERDICT_UNREADABLE] = "UNREADABLE",
    [VERDICT_NOT_KNOWN] = "NOT KNOWN",
};

int verdict_status(enum verdict verdict)
{
    return verdict == VERDICT_KEPT        ? 0
           : verdict == VERDICT_NOT_KNOWN ? STATUS_NOT_KNOWN
                                          : STATUS_NO;
}

bool control_counts(const struct check *c, unsigned method)
{
    return method != METHOD_DRIVE || c->ledger.header.drive_is_in_place;
}

static enum layer find_layer(const struct check *c)
{
    const struct control_tally *controls = c->findings.controls;
    if (controls[METHOD_DRIVE].lost > 0 && control_counts(c, METHOD_DRIVE) && !c->is_same_mount)
        return LAYER_DRIVE;
    return controls[METHOD_CACHED].lost + controls[METHOD_DRIVE].lost > 0 ? LAYER_HOST : LAYER_NONE;
}

static void say_lost(struct check *c, const struct tally *sum, uint64_t promises)
{
    static const char *const reach[LAYERS] = {
        [LAYER_NONE] = "Nothing shows that anything was cut.",
        [LAYER_HOST] = "The kernel's memory was lost; nothing is shown about the drive's cache.",
        [LAYER_DRIVE] = "The kernel's memory and the drive's cache were lost.",
    };
    c->verdict = VERDICT_LOST;
    if (c->is_gone)
        snprintf(c->reason, sizeof c->reason,
                 "The directory %s %s, with all of %" PRIu64
                 " promises. It was durable before the first of them.",
                 c->ledger.header.directory, c->gone, promises);
    else
        snprintf(c->reason, sizeof c->reason,
                 "%" PRIu64 " of %" PRIu64 " units are not as promised. %s", tally_losses(sum),
                 sum->units, reach[c->layer]);
}

static void say_not_known(struct check *c, const char *reason)
{
    c->verdict = VERDICT_NOT_KNOWN;
    snprintf(c->reason, sizeof c->reason, "%s", reason);
}

/*
 * Appends how many writes that were promised whole are torn. Where the cut tore no plain write
 * either, that none is torn says little.
 */
static void say_whole(struct check *c)
{
    const struct control_tally *plain = &c->findings.controls[METHOD_PLAIN];
    const struct tally *atomic = &c->findings.methods[METHOD_ATOMIC];
    uint64_t torn = atomic->found[FOUND_TORN];
    char sizes[2 * UNITS_TEXT];
    size_t length = strlen(c->reason);
    if (atomic->units == 0 || c->is_gone)
        return;
    whole_sizes_format(sizes, &c->ledger.header.whole);
    length += (size_t)snprintf(c->reason + length, sizeof c->reason - length,
                               " With RWF_ATOMIC (%s), %s", sizes, torn > 0 ? "" : "none");
    if (torn > 0)
        length += (size_t)snprintf(c->reason + length, sizeof c->reason - length, "%" PRIu64, torn);
    length += (size_t)snprintf(c->reason + length, sizeof c->reason - length,
                               " of %" PRIu64 " units torn; ", atomic->units);
    if (plain->torn > 0)
        snprintf(c->reason + length, sizeof c->reason - length,
                 "of plain ones, %" PRIu64 " of %" PRIu64 ".", plain->torn, plain->blocks);
    else
        snprintf(c->reason + length, sizeof c->reason - length,
                 "but the cut tore no plain write of these sizes either.");
}

void verdict_find(struct check *c)
{
    struct tally sum;
    uint64_t promises = ledger_promises(&c->ledger);
    findings_sum(&c->findings, &sum);
    c->layer = find_layer(c);
    if (c->is_gone || tally_losses(&sum) > 0)
        say_lost(c, &sum, promises);
    else if (sum.found[FOUND_UNREADABLE] > 0) {
        c->verdict = VERDICT_UNREADABLE;
        snprintf(c->reason, sizeof c->reason, "%" PRIu64 " promised units cannot be read (%s).",
                 sum.found[FOUND_UNREADABLE],
                 c->findings.error == EIO ? "EIO" : portable_reason(c->findings.error));
    } else if (promises == 0)
        say_not_known(c, "The log has no promises.");
    else if (c->is_same_mount)
        say_not_known(c, "The filesystem has not been unmounted since (the boot id is still the "
                         "same): what the kernel remembers was read, which says nothing about "
                         "the drive.");
    else if (c->layer == LAYER_NONE && c->is_same_boot)
        say_not_known(c, "The system has not been restarted since (its boot id is still the same), "
                         "and not even writes that were never synced are lost: nothing was cut.");
    else if (c->layer == LAYER_NONE)
        say_not_known(c, "Nothing is lost, not even writes that were never synced: nothing "
                         "shows that anything was cut.");
    else {
        c->verdict = VERDICT_KEPT;
        snprintf(
            c->reason, sizeof c->reason,
            "All that was promised (%" PRIu64 " promises) is there, %s", promises,
            c->layer == LAYER_DRIVE
                ? "and unflushed writes were lost in the drive's cache: sound as far as the "
                  "drive."
                : "and unsynced writes were lost: sound as far as the kernel; nothing is shown "
                  "about the drive's cache.");
    }
    if (c->verdict == VERDICT_KEPT || c->verdict == VERDICT_LOST)
        say_whole(c);
}
