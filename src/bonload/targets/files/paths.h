// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/targets/target.h"
#include "sys/path.h"

/* Finds the files of names, for a target on files, whose shared data begin with a struct paths. All
 * files are below one directory, the common prefix of the names, which is found only once
 * (sys/path.h). Directories below that to which names have led are kept open for later requests.
 * All threads share them, and none is closed before the end. Once the slots are full, each request
 * must find other directories by itself. */
#define PATHS_SLOTS 1024

struct kept_directory;

struct paths {
    struct target_setup setup;
    char *directory;                      /* the path of the directory, as the user gave it */
    size_t skip;                          /* length of this path in every name */
    _Atomic(struct path_directory *) top; /* the directory; NULL: not found yet */
    _Atomic(struct kept_directory *) slots[PATHS_SLOTS];
    atomic_bool has_others; /* names led to directories that were not kept */
};

/* target_ops.check for targets on files: refuses a URL, which is a valid path but a mistake. */
int paths_check(struct plan *p, const struct settings *s, struct err *e);

/* target_ops.open: finds the directory above all names. If it is missing, it may be made later. */
int paths_open_target(struct paths *p, const struct target_setup *setup, struct err *e);
void paths_close_target(void *shared);

/* Opens the file with that name as path_open_file() does, and follows a link in the last part of
 * the name only as goader does. With O_CREAT it also makes missing directories, if the user wants
 * that. Returns the descriptor or a negative errno. */
int paths_open(struct paths *p, const char *name, int flags, unsigned how);

/* The directory that contains the last part of a name, and that part. */
struct paths_entry {
    struct path_directory *directory;
    const char *name;
    struct path_directory found; /* the directory, if it belongs to this entry alone */
};

/* Finds the entry of a name, which must outlive it. Returns 0, and the caller must then call
 * path_close(&entry->found), or a negative errno. */
int paths_find(struct paths *p, const char *name, enum path_missing missing,
               struct paths_entry *entry);

/* To be called when the entry that paths_find() found does not exist. If its kept directory has
 * been removed, stops using that directory, because a new one may have its name, and returns
 * true. */
bool paths_missed(struct paths *p, const char *name);

/* Syncs the directory of a name. Returns 0 or a negative errno. */
int paths_sync_above(struct paths *p, const char *name);

/* target_ops.remove: removes the regular file (or, if the target makes more than these, the
 * symbolic link) whose name has that number. Leaves files of other kinds, because runs do not make
 * them. Returns 0, also when nothing was removed, or a negative errno. */
int paths_remove(void *shared, uint64_t number);

/* Writes why an operation has failed in the directory above all names, or below that. */
void paths_explain(const void *shared, int code, char *text, size_t size);

#define WORKSPACE_ALIGNMENT 4096 /* of direct transfers, both in memory and in files */

/* What a thread needs for one request at a time. A target's thread begins with it. */
struct workspace {
    unsigned char *buffer; /* aligned to WORKSPACE_ALIGNMENT */
    char *name;            /* room for any name */
    char *other_name;      /* room for a second name */
};

/* Allocates a workspace whose buffer has at least `bytes` bytes. target_ops.leave frees it. */
int workspace_open(struct workspace *w, const struct names *names, size_t bytes, struct err *e);
void workspace_close(void *thread);
