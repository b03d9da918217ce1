// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "util/err.h"

/*
 * Looks up every path that a user has named, one name at a time, by one rule; scripts/lib/Bonnie/
 * Path.pm has the same. The user is the one whose rights this process has now (geteuid()); others
 * are all users but this one and root. With them a program may share every directory of a path.
 *
 * - A directory is SAFE if others can change neither it nor a directory above it, up to `/`: root
 * or the user owns each, and none has a write bit for group or others. A sticky directory above it
 *   (/tmp) counts, because others cannot replace what root or the user has there. What another user
 *   has MOUNTED (FUSE, `user` in fstab, a mount namespace of his) shows the owners that he wants:
 *   a directory there is never safe.
 * - A symbolic LINK is followed only in a safe directory. The kernel follows its own links below
 * /proc/self; what they name has been chosen by whoever opened it. Those of other processes are
 * refused. On what another user has mounted, in directories that would be safe otherwise, a link
 * may lead anywhere, but the path must end in the same mount, where everything is his anyway.
 * - A FILE that is already there, where the directory is not safe, may be any file of root's or the
 *   user's that others have given this name. Root changes none in place; users change their own if
 *   fs.protected_hardlinks is 1 (proc(5)). A file whose contents do not matter is removed and made
 *   anew if it is this user's own. Nothing of others is removed or replaced. The number of a file's
 *   names says nothing, because it can change at any time.
 * - A directory is CLOSED if somebody else can move it, or one above it, to another name, but may
 *   not replace what is in it: where he could, he gains nothing. In it nothing that is there is
 *   changed, removed or replaced, unless it was empty when it was found. In the same way, CONTENTS
 *   are shown to nobody (a server, a page, a message) if another user can have given the file its
 *   name without being allowed to read it. Users but root can waive this (--trust-directory).
 *
 * What has been found is held by descriptors, and by a name of one part in an open directory.
 * Opening never waits, neither for the other end of a pipe nor for a device.
 */

/* A directory that was found. The caller must not change it while it is shared by threads. */
struct path_directory {
    int fd;              /* O_PATH, for openat(2) and the like with names of one part; -1: none */
    _Atomic int changes; /* which files may be changed in it; 0: not known yet */
};

/* What happens to missing directories. */
enum path_missing {
    PATH_FAILS, /* -ENOENT is returned */
    PATH_MAKES, /* they are made, with the mode that mkdir(1) would give them */
};

/* Results besides errnos, returned as negative numbers. */
#define PATH_NOT_A_FILE EMEDIUMTYPE /* a pipe, socket or device that cannot be used here */
#define PATH_LINK       ELOOP       /* a symbolic link that is not followed */
#define PATH_AWAY       ELNRNG      /* a link that leads out of what another user has mounted */
#define PATH_ENDLESS    EMULTIHOP   /* too many symbolic links on the way */
#define PATH_MOVED      ENOTNAM  /* `..` does not lead back, because somebody moves directories */
#define PATH_FOREIGN    ENOTUNIQ /* a file that the rule does not let this user change */
#define PATH_FULL       EXFULL   /* ENOSPC, as path_is_full() says */
#define PATH_CLOSED     EREMCHG  /* somebody can move a directory that is closed to them */
#define PATH_HIDDEN     EL2HLT   /* somebody can have put a file there that they may not read */

/* The text of a result. */
const char *path_reason(int code);

/* --trust-directory: whether the user, unless that is root, waives what is said of CLOSED. */
void path_trust_movers(bool trusts);

/* ---- directories ----------------------------------------------------------------------------- */

/*
 * Finds a directory: the user's path ("" is the current directory) or, if `from` is not NULL, a
 * path below that, which does not lead out of it except by links. Returns 0, and the caller must
 * then call path_close(), or a negative errno, with a line in e unless e is NULL.
 */
int path_open(struct path_directory *d, const struct path_directory *from, const char *path,
              enum path_missing missing, struct err *e);

void path_close(struct path_directory *d);

/*
 * Finds out now, and not at the first change, what may be changed in a directory: if it is empty,
 * all that this user makes in it from now on may be, also by other processes.
 */
void path_look_into(struct path_directory *d);

