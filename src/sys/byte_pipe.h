#ifndef SYS_BYTE_PIPE_H
#define SYS_BYTE_PIPE_H

#include <sys/types.h>

/* Single bytes over pipes and sockets, by which forked processes talk to their parent. */

/*
 * Reads one byte from a pipe or a socket. A signal interrupts this only if the run must stop.
 * Returns what read(2) returns: 1, 0 at the end, or -1 with errno.
 */
ssize_t byte_read(int fd, char *byte);

/*
 * Writes one byte to a pipe. A signal interrupts this only if the run must stop. Returns 0 or a
 * negative errno.
 */
int byte_write(int fd, char byte);

#endif
