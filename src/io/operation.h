#ifndef IO_OPERATION_H
#define IO_OPERATION_H

#include <stdint.h>

#include "io/transfer.h"

/* What the two files of the queue share, and nothing else sees. */

/* One operation from its beginning to its end: all of its transfers. */
struct operation {
    struct io io;          /* first: an engine's struct io is its operation */
    uint64_t submitted_ns; /* when its first transfer was submitted; 0: not yet */
    uint64_t end_ns;       /* when its last transfer came back */
};

#endif
