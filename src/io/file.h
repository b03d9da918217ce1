// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include "util/err.h"

/* A transfer between a buffer and a file. Only this file handles short and interrupted ones. */
enum io_kind { IO_READ, IO_WRITE };

struct io_file {
    int fd;
    const char *name; /* for messages; outlives the file */
    uint64_t base;    /* where it begins on the device that it is a part of; 0: it is a file */
};

/* One transfer. A source fills it, and an engine makes it. */
struct io {
    enum io_kind kind;
    unsigned file;         /* index of the file among those of the engine */
    uint64_t offset;       /* offset of the first byte in the file */
    size_t length;         /* number of bytes to move */
    unsigned char *buffer; /* one of the engine's buffers */
    ssize_t result;        /* set by the engine: number of bytes moved, or a negative errno */
    size_t moved; /* number of bytes of the operation that were moved before; engines ignore it */
    void *user;   /* the source's memory for this operation (io_queue.h) */
};

/* What the result of a transfer means. */
enum transfer_outcome {
    TRANSFER_WHOLE,  /* all bytes have been moved */
    TRANSFER_PART,   /* *io describes the rest: submit it again */
    TRANSFER_FAILED, /* the transfer has failed with transfer_error() */
};

/* Moves the start of *io back over all bytes that were moved before. */
static inline void transfer_rewind(struct io *io)
{
    io->buffer -= io->moved;
    io->offset -= io->moved;
    io->length += io->moved;
    io->moved = 0;
}

/* Examines io->result. *io becomes the rest of the transfer, or the whole transfer again. */
enum transfer_outcome transfer_outcome(struct io *io);

/* The positive errno of a failed transfer: EIO if it moved nothing. */
static inline int transfer_error(const struct io *io)
{
    return io->result < 0 ? (int)-io->result : EIO;
}

/* Makes the transfer with one pread(2) or pwrite(2), and sets io->result; describes one that failed
 * in e, and returns the negative errno. */
void transfer_run(const struct io_file *f, struct io *io);
int transfer_describe_failure(const struct io *io, const struct io_file *f, struct err *e);

/* How tests without an engine move data: whole transfers, or an error (-EIO at the end of the
 * file). Interrupted ones are repeated unless the run must stop. Each function returns 0, or a
 * negative errno with a line in e; -EINTR: the run must stop. */
int io_read(const struct io_file *f, void *buffer, size_t length, uint64_t offset, struct err *e);
int io_write(const struct io_file *f, const void *buffer, size_t length, uint64_t offset,
             struct err *e);

/* Make what was written durable, at once or one piece of the file after another. */
int io_sync(const struct io_file *f, struct err *e);
int io_sync_pieces(const struct io_file *f, struct err *e);

/* Size of the pieces in which a large file is written back while more of it is written: enough to
 * keep the device busy, and little enough to stop soon, because nothing interrupts a writeback. */
#define IO_PIECE (UINT64_C(8) << 20)

/* Begins to write back the piece at `offset`, and waits until the piece two before it is written.
 * May report an error of the storage; io_sync() does not report that error again. */
int io_write_behind(const struct io_file *f, uint64_t offset, uint64_t length, struct err *e);

/* Closes the file if it is open. f->fd becomes -1. */
int io_close(struct io_file *f, struct err *e);

/* Where a part of a file lies on the device of its filesystem, as the filesystem says (FIEMAP).
 * Returns the number of bytes, from `offset` on and at most `length`, that lie in one piece from
 * *place on; 0: not known. Takes a few microseconds. */
uint64_t file_place(int fd, uint64_t offset, uint64_t length, uint64_t *place);
