// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "bonload/load/recorder.h"
#include "bonload/report/report.h"

#define KINDS 100

/* The reported numbers add up to all failures, however many kinds there are. */
static void beyond_the_room_they_are_counted_together(void **state)
{
    static struct failures f;
    uint64_t sum = 0;
    (void)state;
    for (uint32_t code = 1; code <= KINDS; code++)
        for (uint32_t i = 0; i < code; i++)
            failures_note(&f, LOAD_READ, code, i);
    for (unsigned i = 0; i < MAX_FAILURES; i++)
        sum += f.list[i].count;
    assert_int_equal(sum, MAX_FAILURES * (MAX_FAILURES + 1) / 2);
    assert_int_equal(f.others[LOAD_WRITE], 0);
    assert_int_equal(sum + f.others[LOAD_READ], KINDS * (KINDS + 1) / 2);
}

/* The longest failure of a step is one of its own. */
static void those_of_a_step_are_its_own(void **state)
{
    static struct recorder r;
    static struct tally before, step;
    const struct recorder_rules rules = {.limit_ns = UINT64_MAX};
    (void)state;
    recorder_add(&r, &rules, &(struct request){.failure = 1}, 1120000000, 0);
    before = r.tallies[LOAD_WRITE];
    for (uint64_t ms = 1; ms <= 3; ms++)
        recorder_add(&r, &rules, &(struct request){.failure = 1}, ms * 100000000, 0);
    tally_subtract(&step, &r.tallies[LOAD_WRITE], &before);
    assert_int_equal(step.failed.count, 3);
    assert_int_equal(step.failed.sum, 600000000);
    assert_in_range(step.failed.maximum, 299000000, 301000000);
}

static void so_are_texts(void **state)
{
    static struct reasons_found r;
    uint64_t sum = 0;
    (void)state;
    for (unsigned i = 1; i <= KINDS; i++) {
        char text[32];
        snprintf(text, sizeof text, "reason %u", i);
        reasons_add(&r, LOAD_WRITE, text, i);
    }
    for (size_t i = 0; i < r.count; i++)
        sum += r.list[i].count;
    assert_int_equal(sum + r.others[LOAD_WRITE], KINDS * (KINDS + 1) / 2);
    assert_int_equal(r.others[LOAD_READ], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_of_a_step_are_its_own),
        cmocka_unit_test(beyond_the_room_they_are_counted_together),
        cmocka_unit_test(so_are_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
