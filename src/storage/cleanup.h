#ifndef STORAGE_CLEANUP_H
#define STORAGE_CLEANUP_H

#include "util/err.h"

/*
 * --cleanup: removes the private directories (scratch.h) that killed runs of this user left in the
 * directory path. A directory is taken for one only if its name has the form, it is owned by this
 * user with mode 0700, and it holds an owner file that names it and that no live run has locked;
 * in it only what a run makes is removed. An empty one whose name passes its check is taken for
 * that of a run killed at once.
 *
 * Says on stdout what was removed, and on stderr what was left alone and why. Returns 0 when all
 * that looked like ours is gone or in use, else a negative errno with a line in e.
 */
int cleanup_directory(const char *path, struct err *e);

#endif
