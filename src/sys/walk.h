#ifndef SYS_WALK_H
#define SYS_WALK_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/*
 * A path that is walked one name at a time, by descriptors, so that the caller decides about every
 * symbolic link: the kernel follows none but its own. below.h and named_file.h decide which links
 * may be followed.
 */
struct walk {
    int directory;       /* O_PATH: the directory reached so far; -1 before the start */
    char rest[PATH_MAX]; /* the part of the path that is still to be walked */
    unsigned links;      /* number of links followed */
};

/*
 * Starts at `/` or, with a relative path, at the descriptor `from` (or AT_FDCWD), which it does not
 * close. Returns 0 or a negative errno; in either case w->directory is to be closed afterwards.
 */
int walk_start(struct walk *w, int from, const char *path);

/*
 * Moves the first name of `rest` to name; *is_last is set when nothing follows it, not even a
 * slash. Returns 0 or a negative errno: -ENOENT when there is no name left.
 */
int walk_cut(struct walk *w, char name[static NAME_MAX + 1], bool *is_last);

/*
 * Opens the directory of that name (O_PATH), mounting what an automounter would mount there.
 * Returns the descriptor or a negative errno, -ENOTDIR if the name is a link.
 */
int walk_open_directory(const struct walk *w, const char *name);

/*
 * Opens whatever has that name, even a link itself (O_PATH). Returns the descriptor or a negative
 * errno.
 */
int walk_open_any(const struct walk *w, const char *name);

/* Continues in that directory, which w owns from now on. */
void walk_go_to(struct walk *w, int directory);

/*
 * Continues with the target of an open link. Returns 0 or a negative errno: -ELOOP when there were
 * too many links.
 */
int walk_follow(struct walk *w, int link);

/*
 * Whether an open link is one of the kernel's (/proc/self/fd/1). Nobody else makes links there, and
 * only the kernel knows where they lead, so it has to follow them itself.
 */
bool walk_is_of_the_kernel(int link);

/* ---- whom to trust -----------------------------------------------------------------------------
 */

/* Whether uid is root or this process's user. */
bool walk_trusts(uid_t uid);

/*
 * Whether nobody but those two can have put this entry into the directory, or can replace it: they
 * own the directory, and either nobody else may write to it, or it has the sticky bit and the entry
 * is theirs and has no other name. A group with the user's name and no other member counts as this
 * user.
 */
bool walk_trusts_entry(const struct stat *directory, const struct stat *entry);

/*
 * Whether nobody but those two can have put there what a path leads to, or can change it: the file
 * and all directories and links on the way.
 */
bool walk_trusts_path(const char *path);

/* The same of a file that this process can execute. */
bool walk_trusts_program(const char *path);

#endif
