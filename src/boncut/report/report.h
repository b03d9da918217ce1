// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdio.h>

#include "boncut/verdict.h"

/* Prints the findings of a check: a table, facts, losses and the verdict. */
void check_report_text(const struct check *c, FILE *out);

/* Prints the same as JSON (share/boncut.schema.json) into *text, which the caller frees. */
int check_report_json(const struct check *c, char **text, struct err *e);
