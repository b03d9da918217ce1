#ifndef IO_TRANSFER_H
#define IO_TRANSFER_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

/*
 * One transfer between a buffer and a file, and what its result means. Only this file handles short
 * and interrupted transfers.
 */

enum io_kind { IO_READ, IO_WRITE };

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
static inline enum transfer_outcome transfer_outcome(struct io *io)
{
    if (io->result == (ssize_t)io->length) {
        if (io->moved > 0)
            transfer_rewind(io);
        return TRANSFER_WHOLE;
    }
    if (io->result == -EINTR)
        return TRANSFER_PART;
    if (io->result <= 0) /* trying again would never end */
        return TRANSFER_FAILED;
    size_t moved = (size_t)io->result;
    io->buffer += moved;
    io->offset += moved;
    io->length -= moved;
    io->moved += moved;
    return TRANSFER_PART;
}

/* The positive errno of a failed transfer: EIO if it moved nothing. */
static inline int transfer_error(const struct io *io)
{
    return io->result < 0 ? (int)-io->result : EIO;
}

/* Makes the transfer with one pread(2) or pwrite(2), and sets io->result. */
void transfer_run(int fd, struct io *io);

/* Describes a failed transfer in e. Returns the negative errno. */
int transfer_describe_failure(const struct io *io, const char *file_name, struct err *e);

#endif
