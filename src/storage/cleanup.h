#ifndef STORAGE_CLEANUP_H
#define STORAGE_CLEANUP_H

#include "util/err.h"

/*
 * Removes the entry `name`, made by a run, from its private directory, which is open as fd. Returns
 * 0, -EEXIST when no run makes entries of that name, or another negative errno.
 */
typedef int cleanup_entry(int fd, const char *name);

/* The function for the entries that scratch.h makes. */
cleanup_entry cleanup_scratch_entry;

/*
 * --cleanup: removes the private directories (scratch.h) that killed runs of this user left in the
 * directory path. A directory counts as one only if its name has the right form, it belongs to this
 * user with mode 0700, and it holds an owner file that names it and that no live run has locked;
 * only what remove_entry accepts is removed from it. An empty directory whose name passes the check
 * of its last digits counts as one, too, left by a run that was killed at once.
 *
 * Prints on stdout what was removed, and on stderr what was left alone and why. Returns 0 when
 * every such directory is gone or in use, otherwise a negative errno with a line in e.
 */
int cleanup_directory(const char *path, cleanup_entry *remove_entry, struct err *e);

#endif
