// SPDX-License-Identifier: GPL-2.0-or-later
/* Which operations are the slowest, and what is said about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tail/summary.h"

static struct histogram latencies; /* too large for a stack */
static struct tail_slowest slowest;

static void begin(void)
{
    histogram_clear(&latencies);
    slowest.count = 0;
}

static void do_fast(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        histogram_record(&latencies, 100);
}

static void do_slow(uint64_t start_ns, uint64_t latency_ns, enum tail_cause cause)
{
    const struct tail_record r = {.start_ns = start_ns, .latency_ns = latency_ns, .cause = cause};
    histogram_record(&latencies, latency_ns);
    tail_slowest_add(&slowest, &r);
}

static void the_slowest_are_kept(void **state)
{
    (void)state;
    begin();
    for (uint64_t i = 0; i < 3 * MAX_TAIL; i++) {
        const struct tail_record r = {.latency_ns = 1 + i * 7919 % (3 * MAX_TAIL)};
        tail_slowest_add(&slowest, &r);
    }
    assert_int_equal(slowest.count, MAX_TAIL);
    assert_int_equal(tail_slowest_least(&slowest), 2 * MAX_TAIL + 1);
}

static void the_words(void **state)
{
    (void)state;
    struct label_text words = {""};
    struct tail_summary s = {.is_wanted = true, .note = ""};
    begin();
    do_fast(99900);
    for (uint64_t i = 0; i < 100; i++)
        do_slow(2000 - i, 8100000 + i, i < 71 ? CAUSE_DEVICE : i < 98 ? CAUSE_FLUSH : CAUSE_CPU);
    assert_int_equal(tail_summary_make(&s, &slowest, &latencies, 1901), 0);
    tail_summary_words(&words, &s, "");
    assert_string_equal(words.text, "of the slowest 100 (above 100 ns): 71 waited for the device "
                                    "itself; 27 behind a flush; 2 for a CPU.");
    assert_int_equal(s.examined, 100);
    assert_int_equal(s.records[0].start_ns, 0); /* in the order of time, from the start */
    assert_int_equal(s.records[99].start_ns, 99);
    tail_summary_release(&s);
}

static void what_was_not_examined_is_told(void **state)
{
    (void)state;
    struct label_text words = {""};
    struct tail_summary s = {.is_wanted = true, .note = "only root can look"};
    begin();
    do_fast(99990);
    for (uint64_t i = 0; i < 6; i++)
        do_slow(i, 8100000, CAUSE_UNKNOWN);
    for (uint64_t i = 0; i < 94; i++)
        histogram_record(&latencies, 9000000);
    slowest.records[0].is_lost = true;
    tail_summary_make(&s, &slowest, &latencies, 0);
    tail_summary_words(&words, &s, "");
    assert_string_equal(words.text,
                        "of the slowest 100 (above 100 ns): 6 for reasons not known. Only 6 of "
                        "these 100 could be examined. Events were lost: the causes of 1 of these "
                        "operations are not known.");
    tail_summary_release(&s);
}

static void what_is_faster_than_the_slowest_is_left_out(void **state)
{
    (void)state;
    struct tail_summary s = {.is_wanted = true, .note = ""};
    begin();
    do_fast(100000);
    for (uint64_t i = 0; i < 200; i++)
        histogram_record(&latencies, 9000000); /* the workers told of none of them */
    do_slow(0, 5000, CAUSE_CPU);
    tail_summary_make(&s, &slowest, &latencies, 0);
    assert_int_equal(s.slowest, 100);
    assert_int_equal(s.examined, 0);
    tail_summary_release(&s);
}

static void more_are_examined_than_are_explained(void **state)
{
    (void)state;
    begin();
    assert_int_equal(tail_slow_from(&latencies), 0);
    for (uint64_t i = 1; i <= 40; i++)
        histogram_record(&latencies, i);
    assert_int_equal(tail_slow_from(&latencies), 0); /* there are so few that all are examined */
    for (uint64_t i = 41; i <= 1000; i++)
        histogram_record(&latencies, i);
    assert_int_equal(tail_slow_from(&latencies), 950); /* so that ten can be explained */
    begin();
    do_fast(99000);
    for (uint64_t i = 0; i < 1000; i++)
        histogram_record(&latencies, i < 500 ? 500 : 900); /* so that a hundred can be explained */
    assert_int_equal(tail_slow_from(&latencies), 500);
}

static void few_operations_are_all_explained(void **state)
{
    (void)state;
    struct tail_summary s = {.is_wanted = true, .note = ""};
    begin();
    for (uint64_t i = 0; i < 4; i++)
        do_slow(i, 1000 + i, CAUSE_DEVICE);
    tail_summary_make(&s, &slowest, &latencies, 0);
    assert_int_equal(s.slowest, 4);
    assert_int_equal(s.examined, 4);
    assert_int_equal(s.by_cause[CAUSE_DEVICE], 4);
    tail_summary_release(&s);
}

static void nothing_is_said_where_nobody_asked(void **state)
{
    (void)state;
    struct label_text words = {""};
    const struct tail_summary unwanted = {.ops = 5, .note = ""};
    const struct tail_summary empty = {.is_wanted = true, .note = ""};
    tail_summary_words(&words, &unwanted, "");
    assert_string_equal(words.text, "");
    tail_summary_words(&words, &empty, "");
    assert_string_equal(words.text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slowest_are_kept),
        cmocka_unit_test(the_words),
        cmocka_unit_test(what_was_not_examined_is_told),
        cmocka_unit_test(what_is_faster_than_the_slowest_is_left_out),
        cmocka_unit_test(more_are_examined_than_are_explained),
        cmocka_unit_test(few_operations_are_all_explained),
        cmocka_unit_test(nothing_is_said_where_nobody_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
