// SPDX-License-Identifier: GPL-2.0-or-later
/* What the program says of the dropper's answers. The test itself is at the dropper's end. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/cache_dropper.h"
#include "sys/stop.h"
#include "util/portable.h"

struct dropper {
    int socket;
    unsigned late; /* answers with other numbers before the right one */
    bool ends;     /* does not answer */
    uint64_t code;
};

static void *answer(void *context)
{
    const struct dropper *d = context;
    struct dropper_answer right = {.code = d->code};
    const struct dropper_answer wrong = {.request = 1, .code = EIO};
    assert_int_equal(read(d->socket, &right.request, sizeof right.request), sizeof right.request);
    for (unsigned i = 0; i < d->late; i++)
        assert_int_equal(write(d->socket, &wrong, sizeof wrong), sizeof wrong);
    if (!d->ends)
        assert_int_equal(write(d->socket, &right, sizeof right), sizeof right);
    shutdown(d->socket, SHUT_WR);
    return NULL;
}

/* Asks for a drop of this dropper. */
static int drop(struct dropper d, struct err *e)
{
    int ends[2];
    pthread_t thread;
    err_init(e);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    d.socket = ends[1];
    assert_int_equal(pthread_create(&thread, NULL, answer, &d), 0);
    int rc = cache_dropper_drop(&(struct helper){.pid = 1, .socket = ends[0]}, e);
    pthread_join(thread, NULL);
    close(ends[0]);
    close(ends[1]);
    return rc;
}

static void zero_is_success(void **state)
{
    (void)state;
    struct err e;
    assert_int_equal(drop((struct dropper){.code = 0}, &e), 0);
    assert_int_equal(e.code, 0);
    assert_string_equal(e.text, "");
}

static void a_failed_drop_is_reported(void **state)
{
    (void)state;
    struct err e;
    char expected[128];
    snprintf(expected, sizeof expected, "write to /proc/sys/vm/drop_caches: %s",
             portable_reason(EIO));
    assert_int_equal(drop((struct dropper){.code = EIO}, &e), -EIO);
    assert_string_equal(e.text, expected);
}

/* They belong to drops that somebody has stopped waiting for. */
static void late_answers_are_left_out(void **state)
{
    (void)state;
    struct err e;
    assert_int_equal(drop((struct dropper){.late = 3}, &e), 0);
    assert_int_not_equal(drop((struct dropper){.late = 3, .ends = true}, &e), 0);
    assert_string_equal(e.text, "the process that drops the caches has died");
}

static void no_answer_is_reported(void **state)
{
    (void)state;
    struct err e;
    assert_int_not_equal(drop((struct dropper){.ends = true}, &e), 0);
    assert_string_equal(e.text, "the process that drops the caches has died");
}

static int prepare_stop(void **state)
{
    (void)state;
    struct err e = {0};
    return stop_init(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_is_success),
        cmocka_unit_test(a_failed_drop_is_reported),
        cmocka_unit_test(late_answers_are_left_out),
        cmocka_unit_test(no_answer_is_reported),
    };
    return cmocka_run_group_tests(tests, prepare_stop, NULL);
}
