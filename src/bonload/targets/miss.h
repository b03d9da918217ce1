#ifndef BONLOAD_TARGETS_MISS_H
#define BONLOAD_TARGETS_MISS_H

#include <stdbool.h>

/*
 * Whether an errno is normal where different operations use the same names: the operation makes
 * files, or works on extended attributes.
 */
bool miss_is_normal(int code, bool makes_file, bool is_xattr);

#endif
