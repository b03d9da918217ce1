// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "bonwhy/watch.h"
#include "util/err.h"

/* Writes what the calls were that have been noted, as a profile that `bonload -good-for=FILE`
 * reads. Refuses calls that do not repeat. */
int profile_write(FILE *out, const struct watch *w, const char *target, uint64_t elapsed_ns,
                  struct err *e);
