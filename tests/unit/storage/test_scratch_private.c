// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "storage/scratch.h"

#define HIDDEN "private/.fuse_hidden0000000100000001"

static char top[] = "/tmp/bonnie-test-XXXXXX";
static int parent_fd, fd;

static int set_up(void **state)
{
    (void)state;
    parent_fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (mkdirat(parent_fd, "private", 0700) != 0)
        return -1;
    fd = directory_open(parent_fd, "private");
    return fd < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlinkat(parent_fd, HIDDEN, 0);
    unlinkat(parent_fd, "private/file", 0);
    unlinkat(parent_fd, "private", AT_REMOVEDIR);
    close(fd);
    return close(parent_fd);
}

static int make_top(void **state)
{
    (void)state;
    return mkdtemp(top) ? 0 : -1;
}

static int remove_top(void **state)
{
    (void)state;
    return rmdir(top);
}

static void make_file(const char *name)
{
    int file = openat(parent_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    close(file);
}

static void the_state_says_what_is_in_it(void **state)
{
    (void)state;
    assert_int_equal(directory_state(fd, NULL), DIRECTORY_EMPTY);
    make_file(HIDDEN);
    assert_int_equal(directory_state(fd, NULL), DIRECTORY_VANISHING);
    make_file("private/file");
    assert_int_equal(directory_state(fd, NULL), DIRECTORY_IN_USE);
    unlinkat(parent_fd, HIDDEN, 0);
    assert_int_equal(directory_state(fd, NULL), DIRECTORY_IN_USE);
    unlinkat(parent_fd, "private/file", 0);
    unlinkat(parent_fd, "private", AT_REMOVEDIR);
    assert_int_equal(directory_state(fd, NULL), DIRECTORY_REMOVED);
}

/* The file vanishes later than the directory would wait for any other. */
static void removal_waits_for_a_file_that_vanishes(void **state)
{
    (void)state;
    make_file(HIDDEN);
    pid_t server = fork();
    assert_true(server >= 0);
    if (server == 0) {
        nanosleep(&(const struct timespec){.tv_sec = 2}, NULL);
        _exit(unlinkat(parent_fd, HIDDEN, 0) != 0);
    }
    int rc = private_directory_remove(parent_fd, "private", fd);
    int status;
    assert_int_equal(waitpid(server, &status, 0), server);
    assert_int_equal(status, 0);
    assert_int_equal(rc, 0);
    assert_int_equal(faccessat(parent_fd, "private", F_OK, 0), -1);
}

static void removal_leaves_a_file_that_stays(void **state)
{
    (void)state;
    make_file("private/file");
    assert_int_equal(private_directory_remove(parent_fd, "private", fd), -ENOTEMPTY);
    assert_int_equal(faccessat(parent_fd, "private/file", F_OK, 0), 0);
}

static void removal_leaves_what_was_moved(void **state)
{
    (void)state;
    assert_int_equal(renameat(parent_fd, "private", parent_fd, "moved"), 0);
    assert_int_equal(private_directory_remove(parent_fd, "private", fd), -ESTALE);
    assert_int_equal(renameat(parent_fd, "moved", parent_fd, "private"), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_state_says_what_is_in_it),
        TEST(removal_waits_for_a_file_that_vanishes),
        TEST(removal_leaves_a_file_that_stays),
        TEST(removal_leaves_what_was_moved),
    };
    return cmocka_run_group_tests(tests, make_top, remove_top);
}
