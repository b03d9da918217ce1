#ifndef BONLOAD_PLAN_MIX_H
#define BONLOAD_PLAN_MIX_H

#include <stdint.h>

#include "util/err.h"

/* The weights of a target's operations. */
#define MIX_MOST 16 /* operations */

struct mix {
    uint64_t weights[MIX_MOST];
    uint64_t sum;
};

/*
 * Reads "write,truncate:2": operations with their weights, by default 1; "" means all of them with
 * a weight of 1. `names` are the existing operations, with a NULL at the end, and `option` is named
 * in a refusal. Returns 0 or -EINVAL.
 */
int mix_parse(struct mix *mix, const char *text, const char *const names[], const char *option,
              struct err *e);

/* The operation for a random number below mix->sum. */
unsigned mix_at(const struct mix *mix, uint64_t number);

/* Only the operations of a mix whose bits are set; the sum may be 0. */
struct mix mix_part(const struct mix *mix, unsigned bits);

#endif
