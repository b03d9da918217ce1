// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The ways of moving single bytes between a program and a file that getc_putc compares. */

/* A file, as each of the ways uses it. */
struct byte_channel {
    int fd;
    FILE *stream; /* a stream on fd; NULL for ways that use system calls */
};

enum byte_direction { BYTES_WRITTEN, BYTES_READ };

struct byte_way {
    const char *name;  /* name in the table, at most six columns wide */
    const char *title; /* title while this way is measured */
    const char *call;  /* name of the call for messages */
    enum byte_direction direction;
    bool is_system_call;
    bool has_threads; /* the process has a second thread meanwhile */

    /*
     * Moves a block byte by byte, to `bytes` or from there. Returns the number of bytes moved,
     * which is smaller after a failure (with errno set) or at the end of the file. Ways that use
     * streams return either `count` or 0.
     */
    size_t (*move)(const struct byte_channel *c, unsigned char *bytes, size_t count);
};

/*
 * All ways, in the order in which they are measured and reported: first those without a second
 * thread.
 */
#define BYTE_WAYS 8
extern const struct byte_way byte_ways[BYTE_WAYS];
