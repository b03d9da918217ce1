#ifndef IO_FILE_PLACE_H
#define IO_FILE_PLACE_H

#include <stdint.h>

/*
 * Where a part of a file lies on the device of its filesystem, as the filesystem says (FIEMAP).
 * Returns the number of bytes, from `offset` on and at most `length`, that lie in one piece from
 * *place on; 0: not known. Takes a few microseconds.
 */
uint64_t file_place(int fd, uint64_t offset, uint64_t length, uint64_t *place);

#endif
