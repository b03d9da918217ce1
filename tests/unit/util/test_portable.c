// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/portable.h"

/* Scripts look for these texts in messages, whatever the C library is. */
static void reasons_are_those_of_glibc(void **state)
{
    static const struct {
        int code;
        const char *reason;
    } known[] = {
        {EIO, "Input/output error"},
        {ENOSPC, "No space left on device"},
        {ELOOP, "Too many levels of symbolic links"},
        {EDQUOT, "Disk quota exceeded"},
        {EUCLEAN, "Structure needs cleaning"}, /* a damaged filesystem */
        {EBADE, "Invalid exchange"},
        {EHWPOISON, "Memory page has hardware error"},
        {EILSEQ, "Invalid or incomplete multibyte or wide character"},
        {ENETUNREACH, "Network is unreachable"},
        {ENOTCONN, "Transport endpoint is not connected"},
        {ETIME, "Timer expired"},
        {123456, "unknown error"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_string_equal(portable_reason(known[i].code), known[i].reason);
}

/* The name of the C library, with its version if it tells it. */
static void c_library_has_a_name(void **state)
{
    (void)state;
    char name[32];
    unsigned major = 0, minor = 0;
    portable_c_library(name, sizeof name);
    if (strcmp(name, "musl") == 0)
        return;
    assert_int_equal(sscanf(name, "glibc %u.%u", &major, &minor), 2);
    assert_true(major >= 2);
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* Runs in a child, which can lose no other descriptors. */
static int close_in_the_middle(void)
{
    for (int fd = 10; fd < 20; fd++)
        if (dup2(STDERR_FILENO, fd) != fd)
            return 1;
    if (!portable_close_range(12, 17))
        return 2;
    for (int fd = 10; fd < 20; fd++)
        if (is_open(fd) != (fd < 12 || fd > 17))
            return 3;
    return 0;
}

static void a_range_is_closed(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0)
        _exit(close_in_the_middle());
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void flags_of_a_write_are_passed_on(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    char text[] = "durable", back[sizeof text] = "";
    const struct iovec part = {.iov_base = text, .iov_len = sizeof text};
    ssize_t written = portable_pwritev2(fileno(file), &part, 1, 4096, RWF_DSYNC);
    if (written < 0 && (errno == ENOSYS || errno == EOPNOTSUPP)) {
        fclose(file);
        skip(); /* an emulator that lacks this call */
    }
    assert_int_equal(written, sizeof text);
    assert_int_equal(pread(fileno(file), back, sizeof back, 4096), sizeof back);
    assert_string_equal(back, text);
    assert_int_equal(portable_pwritev2(fileno(file), &part, 1, 0, 1 << 30), -1); /* no such flag */
    assert_int_equal(errno, EOPNOTSUPP);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_are_those_of_glibc),
        cmocka_unit_test(c_library_has_a_name),
        cmocka_unit_test(a_range_is_closed),
        cmocka_unit_test(flags_of_a_write_are_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
