#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>

#include "bonload/targets/profile/group.h"

/*
 * Group commit with a store that takes as long as the clients need: it ends when all of them are in
 * the batch, or wait for the next one. So no time decides how many commits a batch has.
 */
#define ROUNDS 200

struct bench {
    struct commit_group group;
    unsigned clients;
    uint64_t stores;
    uint64_t records;
    uint64_t largest;
    uint64_t fails_at;     /* number of the store that fails; 0: none */
    _Atomic unsigned over; /* clients that have made all of their commits */
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
    commit_group_open(&b->group, store, b);
    for (unsigned i = 0; i < clients; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, commit_on, b), 0);
    for (unsigned i = 0; i < clients; i++)
        pthread_join(threads[i], NULL);
    commit_group_close(&b->group);
}

/* 1/S: every commit has a sync of its own. */
static void one_client_has_each_sync_for_itself(void **state)
{
    (void)state;
    struct bench b = {.stores = 0};
    run_clients(&b, 1);
    assert_int_equal(b.stores, ROUNDS);
    assert_int_equal(b.records, ROUNDS);
}

/*
 * N/(2S): in two syncs each of N clients commits once, because who is in one cannot be in the next,
 * but is in the one after that. At the end, when clients go one by one, there may be a few more.
 */
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

/* Nobody who waits is told that what was not stored is durable, and nobody hangs. */
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
