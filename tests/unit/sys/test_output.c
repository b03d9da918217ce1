// SPDX-License-Identifier: GPL-2.0-or-later
/* The report's file: what it takes over from the file that it replaces. tests/cli/output.t tests
 * the rest, on the program. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/output.h"
#include "sys/stop.h"

#define ACL "system.posix_acl_access"

/* linux/posix_acl_xattr.h: version 2, then tag, permissions and id of each entry, little-endian. */
#define ENTRY(tag, permissions, id) tag, 0, permissions, 0, id, id, id, id
static const unsigned char list[] = {2,
                                     0,
                                     0,
                                     0,
                                     ENTRY(0x01, 6, 0xff),
                                     ENTRY(0x02, 4, 0x01),
                                     ENTRY(0x04, 0, 0xff),
                                     ENTRY(0x10, 4, 0xff),
                                     ENTRY(0x20, 0, 0xff)};

struct place {
    char directory[40];
    char path[60];
};

static int set_up(void **state)
{
    struct place *p = calloc(1, sizeof *p);
    strcpy(p->directory, "/tmp/bonnie-test-XXXXXX");
    if (!p || !mkdtemp(p->directory))
        return -1;
    snprintf(p->path, sizeof p->path, "%s/report", p->directory);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    struct place *p = *state;
    unlink(p->path);
    int rc = rmdir(p->directory); /* rmdir() fails if anything else is left */
    free(p);
    return rc;
}

static void make_old(const struct place *p)
{
    int fd = open(p->path, O_WRONLY | O_CREAT | O_EXCL, 0640);
    assert_true(fd >= 0);
    close(fd);
}

static void replace(const struct place *p)
{
    struct output o = {0};
    struct err e;
    err_init(&e);
    assert_int_equal(output_open(&o, p->path, false, &e), 0);
    fputs("report", o.stream);
    assert_int_equal(output_finish(&o, &e), 0);
    output_discard(&o);
}

/* Sets an access list, if the filesystem has them. */
static bool set_list(const char *path, const char *name)
{
    if (setxattr(path, name, list, sizeof list, 0) == 0)
        return true;
    assert_int_equal(errno, EOPNOTSUPP);
    return false;
}

static void keeps_the_access_list(void **state)
{
    const struct place *p = *state;
    unsigned char now[sizeof list + 1];
    struct stat st;
    make_old(p);
    if (!set_list(p->path, ACL))
        skip();
    replace(p);
    assert_int_equal(getxattr(p->path, ACL, now, sizeof now), sizeof list);
    assert_memory_equal(now, list, sizeof list);
    assert_int_equal(stat(p->path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640); /* the group's bits are the mask of the list */
    assert_int_equal(st.st_size, 6);
}

static void takes_no_default_list(void **state)
{
    const struct place *p = *state;
    unsigned char now[sizeof list];
    make_old(p);
    if (!set_list(p->directory, "system.posix_acl_default"))
        skip();
    replace(p);
    assert_int_equal(getxattr(p->path, ACL, now, sizeof now), -1);
    assert_int_equal(errno, ENODATA);
}

static void a_new_one_takes_the_default_list(void **state)
{
    const struct place *p = *state;
    unsigned char now[sizeof list];
    if (!set_list(p->directory, "system.posix_acl_default"))
        skip();
    replace(p);
    assert_int_equal(getxattr(p->path, ACL, now, sizeof now), sizeof list);
}

int main(void)
{
    struct err e;
    err_init(&e);
    if (stop_init(&e) != 0)
        return EXIT_FAILURE;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keeps_the_access_list, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_no_default_list, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_new_one_takes_the_default_list, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
