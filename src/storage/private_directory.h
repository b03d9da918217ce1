#ifndef STORAGE_PRIVATE_DIRECTORY_H
#define STORAGE_PRIVATE_DIRECTORY_H

#include "util/err.h"

/*
 * The private directory of a run is made, opened and removed by its name in the user's directory.
 * Anybody who may write to that directory, or owns it, can put something else in its place at any
 * moment in between. So what was opened is checked, and everything else uses the descriptor.
 *
 * A `name` never contains a slash. Functions that return an int return 0 or a negative errno unless
 * they say otherwise.
 */

/*
 * Opens the directory of that name in the one behind fd for reading; refuses symbolic links and
 * mounted filesystems. Returns the descriptor, which the caller closes.
 */
int directory_open(int fd, const char *name);

/* Whether that name in the directory behind fd is the file that is open as `other`: 1 or 0. */
int directory_has(int fd, const char *name, int other);

enum directory_state {
    DIRECTORY_EMPTY,
    DIRECTORY_IN_USE,  /* it is not empty */
    DIRECTORY_REMOVED, /* it has no name any more */
};

/* The state of the open directory: an enum directory_state or a negative errno. */
int directory_state(int fd);

enum ownership {
    OWNERSHIP_OURS,
    OWNERSHIP_OTHER,   /* another user owns it, or may use it */
    OWNERSHIP_UNKNOWN, /* the filesystem keeps no owners or modes, and other users may write here,
                          too */
};

/*
 * Whether the open directory, which was found in the one behind parent_fd, can only have been made
 * by this user: it belongs to the effective user, nobody else may use it, and it is on the same
 * device. Where the filesystem keeps no owners or modes, only root and this user may write to the
 * parent. Returns an enum ownership; unless it is OWNERSHIP_OURS, `found` describes what was found.
 */
#define FOUND_SIZE 160
int private_directory_ownership(int parent_fd, int fd, char found[FOUND_SIZE]);

/*
 * Removes the open directory, which must be empty, from the one behind parent_fd. Some filesystems
 * remove a file that was open only a moment after it was closed: this waits up to half a second for
 * it. -ENOENT: the directory is gone already. -ESTALE: it was moved to another place, and is left
 * there; what has its name now is left, too, unless it was put there in the very moment before the
 * removal.
 */
int private_directory_remove(int parent_fd, const char *name, int fd);

/*
 * Takes the lock of an open owner file, which a run holds as long as it lives. -EWOULDBLOCK: its
 * run is alive. -ENOLCK: the filesystem has no locks (Lustre mounted without `flock`, for example),
 * so it is not known whether the run is alive.
 */
int owner_file_lock(int owner_fd);

/* Fills e for -ESTALE: says where the directory path/name is now. Returns a negative errno. */
int private_directory_say_moved(struct err *e, const char *path, const char *name, int fd);

#endif
