#ifndef BONNIE_WORKLOADS_DATAFILE_H
#define BONNIE_WORKLOADS_DATAFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "contents.h"
#include "io.h"
#include "plan.h"
#include "scratch.h"

/*
 * One worker's share of the data set: a file without a name, and what is known of its contents.
 * All functions return 0 or a negative errno with a line in e.
 */
struct datafile {
    int fd;                    /* buffered, from the first test to the last; -1: not made yet */
    struct io_file *file;      /* opened for the present test; its fd is -1 between tests */
    char name[256];            /* for messages */
    unsigned number;           /* of the worker, and of the file in its contents' stamps */
    uint64_t bytes;            /* its share of the data set, whole chunks */
    uint64_t perchar_bytes;    /* of these, what the per-character tests work on */
    bool is_begun;             /* it was written from the start before */
    uint64_t valid_bytes;      /* how much has been written from the start */
    struct contents *contents; /* what belongs into it */
};

/*
 * Which share is worker number's; makes no file yet. file is where it will be open during tests,
 * contents knows the data set; both must outlive it.
 */
void datafile_init(struct datafile *d, const struct plan *p, unsigned number, struct io_file *file,
                   struct contents *contents);

/* Closes the file, and with it the storage is free. */
void datafile_release(struct datafile *d);

/* Makes the file if it is not there, or empties it: nothing is valid after that. */
int datafile_empty(struct datafile *d, const struct scratch *s, struct err *e);

/*
 * Gives the empty file its size, but no storage yet: with several writes in flight none has to wait
 * for the one before it to make the file longer.
 */
int datafile_set_size(struct datafile *d, struct err *e);

/* Sees to it that the first `bytes` are valid; buffer holds one chunk of that size. */
int datafile_fill(struct datafile *d, const struct scratch *s, uint64_t bytes, void *buffer,
                  size_t chunk, struct err *e);

/* Drops the file's pages from the cache, unless the plan is to keep them. */
int datafile_evict(const struct datafile *d, const struct plan *p, struct err *e);

/*
 * Opens d->file for a test: with O_DSYNC under -b when it is to be written, with O_DIRECT under -D
 * when it is for block transfers.
 */
enum datafile_use { USE_BLOCKS, USE_CHARACTERS };
int datafile_open(struct datafile *d, const struct plan *p, int access, enum datafile_use use,
                  struct err *e);

/* Closes d->file, if it is open. */
int datafile_close(struct datafile *d, struct err *e);

#endif
