#ifndef SYS_BELOW_H
#define SYS_BELOW_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

/*
 * Access to files below one directory, which may belong to anybody. The directory is found once,
 * and kept as a descriptor. Names, which may have several parts, are looked up from there, never
 * lead out of it, and cannot be diverted by other users:
 *
 * - a symbolic link on the way is followed only if nobody but root and this process's user can
 *   change the directory that contains the link (walk_trusts_entry()); a link in the last part is
 *   followed only with follows_files;
 * - opening never waits, neither for the reader of a pipe nor for a device;
 * - a file is not changed if it also has a name in a directory where others could have linked it.
 */
struct below {
    int fd; /* O_PATH, for openat(2) and the like with names of one part; -1: not open */
    bool follows_files; /* below_open_file() follows a link in the last part of a name */
};

/* What happens to missing directories. */
enum below_missing {
    BELOW_FAILS, /* -ENOENT is returned */
    BELOW_MAKES, /* they are made, with the mode that mkdir(1) would give them */
};

/* Results besides errnos, returned as negative numbers. */
#define BELOW_NOT_A_FILE EMEDIUMTYPE /* a pipe, socket or device that cannot be used here */
#define BELOW_LINK       ELOOP       /* a symbolic link that is not followed */
#define BELOW_ENDLESS    EMULTIHOP   /* too many symbolic links on the way */

/*
 * Opens a directory: the user's path ("" is the current directory) or, if `from` is not NULL, a
 * path below that. Returns 0, and the caller must then call below_close(), or a negative errno.
 */
int below_open(struct below *b, const struct below *from, const char *path,
               enum below_missing missing);

void below_close(struct below *b);

/*
 * Opens one of the user's directories in the same way, for listing and syncing. Returns its
 * descriptor, or a negative errno with the line "open directory PATH: REASON" in e.
 */
int below_open_directory(const char *path, enum below_missing missing, struct err *e);

/* Explains in e why below_open() has failed for a path. Returns the code, a negative errno. */
int below_say(struct err *e, int code, const char *path, enum below_missing missing);

/*
 * Opens a regular file or a device below b. One that is opened for reading must have an end.
 * `flags` are those of open(2); O_TRUNC works only on a file with a single name. With
 * follows_files, a name that is a symbolic link is followed if a link on the way would be. Returns
 * the descriptor or a negative errno.
 */
int below_open_file(const struct below *b, const char *name, int flags, mode_t mode);

/*
 * Opens whatever has the name, for reading. Neither the open nor a read waits. The caller must know
 * what to expect, and call below_check_read() when it gets anything else. Returns the descriptor or
 * a negative errno.
 */
int below_open_unseen(const struct below *b, const char *name, int flags);

/*
 * Opens what has a name of one part, for changing its owner, mode or attributes: with O_PATH
 * anything, even a link itself; otherwise as below_open_file() does. Returns the descriptor or a
 * negative errno: -EMLINK if it has several names, and others could have put this one there.
 */
int below_open_to_change(const struct below *b, const char *name, int flags);

/*
 * Returns 0 if fd is a regular file or a block device, and otherwise -EISDIR or -BELOW_NOT_A_FILE.
 * *size becomes that of a regular file; 0: unknown.
 */
int below_check_read(int fd, uint64_t *size);

/* The directory that contains the last part of a name, and that part. */
struct below_entry {
    int directory; /* for openat(2) and the like */
    const char *name;
    struct below found; /* the directory, if it is not b itself */
};

/*
 * Finds the entry. `name` must outlive it. Returns 0, and the caller must then call
 * below_release(), or a negative errno.
 */
int below_find(const struct below *b, const char *name, enum below_missing missing,
               struct below_entry *entry);

void below_release(struct below_entry *entry);

/* The text of a result. */
const char *below_reason(int code);

#endif
