// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdint.h>

#include "util/err.h"

/* How often each operation of a target is drawn. */
#define MIX_MOST 16 /* number of operations */

struct mix {
    uint64_t weights[MIX_MOST];
    uint64_t sum;
};

/*
 * Parses operations with their weights, "write,truncate:2"; a weight is 1 by default. "" means all
 * operations with a weight of 1. `names` lists the valid operations and ends with NULL. `option` is
 * the option that a message names. Returns 0, or -EINVAL with a line in e.
 */
int mix_parse(struct mix *mix, const char *text, const char *const names[], const char *option,
              struct err *e);

/* The operation that a random number below mix->sum stands for. */
unsigned mix_at(const struct mix *mix, uint64_t number);
