#ifndef STORAGE_SCRATCH_H
#define STORAGE_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "storage/scratch_names.h"
#include "util/err.h"

/*
 * Scratch space: one private directory below the user's, and everything in it. Only this module
 * creates or removes files there, and the metadata workload inside the directories made here.
 *
 * The directory has mode 0700 and a name that cannot be guessed, and holds an owner file that is
 * locked (flock) while the run is alive. What was opened by that name is checked to be it
 * (private_directory.h); from then on everything is reached by names of one part below a
 * descriptor. All functions return 0 (or a descriptor) or a negative errno with a line in e.
 */
struct scratch {
    const char *path; /* the user's directory, for messages */
    char name[PRIVATE_NAME_SIZE];
    int parent_fd; /* the user's directory */
    int fd;        /* the private directory */
    int owner_fd;  /* the locked owner file; -1 where another process has it */
    bool is_guest; /* that has made the directory, too, and will remove it */
    mode_t umask;  /* the mask of the process before scratch_make() */
};

/*
 * Makes the user's directory, and those above it, if they are not there. They stay.
 */
int scratch_make_parent(const char *path, struct err *e);

/* Opens the user's directory path, which must outlive s, and is not looked up again. */
int scratch_open(struct scratch *s, const char *path, struct err *e);

/*
 * Makes the private directory in it. Until scratch_close() the process's umask is 077: as the user
 * has it, it might lock the owner out of what is made. Refuses what somebody else has put in the
 * directory's place, and leaves that as it is.
 */
int scratch_make(struct scratch *s, struct err *e);

/* The same with a random number that the caller has drawn, and by which others know the name. */
int scratch_make_numbered(struct scratch *s, uint64_t number, struct err *e);

/* Whether a directory of that number is there, as others have made it. */
bool scratch_is_there(const struct scratch *s, uint64_t number);

/*
 * Joins the directory of that number, which another process of this run has made and will remove.
 * What cannot be its is refused.
 */
int scratch_join(struct scratch *s, uint64_t number, struct err *e);

/*
 * Whether the run that made the directory of that number below path is no more, and has left it.
 * Its name goes to `name`.
 */
bool scratch_is_abandoned(const char *path, uint64_t number, char name[PRIVATE_NAME_SIZE]);

/*
 * Removes the private directory, which must be empty by now, if it was made, and closes both. One
 * that somebody has moved is left, which is a failure.
 */
int scratch_close(struct scratch *s, struct err *e);

/* What this user may still put on the filesystem; UINT64_MAX: no limit is known. */
struct scratch_space {
    uint64_t bytes;
    uint64_t files;
    uint64_t block_bytes; /* storage is given out in blocks of this */
    uint64_t file_bytes;  /* the least that a name takes, and an inode if those are not set apart */
    bool links_are_files; /* a hard link counts as a file, as on tmpfs */
    bool is_read_only;
};
int scratch_space(const struct scratch *s, struct scratch_space *space, struct err *e);

/*
 * Makes a data file that has no name (O_TMPFILE, or unlinked at once), so that it is gone whatever
 * ends the process. Where a file without a name cannot be opened again (some FUSE filesystems, 9p)
 * it keeps one, *is_named, until scratch_remove_data_file(). Returns its descriptor, open for
 * reading and writing.
 */
int scratch_make_data_file(const struct scratch *s, unsigned number, bool *is_named, struct err *e);
int scratch_remove_data_file(const struct scratch *s, unsigned number, struct err *e);

/*
 * The same for a file that keeps its name for other processes of the run, and what they do: open
 * it. scratch_remove_data_file() removes the name.
 */
int scratch_make_named_file(const struct scratch *s, unsigned number, struct err *e);
int scratch_open_named_file(const struct scratch *s, unsigned number, struct err *e);

/*
 * Opens the file behind a descriptor once more, with flags of its own (O_DIRECT, O_DSYNC) and a
 * position of its own. Returns the new descriptor.
 */
int scratch_reopen(int fd, int flags, const char *name, struct err *e);

/*
 * The number of bytes that direct I/O on the file behind fd asks offset and length to be multiples
 * of. Where the kernel does not tell (before Linux 6.1) it is 4096, which suits all devices.
 */
uint32_t scratch_direct_alignment(int fd);

/* Makes metadata directory `number`, or opens it again. Returns its descriptor. */
int scratch_make_directory(const struct scratch *s, unsigned number, struct err *e);
int scratch_open_directory(const struct scratch *s, unsigned number, struct err *e);

/* Removes metadata directory `number`, which must be empty. */
int scratch_remove_directory(const struct scratch *s, unsigned number, struct err *e);

/* Makes and removes the empty file that links point to. */
int scratch_make_link_target(const struct scratch *s, uint64_t number, struct err *e);
int scratch_remove_link_target(const struct scratch *s, uint64_t number, struct err *e);

#endif
