// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "storage/direct.h"
#include "sys/stop.h"

/* tests/cli/direct.t has the filesystems. Here: what no filesystem of ours can show. */

static struct direct d;

/* Tries it on a file that is not what the sources say. */
static void see(const struct sources *s, const char *directory, int flags)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/bonnie-direct-XXXXXX", directory);
    int made = mkstemp(path);
    assert_true(made >= 0);
    int fd = open(path, flags);
    assert_true(fd >= 0);
    unlink(path);
    close(made);
    d = (struct direct){0};
    direct_see(&d, fd, 0, s);
    close(fd);
}

static const char *temporary(void)
{
    const char *directory = getenv("TMPDIR");
    return directory ? directory : "/tmp";
}

static void assert_seen(enum direct_seen seen, const char *reason)
{
    for (enum way way = 0; way < WAYS; way++) {
        assert_int_equal(d.ways[way].seen, seen);
        assert_string_equal(d.ways[way].reason, reason);
    }
}

/* A server may drop the page and buffer what was written; it may be direct, too. */
static void nothing_is_said_of_servers(void **state)
{
    (void)state;
    static const char *const types[] = {"nfs4", "cifs", "9p", "fuse", "fuse.sshfs", "zfs"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct sources s = {.mount = {.root = ""}};
        char reason[DIRECT_REASON];
        snprintf(s.filesystem, sizeof s.filesystem, "%s", types[i]);
        snprintf(reason, sizeof reason, "nothing shows what %s does with O_DIRECT", types[i]);
        see(&s, temporary(), O_RDWR);
        assert_seen(DIRECT_NOT_KNOWN, reason);
    }
}

/* Without O_DIRECT the page stays, whatever the filesystem. */
static void a_buffered_file_is_not_direct(void **state)
{
    (void)state;
    struct sources s = {.mount = {.root = ""}, .filesystem = "overlay"};
    see(&s, temporary(), O_RDWR);
    assert_int_equal(d.ways[WAY_WRITTEN].seen, DIRECT_NO);
    assert_string_equal(d.ways[WAY_WRITTEN].reason, "overlay buffered the writes");
}

static void what_fails_is_not_known(void **state)
{
    (void)state;
    struct sources s = {.mount = {.root = ""}, .filesystem = "ext4"};
    see(&s, temporary(), O_RDONLY);
    assert_int_equal(d.ways[WAY_WRITTEN].seen, DIRECT_NOT_KNOWN);
    assert_int_equal(strncmp(d.ways[WAY_WRITTEN].reason, "it could not be tried: ", 23), 0);
}

/* A "no" of one way decides, then what is not known. */
static void work_that_reads_and_writes(void **state)
{
    (void)state;
    static const struct {
        enum direct_seen read, written, both;
    } cases[] = {
        {DIRECT_YES, DIRECT_NO, DIRECT_NO},
        {DIRECT_NO, DIRECT_YES, DIRECT_NO},
        {DIRECT_NO, DIRECT_NOT_KNOWN, DIRECT_NO},
        {DIRECT_NOT_KNOWN, DIRECT_YES, DIRECT_NOT_KNOWN},
        {DIRECT_YES, DIRECT_NOT_KNOWN, DIRECT_NOT_KNOWN},
        {DIRECT_YES, DIRECT_YES, DIRECT_YES},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        d.ways[WAY_READ].seen = cases[i].read;
        d.ways[WAY_WRITTEN].seen = cases[i].written;
        assert_int_equal(direct_use_of(&d, true, true).seen, cases[i].both);
        assert_int_equal(direct_use_of(&d, true, false).seen, cases[i].read);
        assert_int_equal(direct_use_of(&d, false, true).seen, cases[i].written);
        assert_true(direct_use_of(&d, true, true).asked);
    }
}

int main(void)
{
    struct err err;
    if (stop_init(&err) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_said_of_servers),
        cmocka_unit_test(a_buffered_file_is_not_direct),
        cmocka_unit_test(what_fails_is_not_known),
        cmocka_unit_test(work_that_reads_and_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
