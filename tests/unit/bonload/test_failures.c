#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "bonload/result/result.h"
#include "bonload/stats/failures.h"

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
    for (unsigned i = 0; i < FAILURES_MOST; i++)
        sum += f.list[i].count;
    assert_int_equal(sum, FAILURES_MOST * (FAILURES_MOST + 1) / 2);
    assert_int_equal(f.others[LOAD_WRITE], 0);
    assert_int_equal(sum + f.others[LOAD_READ], KINDS * (KINDS + 1) / 2);
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
        cmocka_unit_test(beyond_the_room_they_are_counted_together),
        cmocka_unit_test(so_are_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
