#ifndef BONLOAD_TARGETS_MIX_H
#define BONLOAD_TARGETS_MIX_H

#include <stdint.h>

#include "util/err.h"

/* How often each operation of a target is drawn. */
#define MIX_MOST 16 /* operations */

struct mix {
    uint64_t weights[MIX_MOST];
    uint64_t sum;
};

/*
 * Reads "write,truncate:2": operations with their weights, 1 where none is given; "" is all of them
 * with a weight of 1. `names` are those that there are, up to a NULL, and `option` is what a
 * refusal names. Returns 0 or -EINVAL.
 */
int mix_parse(struct mix *mix, const char *text, const char *const names[], const char *option,
              struct err *e);

/* The operation that a number below mix->sum stands for. */
unsigned mix_at(const struct mix *mix, uint64_t number);

/* Those operations of a mix whose bits are set; its sum may be 0. */
struct mix mix_part(const struct mix *mix, unsigned bits);

#endif
