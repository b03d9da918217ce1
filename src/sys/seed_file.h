#ifndef SYS_SEED_FILE_H
#define SYS_SEED_FILE_H

#include <stdint.h>

#include "util/err.h"

/*
 * A seed comes from the first SEED_FILE_BYTES of a file, because the file may be a device that
 * never ends.
 */
#define SEED_FILE_BYTES 1048576

/*
 * Computes a seed from all bytes and their order. Returns 0, or a negative errno with a line in e
 * when the file is empty or cannot be read.
 */
int seed_file_seed(const char *path, uint64_t *seed, struct err *e);

#endif
