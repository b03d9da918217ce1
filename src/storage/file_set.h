#ifndef STORAGE_FILE_SET_H
#define STORAGE_FILE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/directory_set.h"
#include "storage/file_kind.h"
#include "storage/scratch.h"
#include "util/partition.h"
#include "verify/pattern.h"

/*
 * One worker's share of the metadata files, in directories of its own. Names, sizes and contents
 * are computed from the run's seed and the file's index, so memory does not grow with the number
 * of files. All functions return 0 or a negative errno with a line in e.
 */

/* What the files are to be. All that is pointed to must outlive the set. */
struct file_set_setup {
    const struct scratch *scratch;
    const struct pattern *pattern; /* of the data in them */
    enum file_kind kind;
    uint64_t count; /* of the files of all workers, */
    unsigned directories;
    unsigned workers;
    unsigned workers_here; /* of them, in this process */
    unsigned number;       /* and which of the workers has this set */
    uint64_t min_bytes;
    uint64_t max_bytes;
    uint64_t chunk_bytes;
    bool sync;             /* every change is to be durable */
    unsigned char *buffer; /* of chunk_bytes */
};

struct file_set {
    struct file_set_setup setup;
    uint64_t seed;                    /* of the files that are there */
    uint64_t next_seed;               /* of those that are made when these are gone */
    struct partition files;           /* which files are this worker's */
    struct directory_set directories; /* and which directories */
    enum name_order order;            /* of the files that are there */
    uint64_t wanted;                  /* number of files that are to be there */
    uint64_t made;                    /* number of files that may be there: the first ones */
    uint64_t origins;                 /* how many files there are for links to point to */
    uint64_t first_origin;            /* the number of the first one: no other worker has it */
};

/* Where a file is: its name of one part in an open metadata directory. */
struct file_place {
    int fd;             /* of the directory; valid until another place is found */
    unsigned directory; /* its number */
    const char *name;
};

/* Makes nothing yet. */
void file_set_init(struct file_set *s, const struct file_set_setup *setup);

/*
 * Begins a run of that seed. It decides the names and sizes of all files that are made from now on;
 * files of the run before stay until the next one is wanted.
 */
void file_set_begin_run(struct file_set *s, uint64_t seed);

/* What another process has to know of a set, to go on with its files. Holds no pointers. */
struct file_set_state {
    uint64_t seed;
    uint64_t wanted;
    uint64_t made;
    uint32_t order;
};
struct file_set_state file_set_state(const struct file_set *s);

/* Becomes the set of another process, initialised as that one, which is in that state. */
int file_set_visit(struct file_set *s, const struct file_set_state *state, struct err *e);

/* Lets go of what it has visited. */
void file_set_close(struct file_set *s);

/* Removes whatever there is of it. */
int file_set_release(struct file_set *s, struct err *e);

/* Sees to it that there are no files, and all directories; files.count are wanted then. */
int file_set_clear(struct file_set *s, struct err *e);

/*
 * As many again are wanted, in the same directories, if they take little room; else the same as
 * file_set_clear(). So a test that creates can go on without others being deleted in between, which
 * some filesystems are slow after.
 */
int file_set_extend(struct file_set *s, struct err *e);

/*
 * Sees to it that all files that are wanted are there, named in that order. If until_ns, a time of
 * clock_ns(), is not 0 and comes first, those that have been made by then are all that are wanted.
 */
int file_set_fill(struct file_set *s, enum name_order order, uint64_t until_ns, struct err *e);

/* The number of files that are wanted in the worker's directory `index`, from 0 on. */
uint64_t file_set_in_directory(const struct file_set *s, uint64_t index);

/* Drops the files' pages from the cache. */
int file_set_evict(struct file_set *s, struct err *e);

/*
 * The place of file `index` (0 .. wanted-1 within the share). Its name goes to `name`, which must
 * live as long as the place.
 */
int file_set_find(struct file_set *s, enum name_order order, uint64_t index,
                  char name[FILE_NAME_SIZE], struct file_place *place, struct err *e);

/*
 * The worker's metadata directory `index`, from 0 on, opened once more for listing it; the caller
 * closes it. Its number goes to *directory.
 */
int file_set_open_directory(struct file_set *s, uint64_t index, unsigned *directory, struct err *e);

/*
 * The operations that are timed. create makes the next file in that order; stat looks at one (and
 * reads it, if the files have data); remove deletes one. *bytes is how much was moved.
 */
int file_set_create_next(struct file_set *s, enum name_order order, uint64_t *bytes, struct err *e);
int file_set_stat(struct file_set *s, const struct file_place *place, uint64_t *bytes,
                  struct err *e);
int file_set_remove(struct file_set *s, const struct file_place *place, struct err *e);

/* Makes the data of all files durable, if they have data. */
int file_set_sync(const struct file_set *s, struct err *e);

#endif
