#ifndef SYS_OUTPUT_H
#define SYS_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "sys/named_file.h"
#include "util/err.h"

/*
 * Where the report goes: standard output, or a file that appears under its name only when it is
 * complete.
 */
struct output {
    FILE *stream;
    const char *path;             /* NULL: standard output */
    struct named_file file;       /* what the path led to at the start */
    bool is_direct;               /* a device or a pipe: written without a temporary file */
    bool is_named;                /* a file with the temporary name exists */
    char temporary[NAME_MAX + 1]; /* name in the directory of the file */
};

/*
 * Opens the output; path may be NULL. Opened before the run, so that a wrong path is reported at
 * once. The new file takes over mode, owner, group and POSIX access list of the one that it
 * replaces as far as this process may set them; where it may not, nobody gets more access than
 * before. Call stop_init() first.
 */
int output_open(struct output *o, const char *path, struct err *e);

/*
 * The same, but refuses devices and pipes: it never waits, so that it can be called while a load
 * runs.
 */
int output_open_plain(struct output *o, const char *path, struct err *e);

/*
 * Opens a file that has its name from the start: a new one, one that is emptied, a device, or a
 * pipe of this user's or root's, for whose reader it waits until the run is to stop. Returns the
 * descriptor, or a negative errno with a line in e.
 */
int output_open_live(const char *path, struct err *e);

/*
 * Writes out what was printed on standard output. Returns 0, or a negative errno when any of it
 * could not be written: set errno to 0 before printing, since the stream keeps no reason.
 */
int output_flush(struct err *e);

/* The name for messages: the path as given, or "standard output". */
const char *output_name(const struct output *o);

/*
 * Puts the complete report in its place. Returns 0, or a negative errno when it could not be
 * written.
 */
int output_finish(struct output *o, struct err *e);

/* Frees o, and removes what was written unless the output was finished. */
void output_discard(struct output *o);

#endif
