// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "storage/scratch.h"
#include "util/partition.h"
#include "verify/pattern.h"

/* What the files of a set are. */
enum file_kind { FILES_DATA, FILES_HARD_LINKS, FILES_SYMBOLIC_LINKS };

/* One worker's share of the metadata files, in directories of its own. Names, sizes and contents
 * are computed from the run's seed and a file's index, so memory does not grow with the number of
 * files. As many directories stay open as the limit on descriptors allows, so that a name of one
 * part leads to each file; the others are opened one at a time, when they are used. All functions
 * return 0 (or a descriptor), or a negative errno with a line in e. */

/* What the files are like. Everything that this points to must outlive the set. */
struct file_set_setup {
    const struct scratch *scratch;
    const struct pattern *pattern; /* pattern of the files' data */
    enum file_kind kind;
    uint64_t count; /* number of files of all workers together */
    unsigned directories;
    unsigned workers;
    unsigned workers_here; /* number of workers in this process */
    unsigned number;       /* number of the worker that has this set */
    uint64_t min_bytes;
    uint64_t max_bytes;
    uint64_t chunk_bytes;
    bool sync;             /* every change must be durable */
    unsigned char *buffer; /* room for chunk_bytes */
};

/* Which files exist, as another process must know, too: without pointers. */
struct file_set_state {
    uint64_t seed;         /* seed of the files' names and sizes */
    uint64_t wanted;       /* number of files that should exist */
    uint64_t made;         /* number of files that may exist, from the first one */
    enum name_order order; /* order of their names */
};

struct file_set {
    struct file_set_setup setup;
    struct file_set_state state;
    uint64_t next_seed;           /* seed of the files that are made from now on; set by the user */
    struct partition files;       /* numbers of this worker's files */
    struct partition directories; /* numbers of its directories */
    int *fds;         /* one for each directory; -1: it is not kept open. NULL: there are none */
    int other_fd;     /* the last used directory of those that are not kept open; -1: none */
    uint64_t other;   /* index of that directory */
    uint64_t origins; /* number of link targets */
    uint64_t first_origin; /* number of the first link target; no other worker uses these numbers */
};

/* The place of a file: a directory that is open, and a name of one part in it. */
struct file_place {
    int fd;             /* descriptor of the directory; valid until another place is looked up */
    unsigned directory; /* number of the directory */
    const char *name;
};

/* Initialises s, but makes nothing yet. */
void file_set_init(struct file_set *s, const struct file_set_setup *setup);

/* Takes over the set of another process, which must have been initialised in the same way. */
int file_set_visit(struct file_set *s, const struct file_set_state *state, struct err *e);

/* Closes a set that was taken over, whose files stay; removes everything that exists of the set. */
void file_set_close(struct file_set *s);
int file_set_release(struct file_set *s, struct err *e);

/* Makes sure that all directories exist, and no files, and wants as many files as the share has.
 * With `goes_on`, leaves the files that exist, and wants as many again in the same directories, if
 * they take little room: after deleting files, some filesystems are slow. */
int file_set_clear(struct file_set *s, bool goes_on, struct err *e);

/* Makes sure that all wanted files exist, with names in that order. If until_ns (of clock_ns()) is
 * not 0 and comes first, only the files made by then are wanted. */
int file_set_fill(struct file_set *s, enum name_order order, uint64_t until_ns, struct err *e);

int file_set_evict(struct file_set *s, struct err *e);

/* Looks up file `index`, from 0 to wanted - 1. Its name in `name` must live as long as *place. */
int file_set_find(struct file_set *s, uint64_t index, char name[FILE_NAME_SIZE],
                  struct file_place *place, struct err *e);

/* Opens the worker's directory `index`, counted from 0, to list it; the caller closes it. NULL: e
 * says why. *place becomes that of a file in it, without a name, *wanted their number. */
DIR *file_set_list_directory(struct file_set *s, uint64_t index, struct file_place *place,
                             uint64_t *wanted, struct err *e);

/* The timed operations. create makes the next file in that order; stat gets a file's status, and
 * reads its data if it has any; remove deletes it. *bytes becomes the number of bytes moved. */
int file_set_create_next(struct file_set *s, enum name_order order, uint64_t *bytes, struct err *e);
int file_set_stat(struct file_set *s, const struct file_place *place, uint64_t *bytes,
                  struct err *e);
int file_set_remove(struct file_set *s, const struct file_place *place, uint64_t *bytes,
                    struct err *e);

/* Makes the data of all files durable, if they have any. */
int file_set_sync(const struct file_set *s, struct err *e);
