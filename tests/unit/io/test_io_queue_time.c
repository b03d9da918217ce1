// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/io_queue.h"
#include "measure/clock.h"
#include "support/virtual_clock.h"
#include "sys/stop.h"

/* How a queue uses time. The clock stands still unless somebody sleeps. */

#define MICROSECOND UINT64_C(1000)
#define MILLISECOND UINT64_C(1000000)
#define SECOND      UINT64_C(1000000000)

static struct engine_options options;
static struct op_stats stats;

static enum transfer_answer transferred(void *context, struct io *io)
{
    (void)context, (void)io;
    return OPERATION_ENDED;
}

static int run_with(const struct engine_ops *engine, const struct io_source *source, unsigned depth,
                    struct err *e)
{
    const struct io_file file = {.fd = -1, .name = "FILE"};
    const struct io_queue_setup setup = {.engine = engine,
                                         .options = &options,
                                         .depth = depth,
                                         .buffer_bytes = 1,
                                         .files = &file,
                                         .file_count = 1};
    struct io_queue q;
    err_init(e);
    memset(&stats, 0, sizeof stats);
    int rc = io_queue_open(&q, &setup, e);
    if (rc == 0)
        rc = io_queue_run(&q, source, &stats, e);
    io_queue_close(&q);
    return rc;
}

static int run(const struct io_source *source, unsigned depth, struct err *e)
{
    return run_with(engine_by_name("null"), source, depth, e);
}

static int reset(void **state)
{
    (void)state;
    memset(&options, 0, sizeof options);
    return 0;
}

static void assert_within_percent(uint64_t found, uint64_t expected, double percent)
{
    double off = (double)expected * percent / 100;
    assert_in_range(found, (uint64_t)((double)expected - off), (uint64_t)((double)expected + off));
}

/* The source takes some time to check each of these large blocks. */
struct checks {
    unsigned next;
    unsigned count;
    uint64_t check_ns;
};

static enum source_answer next_of_checks(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct checks *c = context;
    io->length = 65536;
    return c->next++ < c->count ? SOURCE_READY : SOURCE_ENDED;
}

static enum transfer_answer checked(void *context, struct io *io)
{
    (void)io;
    virtual_clock.now_ns += ((const struct checks *)context)->check_ns;
    return OPERATION_ENDED;
}

/* While the source checks what was read, the queue does not see other completions. That lengthens
 * latencies by at most the time for a burst of 256 KiB, or of 4 blocks. */
static void completions_are_seen_while_the_source_is_busy(void **state)
{
    (void)state;
    struct err e;
    struct checks c = {.count = 20000, .check_ns = 20 * MICROSECOND};
    const struct io_source source = {.next = next_of_checks, .transferred = checked, .context = &c};
    options.null.delay_ns = 3 * MILLISECOND;
    assert_int_equal(run(&source, 256, &e), 0);
    assert_int_equal(stats.latencies.count, 20000);
    assert_in_range(stats.latencies.maximum, 3 * MILLISECOND,
                    3 * MILLISECOND + (4 + 1) * c.check_ns);
    assert_within_percent(stats.in_flight_ns, stats.latencies.sum, 1);
}

static enum engine_answer transfer_at_once(void *state, struct io *io)
{
    (void)state;
    virtual_clock.now_ns += 10 * MICROSECOND;
    io->result = (ssize_t)io->length;
    return ENGINE_COMPLETED;
}

/* One transfer after another: a quick source's time counts, and saves every second look. */
static void the_end_of_a_transfer_is_the_start_of_the_next(void **state)
{
    (void)state;
    static const struct engine_ops at_once = {
        .name = "at once", .state_bytes = sizeof(struct engine_setup), .submit = transfer_at_once};
    const uint64_t look_ns = virtual_clock.look_ns;
    struct err e;
    for (int quick = 0; quick < 2; quick++) {
        struct checks c = {.count = 1000, .check_ns = 100};
        const struct io_source source = {
            .next = next_of_checks, .transferred = checked, .context = &c, .is_quick = quick == 1};
        uint64_t looks = virtual_clock.looks;
        assert_int_equal(run_with(&at_once, &source, 1, &e), 0);
        looks = virtual_clock.looks - looks;
        assert_int_equal(stats.latencies.count, 1000);
        assert_int_equal(stats.latencies.sum,
                         1000 * (10 * MICROSECOND + look_ns) + (quick ? 999 * c.check_ns : 0));
        assert_int_equal(stats.in_flight_ns, stats.latencies.sum);
        assert_in_range(looks, quick ? 1000 : 2000, quick ? 1004 : 2004);
    }
}

/* A source that decides whether a failure ends the run. */
struct failing {
    unsigned left;
    unsigned failures;
    unsigned fails_for_good; /* number of the failure that ends the run; 0: none */
};

static enum source_answer next_of_failing(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct failing *f = context;
    io->kind = IO_READ;
    io->length = 1;
    return f->left-- > 0 ? SOURCE_READY : SOURCE_ENDED;
}

static bool failed(void *context, const struct io *io, int code)
{
    struct failing *f = context;
    assert_int_equal(code, EIO);
    assert_int_equal(io->length, 1);
    return ++f->failures != f->fails_for_good;
}

static void the_source_decides_what_a_failure_means(void **state)
{
    (void)state;
    struct err e;
    struct failing f = {.left = 100};
    const struct io_source source = {
        .next = next_of_failing, .transferred = transferred, .failed = failed, .context = &f};
    options.null.fail_at = 50;
    assert_int_equal(run(&source, 1, &e), 0);
    assert_int_equal(f.failures, 1);
    assert_int_equal(stats.errors, 1);
    assert_int_equal(stats.latencies.count, 99);

    f = (struct failing){.left = 100, .fails_for_good = 1};
    assert_int_equal(run(&source, 1, &e), -EIO);
    assert_non_null(strstr(e.text, "read FILE at"));
    assert_int_equal(stats.latencies.count, 49);
}

/* A source that waits for something outside the queue, and does not know when it will come. */
struct patient {
    uint64_t ready_ns;
    uint64_t questions;
    bool has_given;
};

static enum source_answer next_of_patient(void *context, struct io *io, uint64_t now_ns)
{
    struct patient *p = context;
    p->questions++;
    if (p->has_given)
        return SOURCE_ENDED;
    if (now_ns < p->ready_ns)
        return SOURCE_LATER;
    p->has_given = true;
    io->length = 1;
    return SOURCE_READY;
}

static void a_source_that_waits_for_others_is_asked_with_pauses(void **state)
{
    (void)state;
    struct err e;
    struct patient p = {.ready_ns = virtual_clock.now_ns + SECOND};
    const struct io_source source = {
        .next = next_of_patient, .transferred = transferred, .context = &p};
    assert_int_equal(run(&source, 4, &e), 0);
    assert_int_equal(stats.latencies.count, 1);
    assert_in_range(p.questions, 900, 1100); /* once a millisecond, after the first few */
    assert_in_range(virtual_clock.now_ns - p.ready_ns, 0, 2 * MILLISECOND);
}

int main(void)
{
    struct err e;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(completions_are_seen_while_the_source_is_busy, reset),
        cmocka_unit_test_setup(the_end_of_a_transfer_is_the_start_of_the_next, reset),
        cmocka_unit_test_setup(the_source_decides_what_a_failure_means, reset),
        cmocka_unit_test_setup(a_source_that_waits_for_others_is_asked_with_pauses, reset),
    };
    err_init(&e);
    if (stop_init(&e) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
