#ifndef BONLOAD_TARGETS_FILES_WORKSPACE_H
#define BONLOAD_TARGETS_FILES_WORKSPACE_H

#include <stddef.h>

#include "bonload/ledger/names.h"
#include "util/err.h"

/* Alignment of direct transfers, both in memory and in files. */
#define WORKSPACE_ALIGNMENT 4096

/* What a thread needs for working on files, one request at a time. */
struct workspace {
    unsigned char *buffer; /* aligned to WORKSPACE_ALIGNMENT */
    char *name;            /* room for any name */
    char *other_name;      /* room for a second name */
};

/*
 * Allocates thread_bytes of zeroed memory for a target's thread. The memory begins with a
 * workspace, whose buffer has at least `bytes` bytes. Returns 0, or -ENOMEM with a line in e; then
 * there is nothing to close.
 */
int workspace_open(void **thread, size_t thread_bytes, const struct names *names, size_t bytes,
                   struct err *e);

/* Frees the thread's data with its workspace. */
void workspace_close(void *thread);

#endif
