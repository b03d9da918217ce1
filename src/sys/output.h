// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sys/path.h"

/* Where a report goes: to standard output, or to a file that gets its name when it is complete. */
struct output {
    FILE *stream;
    const char *path;             /* NULL: standard output */
    struct path_file file;        /* what the path led to when the output was opened */
    bool is_direct;               /* a device or a pipe, which needs no temporary file */
    bool is_named;                /* there is a file with the temporary name */
    char temporary[NAME_MAX + 1]; /* temporary name in the directory of the file */
    struct stat made;             /* of the last output_finish(), if there was one */
};

/* Opens the output; path may be NULL. Call this after stop_init(), and before the first time, o is
 * zero; what o has made can then be replaced everywhere. The new file takes over mode, owner, group
 * and POSIX access list of the file that it replaces, as far as this process may set them, and
 * never gives more access. path.h says which files are replaced. must_be_plain: refuses devices and
 * pipes, so this never waits: for use while a load runs. */
int output_open(struct output *o, const char *path, bool must_be_plain, struct err *e);

/* Does the same, and makes it standard output, which output_finish() and _discard() leave open. */
int output_open_stdout(struct output *o, const char *path, struct err *e);

/* Opens a file that has its name from the start: a new one, one that is emptied or made anew as
 * path.h says, a device, or a pipe of this user's or root's, for whose reader it waits until the
 * run must stop. appends: opens a plain file to add to, a new one for this user alone, or one that
 * path.h lets him change in place. Returns the descriptor, or a negative errno with a line in e. */
int output_open_live(const char *path, bool appends, struct err *e);

/* Writes out what was printed on standard output. Returns 0, or a negative errno with a line in e.
 * The caller must set errno to 0 before it prints, because the stream keeps no reason. */
int output_flush(struct err *e);

/* The name for messages: the path as the user gave it, or "standard output". */
const char *output_name(const struct output *o);

/* Gives the complete report its name. Returns 0, or a negative errno with a line in e. */
int output_finish(struct output *o, struct err *e);

/* Frees what o owns, and removes what was written unless the output was finished. */
void output_discard(struct output *o);
