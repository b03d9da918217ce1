// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <dirent.h>

#include "sys/path.h"

/* The private directory in which a run has all its files, except those that the user names, and
 * the names of what it makes there, by which --cleanup recognises what killed runs have left:
 *
 *     PROGRAM.0123456789abcdef/  the private directory of one run of that program
 *         owner                  says whose it is; locked while the run lives
 *         data00000              a data file, for the moment until it is unlinked
 *         o0                     the target of the links in the metadata tests
 *         d00000/                a directory of the metadata tests
 *             000000002axyz      a file with a name in sorted order
 *             xyz000000002a      a file with a name in random order
 *         fsync.0                what boncut promises (boncut/methods/methods.c): a file
 *         create.0b/             or a directory
 *             17.4               with its units
 *         tmp/ new/              the mailbox of a profile
 *             0000000000000001   a message */

/* Forms of these names, as extended regular expressions: a file in the private directory; a
 * directory in it; what may be either; and what is in these directories. */
#define FORM_FILE      "^(data([0-9]{5}|[1-9][0-9]{5,9})|o[0-9]{1,20})$"
#define FORM_DIRECTORY "^(d([0-9]{5}|[1-9][0-9]{5,9})|tmp|new)$"
#define FORM_WORKER    "^[a-z_]{1,16}[.][0-9]{1,18}([+][0-9]{1,18}|a|b)?$"
#define FORM_ENTRY                                                                                 \
    "^([0-9a-f]{10}[a-z2-7]{0,12}|[a-z2-7]{0,12}[0-9a-f]{10}|[0-9]{1,18}([.][0-9]{1,18})?|"        \
    "[0-9a-f]{16})$"

bool name_has_form(const char *name, const char *form);

/* Room for a name and for the contents of the owner file, with a NUL. */
#define PRIVATE_NAME_SIZE 40
#define FILE_NAME_SIZE    24
#define OWNER_FILE_NAME   "owner"
#define OWNER_TEXT_SIZE   80

/* Writes a private directory's name: the upper 48 bits of the number, and their checksum. */
void private_name(char name[PRIVATE_NAME_SIZE], uint64_t number);

/* The other names: made_name(MADE_FILE, number).text. Only those of targets exceed 32 bits. */
enum made_kind { MADE_FILE, MADE_DIRECTORY, MADE_TARGET };
struct made_name {
    char text[32];
};
struct made_name made_name(enum made_kind kind, uint64_t number);

/* Writes the name of metadata file `index` (below 2^40) in a run with that seed: ten hexadecimal
 * digits and up to twelve random letters, which come first in random order. */
enum name_order { NAMES_SORTED, NAMES_RANDOM };
void file_name(char name[FILE_NAME_SIZE], enum name_order order, uint64_t seed, uint64_t index);

/* Writes the contents of the owner file, without a NUL. Returns the length. */
size_t owner_text(char text[OWNER_TEXT_SIZE], const char *private_directory);

/* Whether a private directory's name passes the check, as one in 65536 others does, too; whether a
 * name has the form of this program's; and of any program's, with the check. */
bool private_name_is_made(const char *name);
bool is_private_name(const char *name);
bool is_private_name_of_any(const char *name);

/* Others who own the user's directory, or may write to it, can put something else in a private
 * directory's place at any time. So what was opened is checked, and everything after that uses the
 * descriptor. A `name` never has a slash. An int is 0 or a negative errno, unless stated. */

/* Open the directory with that name in the directory behind fd; the caller closes it. Refuse
 * symbolic links and mounted filesystems. directory_open() returns the descriptor; the other NULL
 * with errno. When readdir(3) ends with an errno, there may be names that were not seen. */
int directory_open(int fd, const char *name);
DIR *directory_list(int fd, const char *name);

/* The state of an open directory, apart from an entry with the name `except`; negative: errno. */
enum directory_state {
    DIRECTORY_EMPTY,
    DIRECTORY_VANISHING, /* only files that were removed while they were open are left in it */
    DIRECTORY_IN_USE,    /* something else is in it */
    DIRECTORY_REMOVED,   /* it no longer has a name */
};
int directory_state(int fd, const char *except);

enum ownership {
    OWNERSHIP_OURS,
    OWNERSHIP_OTHER,   /* another user owns it, or may use it */
    OWNERSHIP_UNKNOWN, /* no owners or modes are kept, and others may write here */
};

/* Whether only this user can have made the open directory, which was found in the one behind
 * parent_fd: it belongs to the effective user, nobody else may use it, and it is on the same
 * device. Where no owners or modes are kept, it is enough if only root and this user can write to
 * the parent or, with `trusts` (--trust-directory), if the user is not root. Returns an enum
 * ownership, with what was found in `found` if it is not OWNERSHIP_OURS, or a negative errno. */
#define FOUND_SIZE 160
int private_directory_ownership(int parent_fd, int fd, bool trusts, char found[FOUND_SIZE]);

