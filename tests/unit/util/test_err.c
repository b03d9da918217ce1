// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/err.h"

static void starts_empty(void **state)
{
    (void)state;
    struct err e;
    memset(&e, 'x', sizeof e);
    err_init(&e);
    assert_int_equal(e.code, 0);
    assert_string_equal(e.text, "");
}

static void system_error_tells_the_reason(void **state)
{
    (void)state;
    struct err e;
    err_init(&e);
    assert_int_equal(err_system(&e, ENOSPC, "cannot write to %s", "/mnt/file"), -ENOSPC);
    assert_int_equal(e.code, ENOSPC);
    assert_string_equal(e.text, "cannot write to /mnt/file: No space left on device");
}

static void own_error_stands_alone(void **state)
{
    (void)state;
    struct err e;
    err_init(&e);
    assert_int_equal(err_say(&e, "-s: %d is too small", 3), -EINVAL);
    assert_int_equal(e.code, EINVAL);
    assert_string_equal(e.text, "-s: 3 is too small");
}

static void first_error_is_kept(void **state)
{
    (void)state;
    struct err e;
    err_init(&e);
    err_system(&e, EIO, "first");
    assert_int_equal(err_system(&e, ENOENT, "second"), -ENOENT);
    assert_int_equal(err_say(&e, "third"), -EINVAL);
    assert_int_equal(e.code, EIO);
    assert_string_equal(e.text, "first: Input/output error");
}

static void unknown_code_is_told_too(void **state)
{
    (void)state;
    struct err e;
    err_init(&e);
    assert_int_equal(err_system(&e, 99999, "odd"), -99999);
    assert_string_equal(e.text, "odd: unknown error");
}

/* A file name can be longer than the whole line. */
static void long_text_is_cut_before_the_reason(void **state)
{
    (void)state;
    struct {
        struct err e;
        char behind;
    } guarded = {.behind = 'g'};
    char name[4096];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';

    err_init(&guarded.e);
    assert_int_equal(err_system(&guarded.e, EIO, "cannot open %s", name), -EIO);
    assert_true(strlen(guarded.e.text) < sizeof guarded.e.text);
    assert_non_null(strstr(guarded.e.text, "nnn: Input/output error"));
    assert_memory_equal(guarded.e.text, "cannot open nnn", 15);
    assert_int_equal(guarded.behind, 'g');
}

static void a_further_failure_is_added(void **state)
{
    (void)state;
    struct err e;
    struct err further;
    err_init(&e);
    err_init(&further);
    err_append(&e, &further);
    assert_int_equal(e.code, 0);
    err_system(&further, ENOENT, "unlink b");
    err_append(&e, &further);
    assert_int_equal(e.code, ENOENT);
    assert_string_equal(e.text, "unlink b: No such file or directory");
    err_init(&e);
    err_system(&e, EIO, "write a");
    err_append(&e, &further);
    assert_int_equal(e.code, EIO);
    assert_string_equal(e.text, "write a: Input/output error; unlink b: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_empty),
        cmocka_unit_test(system_error_tells_the_reason),
        cmocka_unit_test(own_error_stands_alone),
        cmocka_unit_test(first_error_is_kept),
        cmocka_unit_test(unknown_code_is_told_too),
        cmocka_unit_test(a_further_failure_is_added),
        cmocka_unit_test(long_text_is_cut_before_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
