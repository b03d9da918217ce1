#ifndef BONLOAD_TARGETS_FILES_WORKSPACE_H
#define BONLOAD_TARGETS_FILES_WORKSPACE_H

#include <stddef.h>

#include "bonload/ledger/names.h"
#include "util/err.h"

/* Alignment of direct transfers, in memory and in files. */
#define WORKSPACE_ALIGNMENT 4096

/* What a thread that works on files needs for one request at a time. */
struct workspace {
    unsigned char *buffer; /* aligned */
    char *name;            /* room for any name */
    char *other_name;      /* room for a second name */
};

/*
 * Allocates a target's data for a thread, zeroed: thread_bytes that begin with its workspace, whose
 * buffer has at least `bytes` bytes. Returns 0, or -ENOMEM with a line in e, in which case there is
 * nothing to close.
 */
int workspace_open(void **thread, size_t thread_bytes, const struct names *names, size_t bytes,
                   struct err *e);

/* Frees the thread's data with its workspace. */
void workspace_close(void *thread);

#endif