/* Removes the open directory, which must be empty, from the one behind parent_fd. Some filesystems
 * remove a file only a moment after it was closed, so this waits: up to eight seconds while nothing
 * else is in the directory, otherwise half a second. Returns -ENOENT when the directory is already
 * gone; -ESTALE when somebody has moved it: then it stays, and so does what has its name now,
 * unless that was put there at the very moment before the removal. */
int private_directory_remove(int parent_fd, const char *name, int fd);

/* Scratch space: a private directory below the user's, and everything in it. It has mode 0700 and a
 * name that nobody can guess, and an owner file, which is locked (flock) while the run is alive.
 * All functions return 0 (or a descriptor), or a negative errno with a line in e. */
struct scratch {
    const char *path; /* the user's directory, for messages */
    char name[PRIVATE_NAME_SIZE];
    int parent_fd; /* the user's directory */
    int fd;        /* the private directory */
    int owner_fd;  /* the locked owner file; -1: another process has it */
    bool trusts;   /* owner and mode of the private directory do not matter */
    bool is_guest; /* another process has made the directory, and will remove it */
    mode_t umask;  /* umask of the process before scratch_make() */
};

/* Opens the user's directory (sys/path.h). `path` must outlive s. Missing directories are made as
 * `missing` says, and stay. With `trusts`, fails as root. */
int scratch_open(struct scratch *s, const char *path, enum path_missing missing, bool trusts,
                 struct err *e);

/* Makes the private directory. `number` is random, and other processes know the name by it; 0: one
 * is drawn here. If somebody's --cleanup takes it for that of a run that was killed at once, and
 * removes it, makes another one. Until scratch_close() the process has the umask 077, because the
 * user's might lock the owner out. Fails if somebody has put something else in its place. */
int scratch_make(struct scratch *s, uint64_t number, struct err *e);

/* Joins the directory of that number, if another process of this run can have made it. */
int scratch_join(struct scratch *s, uint64_t number, struct err *e);

/* Whether the run that made the directory of that number, and `name`, below `path` has left it. */
bool scratch_is_abandoned(const char *path, uint64_t number, char name[PRIVATE_NAME_SIZE]);

/* Removes the private directory, which must be empty, if it was made, and closes both directories.
 * If somebody has moved it, leaves it there, and fails. */
int scratch_close(struct scratch *s, struct err *e);

/* How much this user may still store on the filesystem; UINT64_MAX: no limit is known. */
struct scratch_space {
    uint64_t bytes;
    uint64_t files;
    uint64_t allocation_bytes; /* unit of storage */
    uint64_t file_bytes;  /* least that a name takes; with its inode if those are not counted */
    bool links_are_files; /* a hard link counts as a file, as on tmpfs */
    bool is_read_only;
};

int scratch_space(const struct scratch *s, struct scratch_space *space, struct err *e);

/* Makes a data file without a name (O_TMPFILE, or unlinked at once), so that it vanishes however
 * the process ends. Where such a file cannot be opened again (some FUSE filesystems, 9p, no /proc),
 * it has a name until scratch_remove_data_file(), and *is_named is set. Open to read and write. */
int scratch_make_data_file(const struct scratch *s, unsigned number, bool *is_named, struct err *e);
int scratch_remove_data_file(const struct scratch *s, unsigned number, struct err *e);

/* Open the file behind fd again, with its own flags (O_DIRECT, O_DSYNC) and position; a data file,
 * without /proc, by its name in s (NULL: it has none). */
int scratch_reopen(int fd, int flags, const char *name, struct err *e);
int scratch_reopen_data_file(const struct scratch *s, unsigned number, int fd, int flags,
                             const char *name, struct err *e);

/* Alignment for direct I/O in bytes; 4096, which suits all devices, before Linux 6.1. */
uint32_t scratch_direct_alignment(int fd);

/* Opens metadata directory `number`, which it makes before, or which exists. */
int scratch_open_directory(const struct scratch *s, unsigned number, bool makes, struct err *e);

/* Makes a file, open to read and write; removes a name with these flags of unlinkat(2). */
int scratch_make_file(const struct scratch *s, const char *name, struct err *e);
int scratch_remove(const struct scratch *s, const char *name, int flags, const char *verb,
                   struct err *e);

/* --cleanup: removes the private directories that runs of this user have left in the directory
 * `path`, whichever program has made them: those of killed runs, and those that `boncut write` has
 * left for `boncut check`. A directory counts as private only if its name has the right form, it
 * belongs to this user with mode 0700 (with `trusts` this is checked only for root), and it has an
 * owner file that names it and that no live run has locked; or if it is empty, and its name passes
 * the check: it is of a run that was killed at once. Only what runs make is removed from it; what
 * is left for `boncut check`, not where somebody can move a directory that is closed to them.
 *
 * Prints on stdout what it has removed, and on stderr what it has left, and why. Returns 0 when
 * every such directory is gone or in use, and otherwise a negative errno with a line in e. */
int cleanup_directory(const char *path, bool trusts, struct err *e);

/* Removes an entry of the private directory behind fd. -EEXIST: no run makes such a name. */
int cleanup_entry(int fd, const char *name);
