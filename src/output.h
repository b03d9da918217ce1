#ifndef BONNIE_OUTPUT_H
#define BONNIE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "util/err.h"

/*
 * Where the report goes: standard output, or a file that appears under its name when it is
 * complete and not before.
 */
struct output {
    FILE *stream;
    const char *path;     /* NULL: standard output */
    char *target;         /* the path without symbolic links; NULL: there is no such file yet */
    char *temporary_path; /* NULL: written directly (standard output, a device, a pipe) */
    bool is_named;        /* the file has that name already */
};

/* Opens the output; path may be NULL. It is opened early, so that a wrong path costs no run. */
int output_open(struct output *o, const char *path, struct err *e);

/* Puts the complete report in its place. A report that could not be written is a failure. */
int output_finish(struct output *o, struct err *e);

/* Frees o, and removes what there is of the output unless it was finished. */
void output_discard(struct output *o);

#endif
