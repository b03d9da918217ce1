#ifndef STORAGE_SCRATCH_H
#define STORAGE_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "storage/scratch_names.h"
#include "sys/path.h"
#include "util/err.h"

/*
 * Scratch space: a private directory below the user's, and everything in it. Only this module makes
 * or removes files there, and the metadata workload in the directories that this module makes.
 *
 * The private directory has mode 0700 and a name that nobody can guess. It has an owner file, which
 * is locked (flock) while the run is alive. When the directory has been opened by its name, it is
 * checked to be the one that was made (private_directory.h). After that, everything is reached by
 * names of one part below a descriptor. All functions return 0 (or a descriptor), or a negative
 * errno with a line in e.
 */
struct scratch {
    const char *path; /* the user's directory, for messages */
    char name[PRIVATE_NAME_SIZE];
    int parent_fd; /* the user's directory */
    int fd;        /* the private directory */
    int owner_fd;  /* the locked owner file; -1: another process has it */
    bool is_guest; /* another process has made the directory, and will remove it */
    mode_t umask;  /* umask of the process before scratch_make() */
};

/*
 * Opens the user's directory. `path` must outlive s, and is not looked up again. Links on the way
 * are followed as in sys/path.h. Missing directories are made as `missing` says, and stay. Returns
 * 0, or a negative errno with a line in e.
 */
int scratch_open(struct scratch *s, const char *path, enum path_missing missing, struct err *e);

/*
 * Makes the private directory in the user's. Until scratch_close() the umask of the process is 077,
 * because the user's own might lock the owner out of what is made. If somebody has put something
 * else in the directory's place, that is left alone, and this fails.
 */
int scratch_make(struct scratch *s, struct err *e);

/* Does the same with a random number from the caller, by which other processes know the name. */
int scratch_make_numbered(struct scratch *s, uint64_t number, struct err *e);

/* Whether another process has made a directory with that number. */
bool scratch_is_there(const struct scratch *s, uint64_t number);

/*
 * Joins the directory with that number, which another process of this run has made and will remove.
 * Refuses a directory that cannot be that process's.
 */
int scratch_join(struct scratch *s, uint64_t number, struct err *e);

/*
 * Whether the run that made the directory with that number below `path` has ended and left it
 * there. Writes its name to `name`.
 */
bool scratch_is_abandoned(const char *path, uint64_t number, char name[PRIVATE_NAME_SIZE]);

/*
 * Removes the private directory, which must be empty, if it was made, and closes both directories.
 * If somebody has moved it, leaves it there, and fails.
 */
int scratch_close(struct scratch *s, struct err *e);

/* How much this user may still store on the filesystem; UINT64_MAX: no limit is known. */
struct scratch_space {
    uint64_t bytes;
    uint64_t files;
    uint64_t block_bytes; /* unit of storage */
    uint64_t file_bytes;  /* least space that a name takes; includes an inode unless the filesystem
                             counts these separately */
    bool links_are_files; /* a hard link counts as a file, as on tmpfs */
    bool is_read_only;
};
int scratch_space(const struct scratch *s, struct scratch_space *space, struct err *e);

/*
 * Makes a data file without a name (O_TMPFILE, or unlinked at once), so that it vanishes however
 * the process ends. Where a file without a name cannot be opened again (some FUSE filesystems, 9p),
 * the file keeps a name until scratch_remove_data_file(), and *is_named is set. Returns its
 * descriptor, open for reading and writing.
 */
int scratch_make_data_file(const struct scratch *s, unsigned number, bool *is_named, struct err *e);
int scratch_remove_data_file(const struct scratch *s, unsigned number, struct err *e);

/*
 * scratch_make_named_file() makes a file that keeps its name. Other processes of the run open it
 * with scratch_open_named_file(). scratch_remove_data_file() removes the name.
 */
int scratch_make_named_file(const struct scratch *s, unsigned number, struct err *e);
int scratch_open_named_file(const struct scratch *s, unsigned number, struct err *e);

/*
 * Opens the file behind a descriptor again, with its own flags (O_DIRECT, O_DSYNC) and position.
 * Returns the new descriptor.
 */
int scratch_reopen(int fd, int flags, const char *name, struct err *e);

/*
 * The alignment of offset and length for direct I/O on the file behind fd, in bytes. If the kernel
 * does not say (before Linux 6.1), 4096, which suits all devices.
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
