#ifndef STORAGE_DATA_FILE_H
#define STORAGE_DATA_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "io/file.h"
#include "storage/scratch.h"
#include "verify/contents.h"

/*
 * One worker's part of the data set: a file without a name, and what is known of its contents.
 * All functions return 0 or a negative errno with a line in e.
 */
struct data_file {
    int fd;               /* buffered, from the first test to the last; -1: not made yet */
    struct io_file *file; /* opened for the present test; its fd is -1 between tests */
    char name[256];       /* for messages */
    unsigned number;      /* of the worker, from which that in stamps follows */
    uint64_t bytes;       /* its part of the data set */
    bool sync;            /* every write to it is to be durable */
    bool direct;          /* block transfers bypass the page cache */
    bool keeps_name;      /* other processes open it */
    const struct scratch *named_in; /* the file has kept its name there; NULL: it has none */
    bool is_begun;                  /* it was written from the start before */
    uint64_t valid_bytes;           /* how much has been written from the start */
    struct contents *contents;      /* what belongs into it */
};

/* What a data file is to be. All that is pointed to must outlive it. */
struct data_file_setup {
    const char *directory; /* where it lies, for messages */
    unsigned number;       /* of the worker */
    struct io_file *file;  /* where it will be open during tests */
    struct contents *contents;
    uint64_t start; /* where in the data set it begins */
    uint64_t bytes;
    bool sync;
    bool direct;
    bool keeps_name; /* it keeps a name, so that other processes can open it */
};

/* Makes no file yet. */
void data_file_init(struct data_file *d, const struct data_file_setup *setup);

/* Closes the file, removes the name that it may have, and with it the storage is free. */
void data_file_release(struct data_file *d);

/* Makes the file if it is not there, or empties it: nothing is valid after that. */
int data_file_empty(struct data_file *d, const struct scratch *s, struct err *e);

/*
 * Gives the empty file its size, but no storage yet: with several writes in flight none has to wait
 * for the one before it to make the file longer.
 */
int data_file_set_size(struct data_file *d, struct err *e);

/* Sees to it that the first `bytes` are valid; buffer holds one chunk of that size. */
int data_file_fill(struct data_file *d, const struct scratch *s, uint64_t bytes, void *buffer,
                   size_t chunk, struct err *e);

/* Drops the file's pages from the cache. */
int data_file_evict(const struct data_file *d, struct err *e);

/*
 * Opens d->file for a test, with that access: with O_DSYNC when it is to be written and every write
 * is to be durable, with O_DIRECT when block transfers are to bypass the page cache and it is
 * opened for those.
 */
enum data_file_use { USE_BLOCKS, USE_CHARACTERS };
int data_file_open(struct data_file *d, int access, enum data_file_use use, struct err *e);

/* Closes d->file, if it is open. */
int data_file_close(struct data_file *d, struct err *e);

#endif
