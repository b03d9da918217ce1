#ifndef IO_FILE_H
#define IO_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

/*
 * How tests without an engine move data: whole transfers, or an error. Short transfers are
 * continued, and interrupted ones are repeated unless the run must stop. Each function returns 0,
 * or a negative errno with a line in e; -EINTR: the run must stop.
 */

/* An open file and its name for messages; the name must outlive it. */
struct io_file {
    int fd;
    const char *name;
};

/* Reads `length` bytes at `offset`. If the file ends before that, returns -EIO. */
int io_read(const struct io_file *f, void *buffer, size_t length, uint64_t offset, struct err *e);

/* Writes `length` bytes at `offset`. */
int io_write(const struct io_file *f, const void *buffer, size_t length, uint64_t offset,
             struct err *e);

/* Makes what was written durable. */
int io_sync(const struct io_file *f, struct err *e);

/*
 * Size of the pieces in which a large file is written back while more of it is written, a few
 * pieces at a time. That is enough to keep the device busy, and little enough to stop soon: nothing
 * interrupts a writeback that has begun.
 */
#define IO_PIECE (UINT64_C(8) << 20)

/*
 * Begins to write back the piece at `offset`, and waits until the piece two before it is written.
 * May report an error of the storage; io_sync() does not report that error again.
 */
int io_write_behind(const struct io_file *f, uint64_t offset, uint64_t length, struct err *e);

/* Makes what was written durable, one piece of the file after another. */
int io_sync_pieces(const struct io_file *f, struct err *e);

/* Closes the file if it is open. f->fd becomes -1. */
int io_close(struct io_file *f, struct err *e);

#endif
