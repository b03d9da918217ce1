#ifndef SYS_NAMED_FILE_H
#define SYS_NAMED_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "util/err.h"

/*
 * A file that the user has named, found once: afterwards it is known by descriptors and a name of
 * one part, so that nobody can substitute another file by changing what the path leads to.
 *
 * A user who names a file trusts everybody who may write to the directories on the way to it, and
 * nobody else. Therefore:
 *
 * - In a directory with the sticky bit that others may write to, an entry is not used, be it a
 *   symbolic link on the way or the file, if it belongs neither to this process's user, nor to
 *   root, nor to the owner of that directory. This is the rule of fs.protected_symlinks,
 *   protected_fifos and protected_regular (proc(5)), whether the system enforces it or not.
 * - A link of another user may lead to a file in a directory that belongs to that user, or in the
 *   directory where the link is, and nowhere else: in those directories that user could have made
 *   the file directly.
 * - Links of the kernel (/proc/self/fd/1, to which /dev/stdout leads) are followed unless another
 *   user's link has led to them.
 */
struct named_file {
    const char *purpose;     /* the verb for messages: "open" */
    const char *path;        /* as given by the user; both texts must outlive this struct */
    int directory;           /* O_PATH; `name` is to be used relative to it only */
    char name[NAME_MAX + 1]; /* neither "." nor ".." */
    int fd;                  /* O_PATH; -1: the file does not exist */
    struct stat facts;       /* what fstat() says of the file, if it exists */
    bool is_in_place;        /* the name leads to the file; false: a link of the kernel did */
    bool was_led;            /* a link of another user was followed on the way */
};

/*
 * Finds the file, which need not exist, though its directory must. Returns 0, or a negative errno
 * with a line in e, "PURPOSE PATH: REASON", in which case there is nothing to release.
 */
int named_file_find(struct named_file *f, const char *purpose, const char *path, struct err *e);

/*
 * Opens the file that was found, whatever has its name by now, with these flags of open(2). The
 * file must exist. Returns the descriptor, or a negative errno with a line in e.
 */
int named_file_open(const struct named_file *f, int flags, struct err *e);

/*
 * Whether the file, which exists, is a pipe that another user has put there, and could make wait
 * whoever uses it. One that a link of the kernel leads to was opened by somebody else for us.
 */
bool named_file_is_foreign_pipe(const struct named_file *f);

/*
 * Finds the file and opens it as a stream to read, or fails with a line in e. A pipe of this user's
 * or root's is waited for, until somebody writes to it or a signal comes; one of another user is
 * refused. Returns 0, then fclose() follows, or a negative errno.
 */
int named_file_read(FILE **in, const char *purpose, const char *path, struct err *e);

void named_file_release(struct named_file *f);

#endif
