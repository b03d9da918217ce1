// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "sys/thread_pool.h"

/*
 * Group commit: a thread that finds no sync in progress stores its record at once. Records that
 * arrive during a sync wait for the next batch. That batch is closed when the sync ends, and one of
 * its threads then stores it for all. If clients do nothing else, and a sync takes S, one client
 * makes 1/S commits per second, and N clients make N/(2S).
 */
struct commit_group {
    /*
     * Stores `records` records and syncs them. *sync_ns becomes the duration of the sync. Returns 0
     * or a positive errno; after an errno no commit succeeds. Only one thread at a time calls this.
     */
    int (*store)(void *context, uint64_t records, uint64_t *sync_ns);
    void *context;

    /* protects the fields up to is_handed; no thread holds it while it stores */
    pthread_mutex_t lock;
    uint64_t waiting;         /* number of records in the next batch */
    uint64_t records;         /* number of records in the current batch */
    uint64_t batch;           /* number of the current batch */
    bool is_busy;             /* a thread stores the current batch, or is about to */
    bool is_handed;           /* the first of the batch's threads to wake up must store it */
    _Atomic uint64_t durable; /* number of the batch that was stored last */
    _Atomic uint64_t sync_ns; /* duration of that batch's sync */
    _Atomic int failure;
    struct event ended; /* happens when a batch has been stored */
};

void commit_group_open(struct commit_group *g,
                       int (*store)(void *context, uint64_t records, uint64_t *sync_ns),
                       void *context);
void commit_group_close(struct commit_group *g);

/*
 * Commits a record, and returns when it is durable. *sync_ns becomes the duration of its batch's
 * sync, or of a later one if that has already ended. Returns 0 or a positive errno.
 */
int commit_group_join(struct commit_group *g, uint64_t *sync_ns);
