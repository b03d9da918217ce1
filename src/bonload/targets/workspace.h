#ifndef BONLOAD_TARGETS_WORKSPACE_H
#define BONLOAD_TARGETS_WORKSPACE_H

#include <stddef.h>

#include "bonload/names.h"
#include "util/err.h"

/* Direct transfers begin and end at multiples of it, in memory and in a file. */
#define WORKSPACE_ALIGNMENT 4096

/* What a thread that works on files needs for one request at a time. */
struct workspace {
    unsigned char *buffer; /* aligned */
    char *name;            /* room for any name */
    char *other_name;      /* and for a second one */
};

/*
 * Allocates a buffer of at least so many bytes, and the names. Returns 0, or -ENOMEM with a line in
 * e: then there is nothing to be closed.
 */
int workspace_open(struct workspace *w, const struct names *names, size_t bytes, struct err *e);

void workspace_close(struct workspace *w);

#endif
