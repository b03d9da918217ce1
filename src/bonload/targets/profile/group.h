#ifndef BONLOAD_TARGETS_PROFILE_GROUP_H
#define BONLOAD_TARGETS_PROFILE_GROUP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sys/event.h"

/*
 * Group commit: a thread that finds no sync in progress stores its record at once. Records that
 * arrive during a sync are stored together in the next batch, which begins as soon as that sync has
 * ended, and which one of their threads stores for all. The batch is closed when the previous sync
 * ends. So for clients that do nothing else, and a sync of S, there are 1/S commits per second with
 * one client and N/(2S) with N.
 */
struct commit_group {
    /*
     * Stores that many records and syncs them; *sync_ns is the duration of the sync. Returns 0 or a
     * positive errno, after which no commit succeeds. Never called by two threads at a time.
     */
    int (*store)(void *context, uint64_t records, uint64_t *sync_ns);
    void *context;

    pthread_mutex_t lock;     /* protects the fields up to is_handed; never held while storing */
    uint64_t waiting;         /* number of records in the next batch */
    uint64_t records;         /* number of records in the current batch */
    uint64_t batch;           /* its number */
    bool is_busy;             /* the current batch is being stored, or about to be */
    bool is_handed;           /* the first of its threads that wakes up stores it */
    _Atomic uint64_t durable; /* number of the batch that was stored last */
    _Atomic uint64_t sync_ns; /* duration of its sync */
    _Atomic int failure;
    struct event ended; /* signalled when a batch was stored */
};

void commit_group_open(struct commit_group *g,
                       int (*store)(void *context, uint64_t records, uint64_t *sync_ns),
                       void *context);
void commit_group_close(struct commit_group *g);

/*
 * Commits a record: returns when it is durable. *sync_ns becomes the duration of its batch's sync
 * or, if another one has ended since, of that. Returns 0 or a positive errno.
 */
int commit_group_join(struct commit_group *g, uint64_t *sync_ns);

#endif
