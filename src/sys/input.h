// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/err.h"

/* Reads files that the user has named, which path.h finds. `verb` is for messages: "read". */

/* Computes a seed from all bytes. Returns 0, or a negative errno with a line in e (empty, too). */
int seed_file_seed(const char *path, uint64_t *seed, struct err *e);

/* Opens a file for input_contents(), unless it is a pipe of another user, or one whose contents
 * must not be shown. Returns the descriptor, which has O_NONBLOCK so that nobody waits for a
 * writer, or a negative errno with a line in e. */
int input_open(const char *verb, const char *path, struct err *e);

/* Reads an open file to its end, but not more than `most` bytes (below SIZE_MAX). Waits while a
 * pipe or terminal has no data, until the run must stop. Returns 0 with *length bytes and a NUL in
 * *text, which the caller frees, or a negative errno with a line in e and NULL in *text. */
int input_contents(int fd, const char *verb, const char *path, size_t most, char **text,
                   size_t *length, struct err *e);

/* Does both, and closes the file. */
int input_read(const char *verb, const char *path, size_t most, char **text, size_t *length,
               struct err *e);
