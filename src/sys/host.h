// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "measure/control_group.h"

/* What the plan and the reports need to know about this machine. */
struct host {
    char name[256]; /* short name (host_short_length()) */
    char full_name[256];
    /* the same in all containers on one kernel, which share its cache and CPUs; empty: unknown */
    char boot_id[64];
    /* RAM of the machine, or the limit of a control group if that is lower */
    uint64_t ram_bytes;
    bool ram_is_limit;
    /* RAM of the other hosts of the run; 0: there are none */
    uint64_t other_ram_bytes;
    unsigned cpus;            /* number of CPUs that this process may use */
    struct cpu_quotas quotas; /* CPU time that it may use */
    char kernel[136];         /* "Linux 6.1.0-18-amd64" */
    char cpu_model[128];      /* model of the first CPU */
    char c_library[32];       /* "glibc 2.36" */
    /* the filesystem of the scratch directory, by host_find_room(); 0 bytes: unknown */
    uint64_t filesystem_bytes;
    uint64_t free_bytes;
    uint64_t free_files;   /* UINT64_MAX: no limit is known */
    uint64_t device_bytes; /* of the block device that is measured itself; 0: a directory is */
};

/* Describes this machine. What cannot be found out is "unknown", 0 bytes, 1 CPU, an empty text. */
void host_detect(struct host *h);

/* Number of workers that its CPUs, or its quota of them, can keep busy, at least 1. */
unsigned host_workers(const struct host *h);

/* Length of a host's short name: up to the first dot, with numbers after it as in a cluster. */
size_t host_short_length(const char *name);

/* Finds how much room there is for this user on the filesystem of a directory. */
void host_find_room(struct host *h, const char *directory);

/* Number of CPUs that this process may use, at least 1. */
unsigned host_cpus(void);

/* Finds the CPU model in /proc/cpuinfo. `model` has `size` bytes, and is empty if there is none. */
void host_read_cpu_model(FILE *cpuinfo, char *model, size_t size);
