#ifndef TOOLS_BAD_RANGES_H
#define TOOLS_BAD_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/*
 * Ranges of a device that could not be read or written, sorted, and neither adjacent nor
 * overlapping. All zeros: there are none.
 */
struct bad_range {
    uint64_t offset;
    uint64_t bytes;
    int code; /* errno of the first failure in the range */
};

struct bad_ranges {
    struct bad_range *ranges;
    size_t count;
    size_t room;
};

/*
 * Adds a range of at least one byte, and merges it with those that it touches. *is_new becomes
 * whether it touched none. Returns 0, or -ENOMEM with a line in e.
 */
int bad_ranges_add(struct bad_ranges *b, const struct bad_range *range, bool *is_new,
                   struct err *e);

/* Number of bytes in all ranges. */
uint64_t bad_ranges_bytes(const struct bad_ranges *b);

void bad_ranges_release(struct bad_ranges *b);

#endif
