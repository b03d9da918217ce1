#include "sys/byte_pipe.h"

#include <errno.h>
#include <unistd.h>

#include "sys/stop.h"

ssize_t byte_read(int fd, char *byte)
{
    ssize_t got;
    do {
        got = read(fd, byte, 1);
    } while (got < 0 && errno == EINTR && !stop_requested());
    return got;
}

int byte_write(int fd, char byte)
{
    ssize_t put;
    do {
        put = write(fd, &byte, 1);
    } while (put < 0 && errno == EINTR && !stop_requested());
    return put == 1 ? 0 : put < 0 ? -errno : -EIO;
}
