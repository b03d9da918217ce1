#ifndef IO_TRANSFER_H
#define IO_TRANSFER_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "io/file.h"
#include "util/err.h"

/*
 * One transfer between a buffer and a file, and what its result means: the only place that knows
 * what is done about short and interrupted transfers.
 */

enum io_kind { IO_READ, IO_WRITE };

/* One transfer: what an engine moves, and what a source fills in. */
struct io {
    enum io_kind kind;
    unsigned file;         /* its number among the files that the engine was opened with */
    uint64_t offset;       /* of the first byte, in the file */
    size_t length;         /* bytes to move */
    unsigned char *buffer; /* within the engine's buffers */
    ssize_t result;        /* set by the engine: bytes moved, or a negative errno */
    size_t moved;          /* bytes moved before the present window; an engine ignores it */
    uint64_t start_ns;     /* when the operation was due (io_queue.h); an engine ignores it */
    void *user;            /* the source's memory for this operation (io_queue.h) */
};

/* What the result of a transfer means. */
enum transfer_outcome {
    TRANSFER_WHOLE,  /* all bytes were moved */
    TRANSFER_PART,   /* io is now what is left: submit it again */
    TRANSFER_FAILED, /* the error is transfer_error() */
};

/* Moves the window of io back over everything that was moved before it. */
static inline void transfer_rewind(struct io *io)
{
    io->buffer -= io->moved;
    io->offset -= io->moved;
    io->length += io->moved;
    io->moved = 0;
}

/* Looks at io->result; moves the window of io over what is left, or back over the whole. */
static inline enum transfer_outcome transfer_outcome(struct io *io)
{
    if (io->result == (ssize_t)io->length) {
        if (io->moved > 0)
            transfer_rewind(io);
        return TRANSFER_WHOLE;
    }
    if (io->result == -EINTR)
        return TRANSFER_PART;
    if (io->result <= 0) /* where nothing moves, trying again would go on for ever */
        return TRANSFER_FAILED;
    size_t moved = (size_t)io->result;
    io->buffer += moved;
    io->offset += moved;
    io->length -= moved;
    io->moved += moved;
    return TRANSFER_PART;
}

/* The error of a transfer that failed, as a positive errno: EIO where nothing was moved. */
static inline int transfer_error(const struct io *io)
{
    return io->result < 0 ? (int)-io->result : EIO;
}

/* Moves the data with one system call, pread or pwrite, and sets io->result. */
void transfer_run(int fd, struct io *io);

/* Puts the line for a transfer that failed into e; returns the negative errno. */
int transfer_describe_failure(const struct io *io, const char *file_name, struct err *e);

#endif
