// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/targets/profile/commit_group.h"

#include <stdatomic.h>

void commit_group_open(struct commit_group *g,
                       int (*store)(void *context, uint64_t records, uint64_t *sync_ns),
                       void *context)
{
    *g = (struct commit_group){.store = store, .context = context};
    pthread_mutex_init(&g->lock, NULL);
}

void commit_group_close(struct commit_group *g)
{
    pthread_mutex_destroy(&g->lock);
}

/* Closes the batch of all waiting records, which is now the current one. */
static void seal_batch(struct commit_group *g)
{
    g->records = g->waiting;
    g->waiting = 0;
    g->batch++;
    g->is_busy = true;
}

/*
 * Whether the calling thread must store its batch: the batch is ready, and no thread has taken it.
 */
static bool take_lead(struct commit_group *g, uint64_t mine)
{
    pthread_mutex_lock(&g->lock);
    bool leads = g->is_handed && g->batch == mine;
    if (leads)
        g->is_handed = false;
    pthread_mutex_unlock(&g->lock);
    return leads;
}

static void store_batch(struct commit_group *g)
{
    uint64_t sync_ns = 0;
    int code = atomic_load(&g->failure);
    if (code == 0)
        code = g->store(g->context, g->records, &sync_ns);
    pthread_mutex_lock(&g->lock);
    if (code != 0)
        atomic_store(&g->failure, code);
    atomic_store(&g->sync_ns, sync_ns);
    atomic_store(&g->durable, g->batch);
    g->is_busy = false;
    if (g->waiting > 0) {
        seal_batch(g);
        g->is_handed = true;
    }
    pthread_mutex_unlock(&g->lock);
    event_happens(&g->ended, EVENT_WAKES_ALL);
}

int commit_group_join(struct commit_group *g, uint64_t *sync_ns)
{
    pthread_mutex_lock(&g->lock);
    uint64_t mine = g->batch + 1; /* the next batch, which this thread must store if it leads */
    bool leads = !g->is_busy;
    g->waiting++;
    if (leads)
        seal_batch(g);
    pthread_mutex_unlock(&g->lock);
    while (!leads) {
        uint32_t seen = event_count(&g->ended);
        if (atomic_load(&g->durable) >= mine)
            break;
        leads = take_lead(g, mine);
        if (!leads)
            event_wait(&g->ended, seen, EVENT_NO_DEADLINE);
    }
    if (leads)
        store_batch(g);
    *sync_ns = atomic_load(&g->sync_ns);
    return atomic_load(&g->failure);
}
