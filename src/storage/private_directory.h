#ifndef STORAGE_PRIVATE_DIRECTORY_H
#define STORAGE_PRIVATE_DIRECTORY_H

#include "util/err.h"

/*
 * A run makes, opens and removes its private directory by its name in the user's directory. Whoever
 * may write to the user's directory, or owns it, can put something else in its place at any moment
 * in between. So what was opened is checked, and everything after that uses the descriptor.
 *
 * A `name` never has a slash. Functions that return int return 0 or a negative errno, unless they
 * say otherwise.
 */

/*
 * Opens the directory with that name in the directory behind fd for reading. Refuses symbolic links
 * and mounted filesystems. Returns the descriptor, which the caller closes.
 */
int directory_open(int fd, const char *name);

/* Whether that name in the directory behind fd is the file that is open as `other`: 1 or 0. */
int directory_has(int fd, const char *name, int other);

enum directory_state {
    DIRECTORY_EMPTY,
    DIRECTORY_VANISHING, /* only files that were removed while they were open are left in it */
    DIRECTORY_IN_USE,    /* something else is in it */
    DIRECTORY_REMOVED,   /* it no longer has a name */
};

/* Returns the state of the open directory: an enum directory_state, or a negative errno. */
int directory_state(int fd);

enum ownership {
    OWNERSHIP_OURS,
    OWNERSHIP_OTHER,   /* another user owns it, or may use it */
    OWNERSHIP_UNKNOWN, /* no owners or modes are kept, and others may write here */
};

/*
 * Whether only this user can have made the open directory, which was found in the one behind
 * parent_fd: it belongs to the effective user, nobody else may use it, and it is on the same
 * device. If the filesystem keeps no owners or modes, only root and this user may be able to write
 * to the parent. Returns an enum ownership; unless that is OWNERSHIP_OURS, `found` says what was
 * found.
 */
#define FOUND_SIZE 160
int private_directory_ownership(int parent_fd, int fd, char found[FOUND_SIZE]);

/*
 * Removes the open directory, which must be empty, from the one behind parent_fd. Some filesystems
 * remove a file that was open only a moment after it was closed, so this waits for that: up to
 * eight seconds while nothing else is in the directory, otherwise up to half a second. Returns
 * -ENOENT when the directory is already gone. Returns -ESTALE when somebody has moved it; then it
 * stays where it is, and so does whatever has its name now, unless that was put there in the very
 * moment before the removal.
 */
int private_directory_remove(int parent_fd, const char *name, int fd);

/*
 * Takes the lock of an open owner file, which a run holds as long as it lives. Returns -EWOULDBLOCK
 * when the run is alive, and -ENOLCK when the filesystem has no locks (Lustre mounted without
 * `flock`, for example), so that nobody knows.
 */
int owner_file_lock(int owner_fd);

/* Explains -ESTALE in e: says where the directory path/name is now. Returns a negative errno. */
int private_directory_say_moved(struct err *e, const char *path, const char *name, int fd);

#endif
