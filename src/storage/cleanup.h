#ifndef STORAGE_CLEANUP_H
#define STORAGE_CLEANUP_H

#include "util/err.h"

/*
 * Removes an entry that a run has made from its private directory, which is open as fd. Returns 0,
 * -EEXIST when no run makes entries of that name, or another negative errno.
 */
typedef int cleanup_entry(int fd, const char *name);

/* A cleanup_entry for the entries that scratch.h makes. */
cleanup_entry cleanup_scratch_entry;

/*
 * --cleanup: removes the private directories (scratch.h) that killed runs of this user have left in
 * the directory `path`. A directory counts as private only if its name has the right form, it
 * belongs to this user and has mode 0700, and it has an owner file that names it and that no live
 * run has locked. Only what remove_entry() accepts is removed from it. An empty directory whose
 * name passes the check of its last digits also counts: it is of a run that was killed at once.
 *
 * Prints on stdout what it has removed, and on stderr what it has left, and why. Returns 0 when
 * every such directory is gone or in use, and otherwise a negative errno with a line in e.
 */
int cleanup_directory(const char *path, cleanup_entry *remove_entry, struct err *e);

#endif
