#ifndef IO_OPERATION_H
#define IO_OPERATION_H

#include <stdint.h>

#include "io/transfer.h"

/* What the two files of the queue share, and nothing else uses. */

/* One operation from its start to its end, with all its transfers. */
struct operation {
    struct io io;      /* must be first, because an engine's struct io is the operation */
    uint64_t start_ns; /* when its first transfer was submitted; 0: not yet */
    uint64_t end_ns;   /* when its last transfer came back */
};

#endif
