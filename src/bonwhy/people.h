// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Who is who: the threads that the kernel's events name. A thread is looked up in /proc when it is
 * first asked about, so that its name outlives it.
 */

#define PERSON_NAME 16 /* TASK_COMM_LEN of the kernel */

struct person {
    int thread;             /* 0: an empty place */
    int process;            /* its process; the thread itself if that was gone already */
    char name[PERSON_NAME]; /* of the process; empty: it was gone */
    bool is_kernel;         /* a thread of the kernel, or one that was ending */
    bool is_followed;       /* of the program that is watched */
    bool syncs;             /* it is inside a call that syncs */
    uint32_t call;          /* number of the call that it is inside, if start_ns is not 0 */
    uint32_t third;         /* arguments of that call, as in struct tail_event */
    uint64_t first;
    uint64_t start_ns;
};

/* Most threads that are told apart. */
#define PEOPLE_MOST (1U << 16)

struct people {
    struct person *list; /* PEOPLE_MOST places */
    unsigned count;
};

/* Returns 0 or -ENOMEM. */
int people_open(struct people *p);
void people_close(struct people *p);

/* A thread; NULL: there are too many. */
struct person *people_find(struct people *p, int thread);

/* Looks up in /proc once more: it has executed another program. */
void people_look(struct person *one);
