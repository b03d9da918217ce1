#ifndef UTIL_WORD_LIST_H
#define UTIL_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the `length` bytes at `word` are one of the comma-separated words of `list`. The list
 * ends at a colon, a blank, the end of the line or a NUL.
 */
bool word_list_has(const char *list, const char *word, size_t length);

#endif
