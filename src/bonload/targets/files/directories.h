#ifndef BONLOAD_TARGETS_FILES_DIRECTORIES_H
#define BONLOAD_TARGETS_FILES_DIRECTORIES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "sys/below.h"

/*
 * Keeps directories open that names have led to, for later requests. All threads share them, and
 * none is closed before the end. Once the slots are full, each request must find other directories
 * by itself.
 */
#define DIRECTORIES_SLOTS 1024

struct kept_directory;

struct directories {
    _Atomic(struct kept_directory *) slots[DIRECTORIES_SLOTS];
};

/* Makes all slots empty. */
void directories_init(struct directories *d);

/*
 * Works like below_find(), but keeps directories. below_release() does not release a kept one.
 * `top` must always be the same.
 */
int directories_find(struct directories *d, const struct below *top, const char *name,
                     enum below_missing missing, struct below_entry *entry);

/*
 * Stops using the kept directory of a name if it has been removed, because a new one may have its
 * name. Returns true if it did.
 */
bool directories_check(struct directories *d, const char *name);

/* Closes all kept directories. No other thread may use them any more. */
void directories_close(struct directories *d);

#endif
