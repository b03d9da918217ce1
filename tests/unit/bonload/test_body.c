#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bonload/targets/body.h"
#include "util/units.h"

static void a_generation_keeps_the_size(void **state)
{
    static const uint64_t sizes[] = {0, 1, 4096, GIB, TIB - 1, TIB};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t number = 1; number < 1000; number += 7)
            assert_int_equal(body_size(body_generation(number, sizes[i])), sizes[i]);
}

static void each_write_has_its_own(void **state)
{
    (void)state;
    assert_int_not_equal(body_generation(1, TIB), body_generation(2, TIB));
    assert_int_not_equal(body_generation(1, TIB), body_generation(2, 0));
    assert_int_not_equal(body_generation(UINT64_MAX, TIB), PATTERN_ANY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_generation_keeps_the_size),
        cmocka_unit_test(each_write_has_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
