#ifndef SYS_HOST_H
#define SYS_HOST_H

#include <stdint.h>
#include <stdio.h>

/* What the plan and the reports need to know of this machine. */
struct host {
    char name[256]; /* up to the first dot */
    uint64_t ram_bytes;
    uint64_t other_ram_bytes; /* of other hosts that one run is spread over; 0: there are none */
    unsigned cpus;            /* that this process may use */
    char kernel[136];         /* "Linux 6.1.0-18-amd64" */
    char cpu_model[128];      /* of the first CPU */
};

/*
 * Fills h; what cannot be found out is "unknown", 0 bytes of RAM, 1 CPU, and an empty kernel or
 * CPU model.
 */
void host_detect(struct host *h);

/* The number of CPUs that this process may use, 1 at least. */
unsigned host_cpus(void);

/*
 * Reads the CPU model from what /proc/cpuinfo says: x86's "model name", or what other architectures
 * have instead; empty when they say nothing that names it. model has room for `size` bytes.
 */
void host_read_cpu_model(FILE *cpuinfo, char *model, size_t size);

#endif
