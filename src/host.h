#ifndef BONNIE_HOST_H
#define BONNIE_HOST_H

#include <stdint.h>

/* What the plan needs to know of this machine. */
struct host {
    char name[256]; /* up to the first dot */
    uint64_t ram_bytes;
    unsigned cpus; /* that this process may use */
};

/* Fills h; what cannot be found out is "unknown", 0 bytes of RAM, 1 CPU. */
void host_detect(struct host *h);

#endif
