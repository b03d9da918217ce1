#ifndef IO_TRANSFER_H
#define IO_TRANSFER_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

/*
 * One transfer between a buffer and a file, and the meaning of its result. This is the only place
 * that handles short and interrupted transfers.
 */

enum io_kind { IO_READ, IO_WRITE };

/* One transfer: a source fills it in, and an engine carries it out. */
struct io {
    enum io_kind kind;
    unsigned file;         /* index among the files that the engine was opened with */
    uint64_t offset;       /* offset of the first byte in the file */
    size_t length;         /* number of bytes to move */
    unsigned char *buffer; /* within the engine's buffers */
    ssize_t result;        /* set by the engine: bytes moved, or a negative errno */
    size_t moved;          /* number of bytes moved before the current window; engines ignore it */
    void *user;            /* the source's memory for this operation (io_queue.h) */
};

/* The meaning of a transfer's result. */
enum transfer_outcome {
    TRANSFER_WHOLE,  /* all bytes were moved */
    TRANSFER_PART,   /* io now describes what is left: submit it again */
    TRANSFER_FAILED, /* the error is transfer_error() */
};

/* Extends the window of io back over all bytes that were moved before it. */
static inline void transfer_rewind(struct io *io)
{
    io->buffer -= io->moved;
    io->offset -= io->moved;
    io->length += io->moved;
    io->moved = 0;
}

/*
 * Examines io->result, and moves the window of io to the bytes that are left, or back to the whole.
 */
static inline enum transfer_outcome transfer_outcome(struct io *io)
{
    if (io->result == (ssize_t)io->length) {
        if (io->moved > 0)
            transfer_rewind(io);
        return TRANSFER_WHOLE;
    }
    if (io->result == -EINTR)
        return TRANSFER_PART;
    if (io->result <= 0) /* where nothing moves, trying again would never end */
        return TRANSFER_FAILED;
    size_t moved = (size_t)io->result;
    io->buffer += moved;
    io->offset += moved;
    io->length -= moved;
    io->moved += moved;
    return TRANSFER_PART;
}

/* The error of a failed transfer as a positive errno: EIO if nothing was moved. */
static inline int transfer_error(const struct io *io)
{
    return io->result < 0 ? (int)-io->result : EIO;
}

/* Moves the data with one system call, pread or pwrite, and sets io->result. */
void transfer_run(int fd, struct io *io);

/* Describes a failed transfer in e; returns the negative errno. */
int transfer_describe_failure(const struct io *io, const char *file_name, struct err *e);

#endif
