#ifndef BONLOAD_TARGETS_FILES_PATHS_H
#define BONLOAD_TARGETS_FILES_PATHS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/ledger/names.h"
#include "bonload/targets/files/directories.h"
#include "bonload/targets/target.h"
#include "sys/below.h"

/*
 * Finds the files of names. All are below one directory, the common prefix of the names, which is
 * found only once (sys/below.h).
 */
struct paths {
    const struct names *names;
    bool makes_directories;
    bool follows_links; /* follows this user's links in the last part of a name, as goader does */
    char *directory;    /* the path of the directory, as the user gave it */
    size_t skip;        /* length of this path in every name */
    _Atomic int fd;     /* the directory; -1: not found yet */
    struct directories kept;
};

/*
 * target_ops.check for targets on files: refuses a URL, which would be a valid path but is a
 * mistake.
 */
int paths_check(struct plan *p, const struct settings *s, struct err *e);

/*
 * Finds the directory above all names. It is not a failure if that is missing: it may be made
 * later. Returns 0, or a negative errno with a line in e; then there is nothing to close.
 */
int paths_begin(struct paths *p, const struct target_setup *setup, struct err *e);

void paths_end(struct paths *p);

/*
 * Opens the file with that name, but not the target of a link (below_open_file()). With O_CREAT it
 * also makes missing directories, if the user wants that. Returns the descriptor or a negative
 * errno.
 */
int paths_open(struct paths *p, const char *name, int flags);

/* Finds the directory of a name, as below_find() does. */
int paths_find(struct paths *p, const char *name, enum below_missing missing,
               struct below_entry *entry);

/*
 * To be called when the entry that paths_find() found does not exist. Returns true if its kept
 * directory has been removed; then paths_find() will look it up again.
 */
bool paths_missed(struct paths *p, const char *name);

/*
 * Opens a file for reading, as paths_open() does, but does not check its kind. If the caller reads
 * something unexpected, it must call below_check_read().
 */
int paths_open_unseen(struct paths *p, const char *name, int flags);

/* Syncs the directory of a name. Returns 0 or a negative errno. */
int paths_sync_above(struct paths *p, const char *name);

/*
 * Removes the regular file (or, with `links`, the symbolic link) whose name has that number. Leaves
 * files of other kinds, because runs do not make them. Returns 0, also when nothing was removed, or
 * a negative errno.
 */
int paths_remove(struct paths *p, uint64_t number, bool links);

#endif
