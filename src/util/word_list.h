#ifndef UTIL_WORD_LIST_H
#define UTIL_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * True when a list of words that are separated by commas has this one, which has `length` bytes.
 * The list ends at a colon, a blank, a line's end or a NUL.
 */
bool word_list_has(const char *list, const char *word, size_t length);

#endif
