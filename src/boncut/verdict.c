// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sys/program.h"

const char *const layer_names[LAYERS + 1] = {
    [LAYER_NONE] = "none", [LAYER_HOST] = "host", [LAYER_DRIVE] = "drive"};

const char *const verdict_names[VERDICTS + 1] = {[VERDICT_KEPT] = "kept",
                                                 [VERDICT_LOST] = "lost",
                                                 [VERDICT_UNREADABLE] = "unreadable",
                                                 [VERDICT_NOT_KNOWN] = "not_known"};

const char *const verdict_headings[VERDICTS] = {[VERDICT_KEPT] = "KEPT",
                                                [VERDICT_LOST] = "LOST",
                                                [VERDICT_UNREADABLE] = "UNREADABLE",
                                                [VERDICT_NOT_KNOWN] = "NOT KNOWN"};

int verdict_status(enum verdict verdict)
{
    return verdict == VERDICT_KEPT        ? 0
           : verdict == VERDICT_NOT_KNOWN ? STATUS_NOT_KNOWN
                                          : STATUS_NO;
}

void reason_add(char *reason, size_t size, const char *format, ...)
{
    size_t length = strlen(reason);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason + length, size - length, format, arguments);
    va_end(arguments);
}
