// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/verdict.h"

#include "sys/program.h"

const char *const layer_names[LAYERS + 1] = {"none", "host", "drive"};
const char *const verdict_names[VERDICTS + 1] = {"kept", "lost", "unreadable", "not_known"};

const char *verdict_heading(enum verdict verdict, enum layer layer)
{
    static const char *const headings[VERDICTS] = {"KEPT", "LOST", "UNREADABLE", "NOT KNOWN"};
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
