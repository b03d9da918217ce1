#ifndef STORAGE_SCRATCH_H
#define STORAGE_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "storage/scratch_names.h"
#include "sys/below.h"
#include "util/err.h"

/*
 * Scratch space: one private directory below the user's, and everything in it. Only this module
 * creates or removes files there; the metadata workload does so in the directories made here.
 *
 * The directory has mode 0700 and a name that cannot be guessed, and holds an owner file that is
 * locked (flock) while the run is alive. After it was opened by that name, it is checked to be the
 * one that was made (private_directory.h); from then on everything is reached by names of one part
 * below a descriptor. All functions return 0 (or a descriptor) or a negative errno with a line in
 * e.
 */
struct scratch {
    const char *path; /* the user's directory, for messages */
    char name[PRIVATE_NAME_SIZE];
    int parent_fd; /* the user's directory */
    int fd;        /* the private directory */
    int owner_fd;  /* the locked owner file; -1: another process has it */
    bool is_guest; /* another process made the directory, and will remove it */
    mode_t umask;  /* the mask of the process before scratch_make() */
};

/*
 * Opens the user's directory. path must outlive s, and is not looked up again; links on the way are
 * followed as in sys/below.h. Directories that were missing and had to be made stay.
 */
int scratch_open(struct scratch *s, const char *path, enum below_missing missing, struct err *e);

/*
 * Makes the private directory in the user's. Until scratch_close(), the process's umask is 077: the
 * user's own might lock the owner out of what is made. If somebody else has put something in the
 * directory's place, that is left alone and is a failure.
 */
int scratch_make(struct scratch *s, struct err *e);

/* The same with a random number from the caller, by which other processes know the name. */
int scratch_make_numbered(struct scratch *s, uint64_t number, struct err *e);

/* Whether a directory with that number exists, made by another process. */
bool scratch_is_there(const struct scratch *s, uint64_t number);

/*
 * Joins the directory with that number, which another process of this run has made and will remove.
 * Refuses one that cannot be that process's.
 */
int scratch_join(struct scratch *s, uint64_t number, struct err *e);

/*
 * Whether the run that made the directory with that number below path has ended and left it. Its
 * name is stored in `name`.
 */
bool scratch_is_abandoned(const char *path, uint64_t number, char name[PRIVATE_NAME_SIZE]);

/*
 * Removes the private directory, if it was made, and closes both. It must be empty. If somebody has
 * moved it, it is left, which is a failure.
 */
int scratch_close(struct scratch *s, struct err *e);

/* How much this user may still put on the filesystem; UINT64_MAX: no limit is known. */
struct scratch_space {
    uint64_t bytes;
    uint64_t files;
    uint64_t block_bytes; /* unit in which storage is allocated */
    uint64_t file_bytes;  /* least space that a name takes, with an inode unless inodes are counted
                             separately */
    bool links_are_files; /* a hard link counts as a file, as on tmpfs */
    bool is_read_only;
};
int scratch_space(const struct scratch *s, struct scratch_space *space, struct err *e);

/*
 * Makes a data file without a name (O_TMPFILE, or unlinked at once), so that it is gone however the
 * process ends. Where a file without a name cannot be opened again (some FUSE filesystems, 9p), it
 * keeps one until scratch_remove_data_file(), and *is_named is set. Returns its descriptor, open
 * for reading and writing.
 */
int scratch_make_data_file(const struct scratch *s, unsigned number, bool *is_named, struct err *e);
int scratch_remove_data_file(const struct scratch *s, unsigned number, struct err *e);

/*
 * scratch_make_named_file() makes a file that keeps its name for other processes of the run, which
 * open it with scratch_open_named_file(); scratch_remove_data_file() removes the name.
 */
int scratch_make_named_file(const struct scratch *s, unsigned number, struct err *e);
int scratch_open_named_file(const struct scratch *s, unsigned number, struct err *e);

/*
 * Opens the file behind a descriptor again, with its own flags (O_DIRECT, O_DSYNC) and position.
 * Returns the new descriptor.
 */
int scratch_reopen(int fd, int flags, const char *name, struct err *e);

/*
 * The number of bytes that offset and length must be multiples of for direct I/O on the file behind
 * fd. 4096, which suits all devices, where the kernel does not say (before Linux 6.1).
 */
uint32_t scratch_direct_alignment(int fd);

/* Makes metadata directory `number`, or opens it if it exists. Returns its descriptor. */
int scratch_make_directory(const struct scratch *s, unsigned number, struct err *e);
int scratch_open_directory(const struct scratch *s, unsigned number, struct err *e);

/* Removes metadata directory `number`, which must be empty. */
int scratch_remove_directory(const struct scratch *s, unsigned number, struct err *e);

/* Make and remove the empty file that links point to. */
int scratch_make_link_target(const struct scratch *s, uint64_t number, struct err *e);
int scratch_remove_link_target(const struct scratch *s, uint64_t number, struct err *e);

#endif
