#ifndef SYS_DROPPER_FILTER_H
#define SYS_DROPPER_FILTER_H

#include <stdbool.h>

/*
 * Confines the calling process, for the rest of its life, to the system calls of the cache dropper,
 * with a filter of seccomp(2): read(2) and write(2) on `socket`, pwrite(2) of one byte at offset 0
 * of `drop_caches`, and the exit of one thread. Any other call, and any call with the numbers of
 * another architecture, kills the process at once.
 *
 * The process must have given up the means to gain privileges (privilege_give_up_capabilities()).
 * Returns false, and confines nothing, if the kernel accepts no filter, or if the architecture is
 * not in the table.
 */
bool dropper_filter_install(int socket, int drop_caches);

#endif
