#ifndef SYS_BYTE_PIPE_H
#define SYS_BYTE_PIPE_H

#include <sys/types.h>

/* How forked processes talk to their parent: single bytes over pipes and sockets. */

/*
 * Reads one byte from a pipe or a socket. A signal interrupts it only if the run is to stop.
 * Returns what read(2) does: 1, 0 at the end, or -1 with errno.
 */
ssize_t byte_read(int fd, char *byte);

/* Writes one byte to a pipe in the same way. Returns 0 or a negative errno. */
int byte_write(int fd, char byte);

#endif
