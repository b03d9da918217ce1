// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "io/file.h"
#include "storage/block_device.h"
#include "storage/scratch.h"
#include "verify/contents.h"

/* One worker's part of the data set: a file without a name, or a part of a block device, and what
 * is known about its contents. A device that is only read has contents of others: nothing is known
 * of them, and nothing is filled. All functions return 0, or a negative errno with a line in e. */
struct data_file {
    int fd; /* open from the first test to the last, for buffered transfers; -1: not made yet */
    struct io_file *file; /* as it is open for the current test; its fd is -1 between tests */
    char name[256];       /* name for messages */
    unsigned number;      /* number of the worker, from which the file's number in stamps derives */
    uint64_t bytes;       /* size of the file */
    bool sync;            /* every write to the file must be durable */
    bool direct;          /* block transfers bypass the page cache */
    bool keeps_name;      /* the file has a name, because other processes open it */
    const struct block_device *device; /* the file is a part of it; NULL: it is a file */
    const struct scratch *named_in;    /* where the name still exists; NULL: there is none */
    bool is_begun;                     /* the file has been written from the start before */
    uint64_t valid_bytes;      /* number of bytes, from the start, that have valid contents */
    struct contents *contents; /* expected contents of all files */
};

/* Closes the file, and removes its name if it has one, which frees its storage. */
void data_file_release(struct data_file *d);

/* Makes the file, or empties it if it exists. Afterwards none of its contents is valid. */
int data_file_empty(struct data_file *d, const struct scratch *s, struct err *e);

/* Makes sure that the first `bytes` of the file are valid. `buffer` has room for `chunk` bytes. */
int data_file_fill(struct data_file *d, const struct scratch *s, uint64_t bytes, void *buffer,
                   size_t chunk, struct err *e);

/* Opens d->file for a test, with O_DSYNC and O_DIRECT as d says; io_close() closes it. */
enum data_file_use { USE_BLOCKS, USE_CHARACTERS };
int data_file_open(struct data_file *d, int access, enum data_file_use use, struct err *e);
