#ifndef TOOLS_BYTE_WAYS_H
#define TOOLS_BYTE_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The ways of moving single bytes between a program and a file that getc_putc measures. */

/* A file as a way uses it. */
struct byte_channel {
    int fd;
    FILE *stream; /* on fd; NULL for the ways of system calls */
};

enum byte_direction { BYTES_WRITTEN, BYTES_READ };

struct byte_way {
    const char *name;  /* in the table: at most six columns */
    const char *title; /* while it is measured */
    const char *call;  /* for messages */
    enum byte_direction direction;
    bool is_system_call;
    bool has_threads; /* the process has a second thread */

    /*
     * Moves a block, byte by byte; what is read goes into `bytes`, what is written is taken from
     * there. Returns the number of bytes that were moved: fewer after a failure, with errno set, or
     * at the end of the file. Those of streams return either all or 0.
     */
    size_t (*move)(const struct byte_channel *c, unsigned char *bytes, size_t count);
};

/* In the order in which they are measured and reported: those without a second thread first. */
#define BYTE_WAYS 8
extern const struct byte_way byte_ways[BYTE_WAYS];

#endif
