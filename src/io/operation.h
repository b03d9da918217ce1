#ifndef IO_OPERATION_H
#define IO_OPERATION_H

#include <stdint.h>

#include "io/transfer.h"

/* Shared by the two files of the queue and by nothing else. */

/* One operation from its beginning to its end, with all of its transfers. */
struct operation {
    struct io io;      /* first: an engine's struct io is its operation */
    uint64_t start_ns; /* when its first transfer was submitted; 0: not yet */
    uint64_t end_ns;   /* when its last transfer came back */
};

#endif
