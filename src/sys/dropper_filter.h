#ifndef SYS_DROPPER_FILTER_H
#define SYS_DROPPER_FILTER_H

#include <stdbool.h>

/*
 * Confines the calling process, for the rest of its life, to the system calls that the cache
 * dropper makes (seccomp(2), a filter): read() and write() on `socket`, pwrite() of one byte at
 * offset 0 of `drop_caches`, and the exit of one thread. Any other call, and any call of another
 * architecture's numbering, kills the process at once.
 *
 * The process must not be able to gain privileges any more (privilege_give_up_capabilities).
 * Returns false, and confines nothing, where the kernel takes no filter or the architecture is not
 * known here.
 */
bool dropper_filter_install(int socket, int drop_caches);

#endif
