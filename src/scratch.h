#ifndef BONNIE_SCRATCH_H
#define BONNIE_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "scratch_names.h"
#include "util/err.h"

/*
 * Scratch space: one private directory below the user's, and everything in it. Only this module
 * creates or removes files there, and the metadata workload inside the directories made here.
 *
 * The directory has mode 0700 and a name that cannot be guessed, and holds an owner file that is
 * locked (flock) while the run is alive. It is reached through descriptors, never by its path.
 * All functions return 0 (or a descriptor) or a negative errno with a line in e.
 */
struct scratch {
    const char *path; /* the user's directory, for messages */
    char name[PRIVATE_NAME_SIZE];
    int parent_fd; /* the user's directory */
    int fd;        /* the private directory */
    int owner_fd;  /* the locked owner file */
};

/* Makes the private directory below path, which must outlive s. */
int scratch_open(struct scratch *s, const char *path, struct err *e);

/* Removes the private directory, which must be empty by now, and closes it. */
int scratch_close(struct scratch *s, struct err *e);

/* What this user may still put on the filesystem of path; UINT64_MAX: no limit is told. */
struct scratch_space {
    uint64_t bytes;
    uint64_t files;
    uint64_t block_bytes; /* storage is given out in blocks of this */
    bool links_are_files; /* a hard link counts as a file, as on tmpfs */
};
int scratch_space(const char *path, struct scratch_space *space, struct err *e);

/*
 * Makes a data file that has no name (O_TMPFILE, or unlinked at once), so that it is gone whatever
 * ends the process. Returns its descriptor, open for reading and writing.
 */
int scratch_make_data_file(const struct scratch *s, unsigned number, struct err *e);

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

/* Makes metadata directory `number`. Returns its descriptor. */
int scratch_make_directory(const struct scratch *s, unsigned number, struct err *e);

/* Removes metadata directory `number`, which must be empty. */
int scratch_remove_directory(const struct scratch *s, unsigned number, struct err *e);

/* Makes and removes the empty file that links point to. */
int scratch_make_origin(const struct scratch *s, uint64_t number, struct err *e);
int scratch_remove_origin(const struct scratch *s, uint64_t number, struct err *e);

#endif
