// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>

#include "bonload/load/run.h"
#include "measure/clock.h"
#include "util/units.h"

/* A rate is set, changed and removed while threads check whether a request is due. Here the threads
 * do not pause between two checks. */

static _Atomic unsigned looks;

void event_wait(struct event *event, uint32_t seen, uint64_t until_ns)
{
    (void)event, (void)seen, (void)until_ns;
    atomic_fetch_add(&looks, 1);
}

void event_happens(struct event *event, int most)
{
    (void)event, (void)most;
}

static const struct settings no_settings;

#define RATE (MILLION * BILLION)

static void open_run(struct run *run, struct plan *plan)
{
    struct err e;
    err_init(&e);
    *plan = (struct plan){.settings = &no_settings,
                          .mode = MODE_RATE,
                          .target = target_by_name("null"),
                          .url = "X",
                          .max_requests = 1};
    plan->kinds[LOAD_READ] = (struct kind_plan){.pace = PACE_RATE, .rate = RATE, .channels = 1};
    assert_int_equal(run_open(run, plan, &e), 0);
}

static void threads_look_while_a_load_begins(void **state)
{
    static struct run run;
    struct plan plan;
    pthread_t thread;
    (void)state;
    for (int i = 0; i < 1000; i++) {
        open_run(&run, &plan);
        atomic_store(&looks, 0);
        assert_int_equal(pthread_create(&thread, NULL, load_thread_work, &run.threads[0]), 0);
        while (atomic_load(&looks) < 10)
            continue;
        run_set_load(&run, LOAD_READ, RATE, clock_ns());
        pthread_join(thread, NULL);
        assert_int_equal(run.recorders.list[0].tallies[LOAD_READ].response.count, 1);
        run_close(&run);
    }
}

static void a_load_that_is_taken_back_makes_no_request(void **state)
{
    static struct run run;
    struct plan plan;
    pthread_t thread;
    (void)state;
    open_run(&run, &plan);
    run_set_load(&run, LOAD_READ, RATE, clock_ns());
    run_set_load(&run, LOAD_READ, 0, clock_ns());
    atomic_store(&looks, 0);
    assert_int_equal(pthread_create(&thread, NULL, load_thread_work, &run.threads[0]), 0);
    while (atomic_load(&looks) < 1000)
        continue;
    assert_int_equal(load_threads_progress(&run, LOAD_READ).begun, 0);
    run_set_load(&run, LOAD_READ, RATE, clock_ns());
    pthread_join(thread, NULL);
    assert_int_equal(load_threads_progress(&run, LOAD_READ).begun, 1);
    run_close(&run);
}

/* Parks the only load_thread. It has made the requests of the step that ends. */
static void pause_until_parked(struct run *run)
{
    run_pause(run);
    while (load_threads_busy(run) > 0)
        continue;
}

static void each_step_has_its_own_requests(void **state)
{
    static struct run run;
    struct plan plan;
    pthread_t thread;
    (void)state;
    open_run(&run, &plan);
    run.most = UINT64_MAX;
    assert_int_equal(pthread_create(&thread, NULL, load_thread_work, &run.threads[0]), 0);
    run_set_load(&run, LOAD_READ, RATE, clock_ns());
    while (load_threads_progress(&run, LOAD_READ).ended < 1000)
        continue;
    pause_until_parked(&run);
    struct progress first = load_threads_progress(&run, LOAD_READ);
    assert_int_equal(first.begun, first.ended);
    assert_int_equal(run.recorders.list[0].tallies[LOAD_READ].response.count, first.ended);
    assert_int_equal(atomic_load(&run.budget), first.begun);
    plan.max_requests = 777;
    load_threads_forget(&run);
    assert_int_equal(load_threads_progress(&run, LOAD_READ).begun, 0);
    run_set_load(&run, LOAD_READ, RATE, clock_ns());
    run_resume(&run);
    pthread_join(thread, NULL);
    assert_int_equal(load_threads_progress(&run, LOAD_READ).ended, 777);
    assert_int_equal(run.recorders.list[0].tallies[LOAD_READ].response.count, 777);
    run_close(&run);
}

/* A request that ends only after the pause counts for neither step. */
static void a_straggler_is_in_no_step(void **state)
{
    static struct run run;
    struct plan plan;
    (void)state;
    open_run(&run, &plan);
    run.most = 3;
    run.start_ns = clock_ns();
    run_set_load(&run, LOAD_READ, RATE, run.start_ns);
    run_pause(&run);
    assert_int_equal(load_threads_busy(&run), 1);
    run.threads[0].budget = 1; /* belongs to the previous step */
    plan.max_requests = 3;
    load_threads_forget(&run);
    run_resume(&run);
    load_thread_work(&run.threads[0]);
    assert_int_equal(load_threads_progress(&run, LOAD_READ).ended, 3);
    run_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_look_while_a_load_begins),
        cmocka_unit_test(a_load_that_is_taken_back_makes_no_request),
        cmocka_unit_test(each_step_has_its_own_requests),
        cmocka_unit_test(a_straggler_is_in_no_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
