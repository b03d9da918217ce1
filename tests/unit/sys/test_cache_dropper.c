// SPDX-License-Identifier: GPL-2.0-or-later
/* What the program says of the dropper's answers. The test itself is at the dropper's end. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/cache_dropper.h"
#include "util/portable.h"

/* Asks for a drop that is answered by these bytes, and then by the end of the dropper. */
static int drop(const char *answer, size_t bytes, struct err *e)
{
    int ends[2];
    struct helper d = {.pid = 1};
    err_init(e);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    d.socket = ends[0];
    assert_int_equal(write(ends[1], answer, bytes), bytes);
    shutdown(ends[1], SHUT_WR);
    int rc = cache_dropper_drop(&d, e);
    close(ends[0]);
    close(ends[1]);
    return rc;
}

static void zero_is_success(void **state)
{
    (void)state;
    struct err e;
    assert_int_equal(drop("", 1, &e), 0);
    assert_int_equal(e.code, 0);
    assert_string_equal(e.text, "");
}

static void a_failed_drop_is_reported(void **state)
{
    (void)state;
    struct err e;
    const char answer = EIO;
    char expected[128];
    snprintf(expected, sizeof expected, "write to /proc/sys/vm/drop_caches: %s",
             portable_reason(EIO));
    assert_int_equal(drop(&answer, 1, &e), -EIO);
    assert_string_equal(e.text, expected);
}

static void no_answer_is_reported(void **state)
{
    (void)state;
    struct err e;
    assert_int_not_equal(drop("", 0, &e), 0);
    assert_string_equal(e.text, "the process that drops the caches has died");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_is_success),
        cmocka_unit_test(a_failed_drop_is_reported),
        cmocka_unit_test(no_answer_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
