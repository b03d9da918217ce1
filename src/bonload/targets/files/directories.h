#ifndef BONLOAD_TARGETS_FILES_DIRECTORIES_H
#define BONLOAD_TARGETS_FILES_DIRECTORIES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "sys/below.h"

/*
 * Directories that names have led to, kept open for the requests that follow: all threads share
 * them, and none is closed before the end. What does not fit is found anew by every request.
 */
#define DIRECTORIES_SLOTS 1024

struct kept_directory;

struct directories {
    _Atomic(struct kept_directory *) slots[DIRECTORIES_SLOTS];
};

/* Empties it. */
void directories_init(struct directories *d);

/* As below_find(); what is kept is not released by below_release(). `top` is always the same. */
int directories_find(struct directories *d, const struct below *top, const char *name,
                     enum below_missing missing, struct below_entry *entry);

/*
 * Forgets the directory of a name if it has been removed: another one may have its name. Returns
 * true if it did.
 */
bool directories_check(struct directories *d, const char *name);

/* Closes all. No thread may use it any more. */
void directories_close(struct directories *d);

#endif
