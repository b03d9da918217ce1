// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>

#include "bonload/targets/profile/profile_target.h"

/* Group commit with a store whose sync ends when all clients are in the batch or wait for the next
 * one. So the number of commits in a batch does not depend on time. */
#define ROUNDS 200

struct bench {
    struct commit_group group;
    unsigned clients;
    uint64_t stores;
    uint64_t records;
    uint64_t largest;
    uint64_t fails_at;     /* number of the store call that fails; 0: none */
    _Atomic unsigned over; /* number of clients that have made all of their commits */
};

static unsigned waiting_clients(struct commit_group *g)
{
    pthread_mutex_lock(&g->lock);
    unsigned waiting = (unsigned)g->waiting;
    pthread_mutex_unlock(&g->lock);
    return waiting;
}

static int store(void *context, uint64_t records, uint64_t *sync_ns)
{
    struct bench *b = context;
    b->stores++;
    b->records += records;
    if (records > b->largest)
        b->largest = records;
    *sync_ns = b->stores;
    while (records + waiting_clients(&b->group) + atomic_load(&b->over) < b->clients)
        sched_yield();
    return b->stores == b->fails_at ? 5 : 0;
}

static void *commit_on(void *context)
{
    struct bench *b = context;
    uint64_t sync_ns;
    for (int i = 0; i < ROUNDS; i++)
        if (commit_group_join(&b->group, &sync_ns) != 0)
            break;
    atomic_fetch_add(&b->over, 1);
    return NULL;
}

static void run_clients(struct bench *b, unsigned clients)
{
    pthread_t threads[64];
    b->clients = clients;
    b->group =
        (struct commit_group){.store = store, .context = b, .lock = PTHREAD_MUTEX_INITIALIZER};
    for (unsigned i = 0; i < clients; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, commit_on, b), 0);
    for (unsigned i = 0; i < clients; i++)
        pthread_join(threads[i], NULL);
}

/* One client makes 1/S commits per second: each commit has a sync of its own. */
static void one_client_has_each_sync_for_itself(void **state)
{
    (void)state;
    struct bench b = {.stores = 0};
    run_clients(&b, 1);
    assert_int_equal(b.stores, ROUNDS);
    assert_int_equal(b.records, ROUNDS);
}

/* N clients make N/(2S) commits per second: in two syncs each client commits once, because a client
 * in one batch misses the next and is in the one after that. At the end, when clients finish one by
 * one, there may be a few more syncs. */
static void two_syncs_have_one_commit_of_each(void **state)
{
    (void)state;
    static const unsigned clients[] = {2, 8, 64};
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++) {
        struct bench b = {.stores = 0};
        run_clients(&b, clients[i]);
        assert_int_equal(b.records, (uint64_t)clients[i] * ROUNDS);
        assert_in_range(b.stores, 2 * ROUNDS - 2, 2 * ROUNDS + 2);
    }
}

/* No waiting client is told that its commit is durable when it was not stored, and none waits for
 * ever. */
static void a_failure_is_that_of_all_later_commits(void **state)
{
    (void)state;
    struct bench b = {.fails_at = 3};
    run_clients(&b, 8);
    assert_int_equal(b.stores, 3);
    assert_int_equal(atomic_load(&b.group.failure), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_client_has_each_sync_for_itself),
        cmocka_unit_test(two_syncs_have_one_commit_of_each),
        cmocka_unit_test(a_failure_is_that_of_all_later_commits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
