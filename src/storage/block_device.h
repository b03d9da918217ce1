// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sys/path.h"

/* A block device that is measured itself, without a filesystem. Its name is looked up once; after
 * that a descriptor leads to it. Functions return 0, or a negative errno with a line in e. */
struct block_device {
    struct path_file place; /* what the name led to at the first look */
    const char *name;       /* as the user gave it; NULL: this is none */
    uint64_t bytes;
    bool writes;       /* it may be written to */
    char sequence[32]; /* tells it from another device with its number; empty: not known */
    int fd;            /* to read, from block_device_open() on; -1: none */
    int claim; /* with O_EXCL: while it is open, others neither mount nor claim the device */
    char mounted[PATH_MAX]; /* where it is mounted; empty: nowhere that this process sees */
};

/* Looks whether the path leads to a block device, and how large it is, without opening it. If not,
 * the device has no name, and the path is not complained about. Refuses devices without a medium,
 * zoned ones and, to be written, read-only ones. `path` must outlive d. */
int block_device_find(struct block_device *d, const char *path, bool writes, struct err *e);

/* The part of it that needs only /sys, below `root`. d->name, its facts and `writes` are set. */
int block_device_look(struct block_device *d, const char *root, struct err *e);

/* Opens it to be read. If it is to be written, makes sure that nobody else uses it (guards.h), and
 * keeps it from others until block_device_close(). Fails if another device has its number now. */
int block_device_open(struct block_device *d, bool yes, struct err *e);

void block_device_close(struct block_device *d);
