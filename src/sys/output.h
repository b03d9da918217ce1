#ifndef SYS_OUTPUT_H
#define SYS_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "sys/named_file.h"
#include "util/err.h"

/*
 * Where the report goes: standard output, or a file that appears under its name when it is
 * complete and not before.
 */
struct output {
    FILE *stream;
    const char *path;             /* NULL: standard output */
    struct named_file file;       /* what the path led to at the start */
    bool is_direct;               /* written as it comes: a device or a pipe */
    bool is_named;                /* a file with the temporary name is there */
    char temporary[NAME_MAX + 1]; /* beside the file */
};

/*
 * Opens the output; path may be NULL. It is opened early, so that a wrong path costs no run. A file
 * that is going to be replaced hands its mode, owner, group and POSIX access list on as far as this
 * process may set them; where it may not, nobody gets more access than before. Call stop_init()
 * before.
 */
int output_open(struct output *o, const char *path, struct err *e);

/* What messages call it: the path as it was given, or "standard output". */
const char *output_name(const struct output *o);

/* Puts the complete report in its place. A report that could not be written is a failure. */
int output_finish(struct output *o, struct err *e);

/* Frees o, and removes what there is of the output unless it was finished. */
void output_discard(struct output *o);

#endif
