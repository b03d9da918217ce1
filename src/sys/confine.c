#include "sys/confine.h"

#include "util/portable.h"

/* Closes the descriptors from `first` to `end` - 1. */
static bool close_from(unsigned first, unsigned end)
{
    return first >= end || portable_close_range(first, end - 1);
}

bool confine_close_all_but(int keep, int keep_too)
{
    unsigned low = (unsigned)(keep < keep_too ? keep : keep_too);
    unsigned high = (unsigned)(keep < keep_too ? keep_too : keep);
    return close_from(0, low) && close_from(low + 1, high) && close_from(high + 1, ~0U);
}
