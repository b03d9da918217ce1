#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>

#include "bonload/driver.h"
#include "bonload/run.h"
#include "measure/clock.h"
#include "util/units.h"

/*
 * A rate is set, changed and taken back while threads look whether a request is due. Here they look
 * without any rest: nothing lies between two looks.
 */

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

#define RATE (MILLION * BILLION)

static void open_run(struct run *run, struct plan *plan)
{
    struct err e;
    err_init(&e);
    *plan = (struct plan){
        .mode = MODE_RATE, .target = target_by_name("null"), .url = "X", .max_requests = 1};
    plan->kinds[LOAD_READ] = (struct kind_plan){.pace = PACE_RATE, .rate = RATE, .channels = 1};
    assert_int_equal(run_open(run, plan, &e), 0);
}

static void *drive(void *driver)
{
    driver_work(driver);
    return NULL;
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
        assert_int_equal(pthread_create(&thread, NULL, drive, &run.drivers[0]), 0);
        while (atomic_load(&looks) < 10)
            continue;
        run_set_rate(&run, LOAD_READ, RATE, clock_ns());
        pthread_join(thread, NULL);
        assert_int_equal(run.recorders.list[0].kinds[LOAD_READ].response.count, 1);
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
    run_set_rate(&run, LOAD_READ, RATE, clock_ns());
    run_set_rate(&run, LOAD_READ, 0, clock_ns());
    atomic_store(&looks, 0);
    assert_int_equal(pthread_create(&thread, NULL, drive, &run.drivers[0]), 0);
    while (atomic_load(&looks) < 1000)
        continue;
    assert_int_equal(run_progress(&run, LOAD_READ).begun, 0);
    run_set_rate(&run, LOAD_READ, RATE, clock_ns());
    pthread_join(thread, NULL);
    assert_int_equal(run_progress(&run, LOAD_READ).begun, 1);
    run_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_look_while_a_load_begins),
        cmocka_unit_test(a_load_that_is_taken_back_makes_no_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
