#ifndef SYS_NAMED_FILE_H
#define SYS_NAMED_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "util/err.h"

/*
 * A file that the user has named is found once. Then it is known by descriptors and a name of one
 * part, so nobody can replace it by changing what the path leads to.
 *
 * A user who names a file trusts everybody who may write to the directories on the way to it, and
 * nobody else. Therefore:
 *
 * - In a directory with the sticky bit that others may write to, an entry (a symbolic link on the
 *   way, or the file) is used only if it belongs to this process's user, to root, or to the owner
 *   of the directory. This is the rule of fs.protected_symlinks, protected_fifos and
 *   protected_regular (proc(5)), and holds here whether or not the system enforces it.
 * - A link of another user may lead only to a file in a directory that belongs to that user, or in
 *   the directory of the link: in these, that user could have made the file directly.
 * - Links of the kernel (/proc/self/fd/1, to which /dev/stdout leads) are followed, unless another
 *   user's link has led to them.
 */
struct named_file {
    const char *purpose;     /* verb for messages: "open" */
    const char *path;        /* as the user gave it; both texts must outlive this struct */
    int directory;           /* O_PATH; `name` must only be used relative to this */
    char name[NAME_MAX + 1]; /* never "." or ".." */
    int fd;                  /* O_PATH; -1: the file does not exist */
    struct stat facts;       /* what fstat(2) says about the file, if it exists */
    bool is_in_place; /* the name itself leads to the file; false: a link of the kernel did */
    bool was_led;     /* a link of another user was on the way */
};

/*
 * Finds the file. It need not exist, but its directory must. Returns 0, or a negative errno with
 * the line "PURPOSE PATH: REASON" in e; then there is nothing to release.
 */
int named_file_find(struct named_file *f, const char *purpose, const char *path, struct err *e);

/*
 * Opens the file that was found, whatever has its name by now, with these flags of open(2). The
 * file must exist. Returns the descriptor, or a negative errno with a line in e.
 */
int named_file_open(const struct named_file *f, int flags, struct err *e);

/*
 * Whether the file, which must exist, is a pipe that another user has put there, and that could
 * make its users wait. If a link of the kernel has led to it, somebody else has opened the file for
 * us.
 */
bool named_file_is_foreign_pipe(const struct named_file *f);

/*
 * Finds a file and opens it for reading, unless it is a pipe of another user. The descriptor has
 * O_NONBLOCK, so nobody waits for a writer; use named_file_contents() with it. Returns the
 * descriptor, or a negative errno with a line in e.
 */
int named_file_open_to_read(const char *purpose, const char *path, struct err *e);

/*
 * Reads an open file to its end, but not more than `most` bytes, which must be less than SIZE_MAX.
 * Waits while a pipe or terminal has no data, until the run must stop (stop.h). Returns 0 with
 * *length bytes and a NUL after them in *text, which the caller must free, or a negative errno with
 * a line in e and NULL in *text.
 */
int named_file_contents(int fd, const char *purpose, const char *path, size_t most, char **text,
                        size_t *length, struct err *e);

/* Does both, and closes the file. */
int named_file_read(const char *purpose, const char *path, size_t most, char **text, size_t *length,
                    struct err *e);

void named_file_release(struct named_file *f);

#endif
