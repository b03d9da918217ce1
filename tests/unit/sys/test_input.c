// SPDX-License-Identifier: GPL-2.0-or-later
/* What comes out of a file that the user has named: all of it, however it comes, or nothing. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/input.h"
#include "sys/stop.h"

#define LONG_TEXT 300007 /* bytes: several times the room that a text gets first */

static void fill(char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)(i * 7 + i / 251);
}

/* Reads a file with the first `length` bytes of fill(), and checks what comes and how much. */
static void check_file(size_t length, size_t most, size_t expected)
{
    char *given = malloc(length + 1);
    char *text;
    size_t got;
    struct err e;
    int fd = memfd_create("given", MFD_CLOEXEC);
    err_init(&e);
    assert_non_null(given);
    fill(given, length);
    assert_int_equal(pwrite(fd, given, length, 0), length);
    assert_int_equal(input_contents(fd, "read", "given", most, &text, &got, &e), 0);
    assert_int_equal(got, expected);
    assert_memory_equal(text, given, expected);
    assert_int_equal(text[expected], '\0');
    free(text);
    free(given);
    close(fd);
}

static void files_of_all_sizes(void **state)
{
    (void)state;
    check_file(0, 100, 0);
    check_file(1, 100, 1);
    check_file(65535, SIZE_MAX / 2, 65535);
    check_file(65536, SIZE_MAX / 2, 65536);
    check_file(LONG_TEXT, SIZE_MAX / 2, LONG_TEXT);
}

static void no_more_than_was_asked_for(void **state)
{
    (void)state;
    check_file(100, 0, 0);
    check_file(100, 99, 99);
    check_file(100, 100, 100);
    check_file(LONG_TEXT, 65537, 65537);
    check_file(LONG_TEXT, LONG_TEXT - 1, LONG_TEXT - 1);
}

static void open_pipe(int ends[2])
{
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
}

static void *write_in_pieces(void *end)
{
    static char given[LONG_TEXT];
    int fd = (int)(intptr_t)end;
    fill(given, sizeof given);
    for (size_t done = 0, length = 1; done < sizeof given;
         done += length, length = 2 * length + 1) {
        if (length > sizeof given - done)
            length = sizeof given - done;
        for (size_t part = 0; part < length;) {
            ssize_t written = write(fd, given + done + part, length - part);
            part += written > 0 ? (size_t)written : 0;
        }
    }
    close(fd);
    return NULL;
}

static void a_pipe_that_is_written_in_pieces(void **state)
{
    static char given[LONG_TEXT];
    int ends[2];
    char *text;
    size_t got;
    pthread_t writer;
    struct err e;
    (void)state;
    err_init(&e);
    open_pipe(ends);
    assert_int_equal(pthread_create(&writer, NULL, write_in_pieces, (void *)(intptr_t)ends[1]), 0);
    int rc = input_contents(ends[0], "read", "pipe", SIZE_MAX / 2, &text, &got, &e);
    pthread_join(writer, NULL);
    close(ends[0]);
    assert_int_equal(rc, 0);
    fill(given, sizeof given);
    assert_int_equal(got, LONG_TEXT);
    assert_memory_equal(text, given, LONG_TEXT);
    free(text);
}

static void *request_stop_when_read(void *end)
{
    int unread = 1;
    while (ioctl((int)(intptr_t)end, FIONREAD, &unread) == 0 && unread > 0)
        usleep(1000);
    stop_request();
    return NULL;
}

/* The writer has written something and stays silent. */
static void a_stop_while_a_pipe_is_silent(void **state)
{
    int ends[2];
    char *text;
    size_t got;
    pthread_t other;
    struct err e;
    (void)state;
    err_init(&e);
    open_pipe(ends);
    assert_int_equal(write(ends[1], "begun", 5), 5);
    assert_int_equal(
        pthread_create(&other, NULL, request_stop_when_read, (void *)(intptr_t)ends[0]), 0);
    int rc = input_contents(ends[0], "read", "pipe", SIZE_MAX / 2, &text, &got, &e);
    pthread_join(other, NULL);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(rc, -EINTR);
    assert_null(text);
}

static void what_cannot_be_read(void **state)
{
    char *text;
    size_t got;
    struct err e;
    (void)state;
    err_init(&e);
    assert_int_equal(input_read("read", "/proc/self", 100, &text, &got, &e), -EISDIR);
    assert_string_equal(e.text, "read /proc/self: Is a directory");
    assert_null(text);
    err_init(&e);
    assert_int_equal(input_read("read", "/none", 100, &text, &got, &e), -ENOENT);
    assert_string_equal(e.text, "read /none: No such file or directory");
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_all_sizes),
        cmocka_unit_test(no_more_than_was_asked_for),
        cmocka_unit_test(a_pipe_that_is_written_in_pieces),
        cmocka_unit_test(what_cannot_be_read),
        cmocka_unit_test(a_stop_while_a_pipe_is_silent), /* the last: the request stays */
    };
    struct err e;
    err_init(&e);
    if (stop_init(&e) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
