#ifndef SYS_BELOW_H
#define SYS_BELOW_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

/*
 * Access to files below one directory that may belong to anybody. The directory is found once and
 * kept as a descriptor. Names, which may have several parts, are looked up from there and never
 * lead out of it, and other users of the machine cannot divert them:
 *
 * - a symbolic link on the way is followed only if nobody but root and this process's user can
 *   change the directory that the link is in (walk_trusts_entry()); a link in the last part is
 *   only followed with follows_files;
 * - opening never waits, neither for a pipe's reader nor for a device;
 * - a file with a second name elsewhere, in a directory where others could have linked it, is not
 *   changed.
 */
struct below {
    int fd; /* O_PATH, for openat() and the like, with names of one part; -1: not open */
    bool follows_files; /* below_open_file() follows a link in the last part of a name */
};

/* What happens to missing directories. */
enum below_missing {
    BELOW_FAILS, /* -ENOENT */
    BELOW_MAKES, /* they are made, with the mode that mkdir(1) would give them */
};

/* Results besides the errno codes, as negative numbers. */
#define BELOW_NOT_A_FILE EMEDIUMTYPE /* a pipe, socket or device that cannot be used here */
#define BELOW_LINK       ELOOP       /* a symbolic link that is not followed */
#define BELOW_ENDLESS    EMULTIHOP   /* too many symbolic links that lead to each other */

/*
 * Opens a directory: a path from the user, "" being the current directory, or, if `from` is given,
 * a path below that. Returns 0, and then needs below_close(), or a negative errno.
 */
int below_open(struct below *b, const struct below *from, const char *path,
               enum below_missing missing);

void below_close(struct below *b);

/*
 * Opens a directory of the user's in the same way, so that it can be listed and synced. Returns its
 * descriptor, or a negative errno with a line in e, "open directory PATH: REASON".
 */
int below_open_directory(const char *path, enum below_missing missing, struct err *e);

/* Reports why below_open() failed for this path; returns the code, a negative errno. */
int below_say(struct err *e, int code, const char *path, enum below_missing missing);

/*
 * Opens a regular file or a device below b; one that is opened for reading must have an end. The
 * flags are those of open(2); O_TRUNC only affects a file with a single name. With follows_files, a
 * name that is a symbolic link is followed under the same condition as one on the way. Returns the
 * descriptor or a negative errno.
 */
int below_open_file(const struct below *b, const char *name, int flags, mode_t mode);

/*
 * Opens whatever has the name, to read: the open does not wait, and neither do reads from what is
 * not a file. For callers that know what to expect, and call below_check_read() as soon as they get
 * anything else. Returns the descriptor or a negative errno.
 */
int below_open_unseen(const struct below *b, const char *name, int flags);

/*
 * Opens what has a name of one part, to change its owner, mode or attributes: with O_PATH anything,
 * even a link itself, otherwise as below_open_file() does. -EMLINK if it has further names and
 * others could have put this one there.
 */
int below_open_to_change(const struct below *b, const char *name, int flags);

/*
 * Returns 0 if a regular file or a block device is open there, -EISDIR or -BELOW_NOT_A_FILE. *size
 * is that of a regular file, 0 if it is not known.
 */
int below_check_read(int fd, uint64_t *size);

/* The directory that holds the last part of a name, and that part. */
struct below_entry {
    int directory; /* for openat() and the like */
    const char *name;
    struct below found; /* the directory, if it differs from that of b */
};

/*
 * Finds the entry; `name` must outlive it. Returns 0, and then needs below_release(), or a negative
 * errno.
 */
int below_find(const struct below *b, const char *name, enum below_missing missing,
               struct below_entry *entry);

void below_release(struct below_entry *entry);

/* The text for a result code. */
const char *below_reason(int code);

#endif
