// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/byte_ways.h"

#include <unistd.h>

/* Aligns the loops: the place of such a short loop in a cache line may decide its speed. */
#define LOOP __attribute__((noinline, aligned(64)))

LOOP static size_t write_each(const struct byte_channel *c, unsigned char *bytes, size_t count)
{
    size_t i = 0;
    while (i < count && write(c->fd, &bytes[i], 1) == 1)
        i++;
    return i;
}

LOOP static size_t read_each(const struct byte_channel *c, unsigned char *bytes, size_t count)
{
    size_t i = 0;
    while (i < count && read(c->fd, &bytes[i], 1) == 1)
        i++;
    return i;
}

LOOP static size_t putc_each(const struct byte_channel *c, unsigned char *bytes, size_t count)
{
    FILE *stream = c->stream;
    for (size_t i = 0; i < count; i++)
        putc(bytes[i], stream);
    return ferror(stream) ? 0 : count;
}

LOOP static size_t getc_each(const struct byte_channel *c, unsigned char *bytes, size_t count)
{
    FILE *stream = c->stream;
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)getc(stream);
    return ferror(stream) || feof(stream) ? 0 : count;
}

LOOP static size_t putc_unlocked_each(const struct byte_channel *c, unsigned char *bytes,
                                      size_t count)
{
    FILE *stream = c->stream;
    for (size_t i = 0; i < count; i++)
        putc_unlocked(bytes[i], stream);
    return ferror(stream) ? 0 : count;
}

LOOP static size_t getc_unlocked_each(const struct byte_channel *c, unsigned char *bytes,
                                      size_t count)
{
    FILE *stream = c->stream;
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)getc_unlocked(stream);
    return ferror(stream) || feof(stream) ? 0 : count;
}

const struct byte_way byte_ways[BYTE_WAYS] = {
    {"write", "Writing with write(), a byte each", "write", BYTES_WRITTEN, true, false, write_each},
    {"read", "Reading with read(), a byte each", "read", BYTES_READ, true, false, read_each},
    {"putcNT", "Writing with putc(), no threads", "putc", BYTES_WRITTEN, false, false, putc_each},
    {"getcNT", "Reading with getc(), no threads", "getc", BYTES_READ, false, false, getc_each},
    {"putc", "Writing with putc(), two threads", "putc", BYTES_WRITTEN, false, true, putc_each},
    {"getc", "Reading with getc(), two threads", "getc", BYTES_READ, false, true, getc_each},
    {"putcU", "Writing with putc_unlocked()", "putc_unlocked", BYTES_WRITTEN, false, true,
     putc_unlocked_each},
    {"getcU", "Reading with getc_unlocked()", "getc_unlocked", BYTES_READ, false, true,
     getc_unlocked_each},
};
