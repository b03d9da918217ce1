#ifndef SYS_WALK_H
#define SYS_WALK_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/*
 * Walks a path one name at a time, by descriptors. So the caller decides about every symbolic link:
 * the kernel follows only its own. below.h and named_file.h decide which links may be followed.
 */
struct walk {
    int directory;       /* O_PATH: directory that the walk has reached; -1 before the start */
    char rest[PATH_MAX]; /* part of the path that is still ahead */
    unsigned links;      /* number of links that were followed */
};

/*
 * Starts at `/` or, for a relative path, at the descriptor `from` (or AT_FDCWD), which stays open.
 * Returns 0 or a negative errno; the caller must close w->directory in either case.
 */
int walk_start(struct walk *w, int from, const char *path);

/*
 * Moves the first name of w->rest to `name`. *is_last becomes true if nothing follows the name, not
 * even a slash. Returns 0 or a negative errno: -ENOENT when there is no name left.
 */
int walk_cut(struct walk *w, char name[static NAME_MAX + 1], bool *is_last);

/*
 * Opens the directory with that name (O_PATH), and mounts what an automounter would mount there.
 * Returns the descriptor or a negative errno: -ENOTDIR if the name is a link.
 */
int walk_open_directory(const struct walk *w, const char *name);

/*
 * Opens whatever has that name, even a link itself (O_PATH). Returns the descriptor or a negative
 * errno.
 */
int walk_open_any(const struct walk *w, const char *name);

/* Goes on in that directory, whose descriptor belongs to w from now on. */
void walk_go_to(struct walk *w, int directory);

/*
 * Goes on with the target of an open link. Returns 0 or a negative errno: -ELOOP after too many
 * links.
 */
int walk_follow(struct walk *w, int link);

/*
 * Whether an open link is one of the kernel's (/proc/self/fd/1). Only the kernel makes links there
 * and knows where they lead, so it must follow them itself.
 */
bool walk_is_of_the_kernel(int link);

/* ---- whom to trust --------------------------------------------------------------------------- */

/* Whether uid is root or this process's user. */
bool walk_trusts(uid_t uid);

/*
 * Whether only root and this process's user can have put this entry into the directory, or can
 * replace it: one of them owns the directory, and either nobody else may write to it, or it has the
 * sticky bit, and the entry is theirs and has no other name. A group with the user's name and no
 * other member counts as this user.
 */
bool walk_trusts_entry(const struct stat *directory, const struct stat *entry);

/*
 * Whether only root and this process's user can have put there what a path leads to, or can change
 * it: the file, and all directories and links on the way.
 */
bool walk_trusts_path(const char *path);

/* Whether the same holds for a file that this process can execute. */
bool walk_trusts_program(const char *path);

#endif
