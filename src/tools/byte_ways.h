#ifndef TOOLS_BYTE_WAYS_H
#define TOOLS_BYTE_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The methods of moving single bytes between a program and a file that getc_putc compares. */

/* A file as a method uses it. */
struct byte_channel {
    int fd;
    FILE *stream; /* on fd; NULL for methods that use system calls */
};

enum byte_direction { BYTES_WRITTEN, BYTES_READ };

struct byte_way {
    const char *name;  /* name in the table, of six columns at most */
    const char *title; /* shown while it is measured */
    const char *call;  /* name of the call, for messages */
    enum byte_direction direction;
    bool is_system_call;
    bool has_threads; /* the process has a second thread */

    /*
     * Moves a block byte by byte, into `bytes` or out of it. Returns the number of bytes moved,
     * which is smaller after a failure, with errno set, or at the end of the file. Methods that use
     * streams return either count or 0.
     */
    size_t (*move)(const struct byte_channel *c, unsigned char *bytes, size_t count);
};

/* In the order in which they are measured and reported: first those without a second thread. */
#define BYTE_WAYS 8
extern const struct byte_way byte_ways[BYTE_WAYS];

#endif
