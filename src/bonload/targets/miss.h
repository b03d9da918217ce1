#ifndef BONLOAD_TARGETS_MISS_H
#define BONLOAD_TARGETS_MISS_H

#include <stdbool.h>

/*
 * Whether an error is normal when several operations use the same names. makes_file: the operation
 * makes files; is_xattr: it works on extended attributes.
 */
bool miss_is_normal(int code, bool makes_file, bool is_xattr);

#endif