/* Writes the text of a result for a directory or, with PATH_HIDDEN, for a file; it names who. */
struct path_file;
void path_explain(const struct path_directory *d, const struct path_file *f, int code, char *text,
                  size_t size);

/*
 * Opens one of the user's directories in the same way, for listing and syncing. Returns its
 * descriptor, or a negative errno with a line in e.
 */
int path_open_to_list(const char *path, enum path_missing missing, struct err *e);

/* ---- names of one part in a directory -------------------------------------------------------- */

/* How path_open_file() opens a file. */
enum path_how {
    PATH_ANY_KIND = 1, /* the caller checks the kind, for example by path_check_read() */
    PATH_CHANGES = 2,  /* a file that is opened for reading, or with O_PATH, will be changed, too */
    PATH_FOLLOWS = 4,  /* a link is followed where the rule allows that */
};

/*
 * Opens a regular file or a device in a directory, with `flags` of open(2), which say what becomes
 * of a file that is there: with O_TRUNC its contents do not matter, otherwise writing changes it in
 * place. One that is opened for reading must have an end. Returns the descriptor, which may have
 * O_NONBLOCK, or a negative errno.
 */
int path_open_file(struct path_directory *d, const char *name, int flags, mode_t mode,
                   unsigned how);

/*
 * Whether a new name in a directory failed with ENOSPC although the filesystem has room for a file:
 * then the directory may have all the names that the filesystem allows it.
 */
bool path_is_full(int directory, int code);

/*
 * Returns 0 if fd is a regular file or a block device, and otherwise -EISDIR or -PATH_NOT_A_FILE.
 * *size becomes that of a regular file; 0: unknown.
 */
int path_check_read(int fd, uint64_t *size);

/*
 * Returns 0 if the rule lets this user remove or replace what has the name, or a negative errno:
 * -ENOENT if nothing has it.
 */
int path_check_replaced(struct path_directory *d, const char *name);

/*
 * Removes what has the name, if the rule allows that; is_made: this process has made it by that
 * name in this very directory, which may be CLOSED then. Returns 0 or a negative errno.
 */
int path_remove(struct path_directory *d, const char *name, bool is_made);

/*
 * Renames a file that this user may remove, if the rule lets this user replace what has the new
 * name. Nothing of another user's is replaced even if it is made in this moment, where the
 * filesystem can rename without replacing. Returns 0 or a negative errno.
 */
int path_rename(struct path_directory *from, const char *name, struct path_directory *to,
                const char *new_name);

/* ---- files ----------------------------------------------------------------------------------- */

/* A file that the user has named, and that need not exist. */
struct path_file {
    const char *verb;                /* for messages: "open" */
    const char *path;                /* as the user gave it; both texts must outlive this struct */
    struct path_directory directory; /* of the last name */
    char name[NAME_MAX + 1];         /* never "." or ".." */
    int fd;                          /* O_PATH; -1: the file does not exist */
    struct stat facts;               /* what fstat(2) says about the file, if it exists */
    bool is_in_place;                /* the name leads to the file; false: a link of the kernel */
};

/*
 * Finds the file. Its directory must exist. Returns 0, and the caller must then call
 * path_release(), or a negative errno with the line "VERB PATH: REASON" in e.
 */
int path_find(struct path_file *f, const char *verb, const char *path, struct err *e);

/*
 * Opens the file that was found, whatever has its name by now, with these flags of open(2). The
 * file must exist. Returns the descriptor, or a negative errno with a line in e.
 */
int path_reopen(const struct path_file *f, int flags, struct err *e);

/* Returns 0 if the rule lets this user change the file, which exists, in place; -PATH_FOREIGN. */
int path_check_changed(struct path_file *f);

/* Returns 0 if contents of the file, which exists, may leave the process; -PATH_HIDDEN. */
int path_check_shown(const struct path_file *f);

/* The file is one that this process has made, so its directory is not CLOSED. */
void path_vouch(struct path_file *f);

/* Whether the file, which exists, is another user's pipe, which could make its users wait. */
bool path_is_foreign_pipe(const struct path_file *f);

/* Records a result for the file as "VERB PATH: REASON" in e. Returns the code. */
int path_say(const struct path_file *f, int code, struct err *e);

void path_release(struct path_file *f);

/* Whether this process can execute the file, and others can change neither it nor its directory. */
bool path_is_safe_program(const char *path);
