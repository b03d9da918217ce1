#ifndef SYS_SEED_FILE_H
#define SYS_SEED_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "util/err.h"

/* Seeds from files use the first SEED_FILE_BYTES: the file may be a device that never ends. */
#define SEED_FILE_BYTES 1048576

/*
 * Computes a seed from every byte and their order. Returns 0, or a negative errno with a line in e
 * when the file cannot be read or is empty.
 */
int seed_file_seed(const char *path, uint64_t *seed, struct err *e);

/* The same for a file that is open already; path is its name for messages. */
int seed_file_read(FILE *file, const char *path, uint64_t *seed, struct err *e);

#endif
