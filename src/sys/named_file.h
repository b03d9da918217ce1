#ifndef SYS_NAMED_FILE_H
#define SYS_NAMED_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "util/err.h"

/*
 * A file that the user has named, found once and for all: afterwards it is known by descriptors and
 * one single name, so that nobody can put another one in its place by changing what the path leads
 * to.
 *
 * A user who names a file trusts all who may write to the directories on the way to it, but no
 * further than that. So
 *
 * - in a directory with the sticky bit that others may write to, what belongs neither to this
 *   process's user, nor to root, nor to the owner of that directory is not used, be it a symbolic
 *   link on the way or the file: the rule of fs.protected_symlinks, protected_fifos and
 *   protected_regular (proc(5)), whether the system keeps it or not;
 * - a link of somebody else that is followed may lead to a file in a directory that belongs to that
 *   user, or in the one where the link is, and to no other: there he could have put a file himself;
 * - links of the kernel (/proc/self/fd/1, to which /dev/stdout leads) are followed where no link of
 *   somebody else has led to them.
 */
struct named_file {
    const char *purpose;     /* for messages: "open" */
    const char *path;        /* as it was given; both texts must outlive this */
    int directory;           /* O_PATH; the name is to be used relative to it only */
    char name[NAME_MAX + 1]; /* neither "." nor ".." */
    int fd;                  /* O_PATH; -1: nothing has that name */
    struct stat facts;       /* if there is something */
    bool is_in_place;        /* that name leads there; false: a link of the kernel did */
};

/*
 * Finds the file, which need not be there, though its directory must. Returns 0, or a negative
 * errno with a line in e, "PURPOSE PATH: REASON"; then there is nothing to release.
 */
int named_file_find(struct named_file *f, const char *purpose, const char *path, struct err *e);

/*
 * Opens that very file with these flags of open(2), whatever has its name by now. The file must be
 * there. Returns the descriptor, or a negative errno with a line in e.
 */
int named_file_open(const struct named_file *f, int flags, struct err *e);

void named_file_release(struct named_file *f);

#endif
