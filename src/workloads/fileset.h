#ifndef BONNIE_WORKLOADS_FILESET_H
#define BONNIE_WORKLOADS_FILESET_H

#include <stdbool.h>
#include <stdint.h>

#include "pattern.h"
#include "plan.h"
#include "scratch.h"

/*
 * One worker's share of the metadata files, in directories of its own. Names, sizes and contents
 * are computed from the run's seed and the file's index, so memory does not grow with the number
 * of files. All functions return 0 or a negative errno with a line in e.
 */

/* A file's path below the private directory: "d00000/" and its name. */
#define FILE_PATH_SIZE (DIRECTORY_NAME_SIZE + FILE_NAME_SIZE)

struct fileset {
    const struct files_plan *plan;
    const struct scratch *scratch;
    const struct pattern *pattern;
    bool sync;
    uint64_t seed;
    struct share files;       /* which files are this worker's */
    struct share directories; /* and which directories */
    bool directories_made;
    enum name_order order; /* of the files that are there */
    uint64_t wanted;       /* so many of them, a multiple of files.count, are to be there */
    uint64_t made;         /* the first so many may be there */
    uint64_t origins;      /* how many files there are for links to point to */
    uint64_t first_origin; /* the number of the first one: no other worker has it */
    unsigned char *buffer; /* of plan->chunk_bytes */
    int open_directory_fd; /* the only directory, or the one last made durable; -1: none */
    unsigned open_directory;
};

/* Which share is worker number's; buffer holds the plan's chunk_bytes. Makes nothing yet. */
void fileset_init(struct fileset *s, const struct plan *p, const struct scratch *scratch,
                  const struct pattern *pattern, unsigned number, unsigned char *buffer);

/* Removes whatever there is of it. */
int fileset_release(struct fileset *s, struct err *e);

/* Sees to it that there are no files, and all directories; files.count are wanted then. */
int fileset_clear(struct fileset *s, struct err *e);

/*
 * As many again are wanted, in the same directories, if they take little room; else the same as
 * fileset_clear(). So a test that creates can go on without others being deleted in between, which
 * some filesystems are slow after.
 */
int fileset_extend(struct fileset *s, struct err *e);

/* Sees to it that all files that are wanted are there, named in that order. */
int fileset_fill(struct fileset *s, enum name_order order, struct err *e);

/* Drops the files' pages from the cache. */
int fileset_evict(struct fileset *s, struct err *e);

/*
 * The path of file `index` (0 .. wanted-1 within the share) relative to *at_fd, which is the
 * private directory, or the share's only directory. Returns its directory's number.
 */
unsigned fileset_path(const struct fileset *s, enum name_order order, uint64_t index,
                      char path[FILE_PATH_SIZE], int *at_fd);

/*
 * The operations that are timed. create makes the next file in that order; stat looks at one (and
 * reads it, if the files have data); remove deletes one. `path` is relative to at_fd, which is
 * the private directory or the metadata directory of that number.
 * *bytes is how much was moved.
 */
int fileset_create_next(struct fileset *s, enum name_order order, uint64_t *bytes, struct err *e);
int fileset_stat(struct fileset *s, int at_fd, const char *path, unsigned directory,
                 uint64_t *bytes, struct err *e);
int fileset_remove(struct fileset *s, int at_fd, const char *path, unsigned directory,
                   struct err *e);

/* Makes the data of all files durable, if they have data. */
int fileset_sync(const struct fileset *s, struct err *e);

#endif
