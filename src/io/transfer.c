#include "io/transfer.h"

#include <inttypes.h>
#include <unistd.h>

void transfer_run(int fd, struct io *io)
{
    ssize_t moved = io->kind == IO_READ ? pread(fd, io->buffer, io->length, (off_t)io->offset)
                                        : pwrite(fd, io->buffer, io->length, (off_t)io->offset);
    io->result = moved < 0 ? -errno : moved;
}

int transfer_describe_failure(const struct io *io, const char *file_name, struct err *e)
{
    static const char *const verbs[] = {[IO_READ] = "read", [IO_WRITE] = "write"};
    return err_system(e, transfer_error(io), "%s %s at %" PRIu64 "%s", verbs[io->kind], file_name,
                      io->offset, io->result == 0 ? ": nothing moved" : "");
}
