// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include "util/err.h"

/* Looks up every path that a user has named, one name at a time, by the rule in SECURITY.md, which
 * says why; scripts/lib/Bonnie/Path.pm has the same. The user is the one whose rights this process
 * has now (geteuid()); others are all users but this one and root.
 *
 * - A directory is SAFE if root or the user owns it and all above it, and others may write to none,
 *   or only to sticky ones above it (/tmp). What another user has MOUNTED has no safe directory.
 * - A symbolic LINK is followed in a safe directory, and the kernel's own below /proc/self. On what
 *   another user has mounted it is followed where the directory would be safe otherwise, but the
 *   path must end in the same mount.
 * - A FILE that is already there, where the directory is not safe: root changes none in place;
 *   users change their own if fs.protected_hardlinks is 1 (proc(5)). One of this user's own whose
 *   contents do not matter is removed and made anew. Nothing of others is removed or replaced.
 * - A directory is CLOSED if somebody else can move it, or one above it, but may not replace what
 *   is in it: nothing that is there is changed, removed or replaced, unless it was empty at first.
 *   CONTENTS are not shown (to a server, on a page, in a message) if another user can have given
 *   the file its name and may not read it. Users but root can waive both (--trust-directory).
 *
 * What has been found is held by descriptors, and by a name of one part in an open directory.
 * Opening never waits, neither for the other end of a pipe nor for a device. */

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

/* Finds a directory: the user's path ("" is the current directory) or, if `from` is not NULL, one
 * below that, which only links lead out of. Returns 0, and then wants path_close(), or a negative
 * errno, with a line in e unless e is NULL. */
int path_open(struct path_directory *d, const struct path_directory *from, const char *path,
              enum path_missing missing, struct err *e);

void path_close(struct path_directory *d);

/* Finds out what may be changed, before the first change: in an empty one, all to come. */
int path_look_into(struct path_directory *d);

/* Writes the text of a result for a directory or, with PATH_HIDDEN, for a file; it names who. */
struct path_file;
void path_explain(const struct path_directory *d, const struct path_file *f, int code, char *text,
                  size_t size);

/* Does the same for listing and syncing: returns a descriptor, or a negative errno with a line. */
int path_open_to_list(const char *path, enum path_missing missing, struct err *e);

/* ---- names of one part in a directory -------------------------------------------------------- */

/* How path_open_file() opens a file. */
enum path_how {
    PATH_ANY_KIND = 1, /* the caller checks the kind, for example by path_check_read() */
    PATH_CHANGES = 2,  /* a file that is opened for reading, or with O_PATH, will be changed, too */
    PATH_FOLLOWS = 4,  /* a link is followed where the rule allows that */
};

/* Opens a regular file or a device, with `flags` of open(2): with O_TRUNC the contents of a file
 * that is there do not matter, otherwise writing changes it in place. What is read must have an
 * end. Returns the descriptor, which may have O_NONBLOCK, or a negative errno. */
int path_open_file(struct path_directory *d, const char *name, int flags, mode_t mode,
                   unsigned how);

/* Whether a new name failed with ENOSPC although the filesystem has room: the directory is full. */
bool path_is_full(int directory, int code);

/* Returns 0 if fd is a regular file, whose size *size becomes, or a block device (0: not known), or
 * a negative errno: -EISDIR, -PATH_NOT_A_FILE. */
int path_check_read(int fd, uint64_t *size);

/* Returns 0 if the rule lets this user remove or replace what has the name, or a negative errno.
 * is_made: this process has made it by that name in this directory, which may be CLOSED then. */
int path_check_removed(struct path_directory *d, const char *name, bool is_made);

/* Removes what has the name, if path_check_removed() allows that. Returns 0 or a negative errno. */
int path_remove(struct path_directory *d, const char *name, bool is_made);

/* Renames a file that this user may remove, if the rule lets him replace what has the new name:
 * even in this moment nothing of others, if there is RENAME_NOREPLACE. 0 or a negative errno. */
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

/* Finds the file. Its directory must exist. Returns 0, and then wants path_release(), or a negative
 * errno with the line "VERB PATH: REASON" in e. */
int path_find(struct path_file *f, const char *verb, const char *path, struct err *e);

/* Waits until the storage behind a path, which may not exist, answers: before stop_init(), when a
 * signal ends the program, which nothing else does while a FUSE or NFS server is stopped. */
void path_await(const char *path);

/* Opens the file that was found, which exists, whatever has its name by now, with these flags of
 * open(2). Returns the descriptor, or a negative errno with a line in e. */
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

/* Whether nobody else can put another directory at the place of this one, a mount point's. */
bool path_stays(int directory);

/* Whether this process can execute the file, and others can change neither it nor its directory. */
bool path_is_safe_program(const char *path);
