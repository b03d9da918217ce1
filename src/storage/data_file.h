#ifndef STORAGE_DATA_FILE_H
#define STORAGE_DATA_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "io/file.h"
#include "storage/scratch.h"
#include "verify/contents.h"

/*
 * One worker's part of the data set: a file without a name, and what is known about its contents.
 * All functions return 0 or a negative errno with a line in e.
 */
struct data_file {
    int fd;               /* buffered, open from the first test to the last; -1: not made yet */
    struct io_file *file; /* opened for the current test; its fd is -1 between tests */
    char name[256];       /* for messages */
    unsigned number;      /* number of the worker; the file's number in stamps follows from it */
    uint64_t bytes;       /* size of its part of the data set */
    bool sync;            /* every write to it has to be durable */
    bool direct;          /* block transfers bypass the page cache */
    bool keeps_name;      /* it has a name, because other processes open it */
    const struct scratch *named_in; /* where its name still exists; NULL: it has none */
    bool is_begun;                  /* it has been written from the start before */
    uint64_t valid_bytes;           /* number of bytes, from the start, that have been written */
    struct contents *contents;      /* its expected contents */
};

/* The properties of a data file. Everything pointed to must outlive it. */
struct data_file_setup {
    const char *directory; /* its directory, for messages */
    unsigned number;       /* number of the worker */
    struct io_file *file;  /* where it will be open during tests */
    struct contents *contents;
    uint64_t start; /* offset of the file in the data set */
    uint64_t bytes;
    bool sync;
    bool direct;
    bool keeps_name; /* it keeps a name, so that other processes can open it */
};

/* Initialises d; makes no file yet. */
void data_file_init(struct data_file *d, const struct data_file_setup *setup);

/* Closes the file and removes its name, if it has one, which frees its storage. */
void data_file_release(struct data_file *d);

/* Creates the file, or empties it if it exists: nothing is valid afterwards. */
int data_file_empty(struct data_file *d, const struct scratch *s, struct err *e);

/*
 * Gives the empty file its size, but no storage yet: otherwise, with several writes in flight, each
 * would wait for the one before it to extend the file.
 */
int data_file_set_size(struct data_file *d, struct err *e);

/* Makes sure that the first `bytes` are valid; buffer has room for one chunk. */
int data_file_fill(struct data_file *d, const struct scratch *s, uint64_t bytes, void *buffer,
                   size_t chunk, struct err *e);

/* Drops the file's pages from the cache. */
int data_file_evict(const struct data_file *d, struct err *e);

/*
 * Opens d->file for a test with that access; adds O_DSYNC when it is to be written and every write
 * is to be durable, and O_DIRECT when it is opened for block transfers and these are to bypass the
 * page cache.
 */
enum data_file_use { USE_BLOCKS, USE_CHARACTERS };
int data_file_open(struct data_file *d, int access, enum data_file_use use, struct err *e);

/* Closes d->file, if it is open. */
int data_file_close(struct data_file *d, struct err *e);

#endif
