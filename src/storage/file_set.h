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

/* The properties of the files. Everything pointed to must outlive the set. */
struct file_set_setup {
    const struct scratch *scratch;
    const struct pattern *pattern; /* of their data */
    enum file_kind kind;
    uint64_t count; /* number of files of all workers together */
    unsigned directories;
    unsigned workers;
    unsigned workers_here; /* number of workers in this process */
    unsigned number;       /* number of the worker that has this set */
    uint64_t min_bytes;
    uint64_t max_bytes;
    uint64_t chunk_bytes;
    bool sync;             /* every change has to be durable */
    unsigned char *buffer; /* has chunk_bytes */
};

struct file_set {
    struct file_set_setup setup;
    uint64_t seed;                    /* seed of the files that exist */
    uint64_t next_seed;               /* seed of the files that will replace them */
    struct partition files;           /* the numbers of this worker's files */
    struct directory_set directories; /* this worker's directories */
    enum name_order order;            /* order of the names of the files that exist */
    uint64_t wanted;                  /* number of files that should exist */
    uint64_t made;                    /* number of files that may exist, from the first on */
    uint64_t origins;                 /* number of files that links point to */
    uint64_t first_origin;            /* number of the first of those; no other worker uses it */
};

/* The place of a file: its name of one part in an open metadata directory. */
struct file_place {
    int fd;             /* of the directory; valid until another place is looked up */
    unsigned directory; /* number of the directory */
    const char *name;
};

/* Initialises s; makes nothing yet. */
void file_set_init(struct file_set *s, const struct file_set_setup *setup);

/*
 * Begins a run with that seed, which decides the names and sizes of all files made from now on.
 * Files of the run before stay until new ones are made.
 */
void file_set_begin_run(struct file_set *s, uint64_t seed);

/* What another process needs to know about a set to continue with its files. Holds no pointers. */
struct file_set_state {
    uint64_t seed;
    uint64_t wanted;
    uint64_t made;
    uint32_t order;
};
struct file_set_state file_set_state(const struct file_set *s);

/*
 * Takes over the set of another process, which was initialised in the same way and is in that
 * state.
 */
int file_set_visit(struct file_set *s, const struct file_set_state *state, struct err *e);

/* Closes a set that was taken over, and leaves its files alone. */
void file_set_close(struct file_set *s);

/* Removes everything that exists of it. */
int file_set_release(struct file_set *s, struct err *e);

/*
 * Makes sure that all directories exist and no files; sets the number of wanted files to
 * files.count.
 */
int file_set_clear(struct file_set *s, struct err *e);

/*
 * Wants as many files again in the same directories if they take little room; otherwise does the
 * same as file_set_clear(). This lets a test that creates files go on without deleting others in
 * between, after which some filesystems are slow.
 */
int file_set_extend(struct file_set *s, struct err *e);

/*
 * Makes sure that all wanted files exist, with names in that order. If until_ns, a time of
 * clock_ns(), is not 0 and comes first, the files made by then become all that are wanted.
 */
int file_set_fill(struct file_set *s, enum name_order order, uint64_t until_ns, struct err *e);

/* The number of wanted files in the worker's directory `index`, from 0. */
uint64_t file_set_in_directory(const struct file_set *s, uint64_t index);

/* Drops the files' pages from the cache. */
int file_set_evict(struct file_set *s, struct err *e);

/*
 * Looks up file `index` (0 .. wanted-1 within the share). Its name is stored in `name`, which must
 * live as long as the place.
 */
int file_set_find(struct file_set *s, enum name_order order, uint64_t index,
                  char name[FILE_NAME_SIZE], struct file_place *place, struct err *e);

/*
 * Opens the worker's metadata directory `index`, from 0, once more for listing; the caller closes
 * it. *directory is its number.
 */
int file_set_open_directory(struct file_set *s, uint64_t index, unsigned *directory, struct err *e);

/*
 * The timed operations. create makes the next file in that order; stat gets the status of one (and
 * reads it, if the files have data); remove deletes one. *bytes is the number of bytes moved.
 */
int file_set_create_next(struct file_set *s, enum name_order order, uint64_t *bytes, struct err *e);
int file_set_stat(struct file_set *s, const struct file_place *place, uint64_t *bytes,
                  struct err *e);
int file_set_remove(struct file_set *s, const struct file_place *place, struct err *e);

/* Makes the data of all files durable, if they have data. */
int file_set_sync(const struct file_set *s, struct err *e);

#endif
