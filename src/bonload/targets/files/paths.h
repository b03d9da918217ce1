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
 * The files of names: all are below one directory, their common prefix, which is found once
 * (sys/below.h).
 */
struct paths {
    const struct names *names;
    bool makes_directories;
    bool follows_links; /* links of this user, in the last part of a name, are followed, as in
                           goader */
    char *directory;    /* as given by the user */
    size_t skip;        /* length of the prefix of every name that is the directory */
    _Atomic int fd;     /* -1: not found yet */
    struct directories kept;
};

/* The `check` of targets with paths: refuses a URL, which is a valid path but not meant as one. */
int paths_check(struct plan *p, const struct settings *s, struct err *e);

/*
 * Finds the directory, which may also be made later. Returns 0, or a negative errno with a line in
 * e, in which case there is nothing to close.
 */
int paths_begin(struct paths *p, const struct target_setup *setup, struct err *e);

void paths_end(struct paths *p);

/*
 * Opens the file of that name, but not a link's target (below_open_file()). With O_CREAT, missing
 * directories are made if the user has asked for that. Returns the descriptor or a negative errno.
 */
int paths_open(struct paths *p, const char *name, int flags);

/* Finds the directory of a name (below_find()). */
int paths_find(struct paths *p, const char *name, enum below_missing missing,
               struct below_entry *entry);

/*
 * To be called when the entry that paths_find() found does not exist. Returns true if the directory
 * was kept and has been removed: then the next call looks it up again.
 */
bool paths_missed(struct paths *p, const char *name);

/*
 * Opens like paths_open(), for reading, but does not check the kind of file: the caller knows what
 * to expect, and calls below_check_read() on anything else.
 */
int paths_open_unseen(struct paths *p, const char *name, int flags);

/* Makes the directory of a name durable. Returns 0 or a negative errno. */
int paths_sync_above(struct paths *p, const char *name);

/*
 * Removes the regular file with a number's name, or, if `links`, the symbolic link. Other files are
 * not made by runs, and stay. Returns 0, also when nothing was removed, or a negative errno.
 */
int paths_remove(struct paths *p, uint64_t number, bool links);

#endif
