// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/*
 * Computes a seed from all bytes and their order. Returns 0, or a negative errno with a line in e
 * when the file is empty or cannot be read.
 */
int seed_file_seed(const char *path, uint64_t *seed, struct err *e);

/* Reads files that the user has named, which path.h finds. `verb` is for messages: "read". */

/*
 * Opens a file for reading, unless it is a pipe of another user, or one whose contents must not be
 * shown. The descriptor has O_NONBLOCK, so
 * nobody waits for a writer; use input_contents() with it. Returns the descriptor, or a negative
 * errno with a line in e.
 */
int input_open(const char *verb, const char *path, struct err *e);

/*
 * Reads an open file to its end, but not more than `most` bytes, which must be less than SIZE_MAX.
 * Waits while a pipe or terminal has no data, until the run must stop (stop.h). Returns 0 with
 * *length bytes and a NUL after them in *text, which the caller must free, or a negative errno with
 * a line in e and NULL in *text.
 */
int input_contents(int fd, const char *verb, const char *path, size_t most, char **text,
                   size_t *length, struct err *e);

/* Does both, and closes the file. */
int input_read(const char *verb, const char *path, size_t most, char **text, size_t *length,
               struct err *e);
