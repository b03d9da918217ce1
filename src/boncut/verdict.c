// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/verdict.h"

#include "sys/program.h"

const char *const layer_names[LAYERS + 1] = {
    [LAYER_NONE] = "none", [LAYER_HOST] = "host", [LAYER_DRIVE] = "drive"};

const char *const verdict_names[VERDICTS + 1] = {[VERDICT_KEPT] = "kept",
                                                 [VERDICT_LOST] = "lost",
                                                 [VERDICT_UNREADABLE] = "unreadable",
                                                 [VERDICT_NOT_KNOWN] = "not_known"};

const char *verdict_heading(enum verdict verdict, enum layer layer)
{
    static const char *const headings[VERDICTS] = {[VERDICT_KEPT] = "KEPT",
                                                   [VERDICT_LOST] = "LOST",
                                                   [VERDICT_UNREADABLE] = "UNREADABLE",
                                                   [VERDICT_NOT_KNOWN] = "NOT KNOWN"};
    return verdict != VERDICT_KEPT || layer == LAYER_NONE ? headings[verdict]
           : layer == LAYER_DRIVE                         ? "KEPT as far as the drive"
                                                          : "KEPT as far as the kernel";
}

int verdict_status(enum verdict verdict)
{
    return verdict == VERDICT_KEPT        ? 0
           : verdict == VERDICT_NOT_KNOWN ? STATUS_NOT_KNOWN
                                          : STATUS_NO;
}
