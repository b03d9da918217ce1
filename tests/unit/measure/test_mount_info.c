// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include "measure/mount_info.h"
#include "support/tree.h"
#include "util/kernel_file.h"

#define MOUNTS                                                                                     \
    "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"                                     \
    "23 22 0:21 / /proc rw - proc proc rw\n"                                                       \
    "123 22 0:45 /home /home\\040-\\040x rw shared:2 master:3 - btrfs /dev/sda rw,subvol=/home\n"  \
    "24 22 0:50 / /merged rw - overlay overlay rw,lowerdir=/a:/b - c\n"                            \
    "25 22 0:51 / /server rw - nfs4 server:/export - it rw,vers=4.2\n"                             \
    "26 22 0:52 / /ssh rw - fuse.sshfs a@b: rw\n"                                                  \
    "27 22 0:53 / /broken rw\n"

static void read_mount(struct mount_info *p, long mount_id)
{
    char *text = kernel_file_whole(tree_root(), "/proc/self/mountinfo");
    mount_info_read_mount(p, text, mount_id);
    free(text);
}

static const char *type_of_mount(long mount_id)
{
    static struct mount_info p;
    p = (struct mount_info){.root = tree_root()};
    read_mount(&p, mount_id);
    return p.filesystem;
}

static void the_type_is_that_of_the_mount(void **state)
{
    (void)state;
    tree_file("proc/self/mountinfo", MOUNTS);
    assert_string_equal(type_of_mount(22), "ext4");
    assert_string_equal(type_of_mount(123), "btrfs");
    assert_string_equal(type_of_mount(24), "overlay");
    assert_string_equal(type_of_mount(25), "nfs4");
    assert_string_equal(type_of_mount(26), "fuse.sshfs");
}

static void without_that_mount_it_is_not_known(void **state)
{
    (void)state;
    assert_string_equal(type_of_mount(22), ""); /* no /proc */
    tree_file("proc/self/mountinfo", MOUNTS);
    assert_string_equal(type_of_mount(27), "");
    assert_string_equal(type_of_mount(2), "");
    assert_string_equal(type_of_mount(-1), "");
}

static const char *options_of_mount(long mount_id)
{
    static struct mount_info p;
    p = (struct mount_info){.root = tree_root()};
    read_mount(&p, mount_id);
    return p.options;
}

/* The options of the mount, then those of the filesystem that are not among them. */
static void the_options_are_of_mount_and_filesystem(void **state)
{
    (void)state;
    assert_string_equal(options_of_mount(22), ""); /* no /proc */
    tree_file("proc/self/mountinfo",
              MOUNTS "30 22 254:1 / /x rw,noatime - xfs /dev/vdb rw,noquota,noatime,swidth=8\n"
                     "31 22 254:1 / /y ro - xfs\n"
                     "32 22 254:1 - xfs /dev/vdb rw\n");
    assert_string_equal(options_of_mount(22), "rw,relatime");
    assert_string_equal(options_of_mount(123), "rw,subvol=/home");
    assert_string_equal(options_of_mount(25), "rw,vers=4.2");
    assert_string_equal(options_of_mount(30), "rw,noatime,noquota,swidth=8");
    assert_string_equal(options_of_mount(31), "ro");
    assert_string_equal(options_of_mount(27), "");
    assert_string_equal(options_of_mount(2), "");
}

static void an_option_is_a_whole_word(void **state)
{
    (void)state;
    struct mount_info p = {.options = "rw,dax=never,subvol=/shutdown"};
    assert_true(mount_info_has(&p, "dax=never"));
    assert_false(mount_info_has(&p, "dax"));
    assert_false(mount_info_has(&p, "shutdown"));
    assert_false(mount_info_has(&p, ""));
}

static void options_that_do_not_fit_end_in_dots(void **state)
{
    (void)state;
    char line[2 * MOUNT_OPTIONS] = "1 0 0:50 / / rw - overlay overlay rw";
    while (strlen(line) < MOUNT_OPTIONS + 100)
        snprintf(line + strlen(line), 32, ",option%zu", strlen(line));
    tree_file("proc/self/mountinfo", line);
    const char *options = options_of_mount(1);
    assert_int_equal(strlen(options), MOUNT_OPTIONS - 1);
    assert_string_equal(options + MOUNT_OPTIONS - 4, "...");
    assert_memory_equal(options, "rw,option", 9);
}

/* A long option leaves room for what follows it. The path of the upper layer is kept apart,
 * whole. */
static void a_long_option_ends_in_dots(void **state)
{
    (void)state;
    char line[2 * MOUNT_OPTIONS + 100] = "1 0 0:50 / / rw - overlay overlay rw,lowerdir=/layer";
    while (strlen(line) < 2 * MOUNT_OPTIONS)
        strcat(line, ":/layer");
    strcat(line, ",upperdir=/a\\040b\\054c/\\134x,volatile\n");
    tree_file("proc/self/mountinfo", line);
    struct mount_info p = {.root = tree_root()};
    read_mount(&p, 1);
    assert_memory_equal(p.options, "rw,volatile,lowerdir=/layer:/layer:", 35);
    assert_non_null(strstr(p.options, "...,upperdir=/a\\040b\\054c/\\134x"));
    assert_string_equal(p.upper_layer, "/a b,c/\\x");
}

/* An overlay may list each of its layers in an option of its own, and what matters after them. */
static void any_number_of_paths_hides_no_option(void **state)
{
    (void)state;
    char line[3 * MOUNT_OPTIONS] = "1 0 0:50 / / rw - overlay overlay rw";
    while (strlen(line) < 2 * MOUNT_OPTIONS)
        snprintf(line + strlen(line), 32, ",lowerdir+=/layer%zu", strlen(line));
    strcat(line, ",upperdir=/upper,volatile\n");
    tree_file("proc/self/mountinfo", line);
    struct mount_info p = {.root = tree_root()};
    read_mount(&p, 1);
    assert_memory_equal(p.options, "rw,volatile,lowerdir+=/layer", 28);
    assert_string_equal(p.options + MOUNT_OPTIONS - 4, "...");
    assert_string_equal(p.upper_layer, "/upper");
}

static bool lacks_journal(const char *filesystem)
{
    struct mount_info p = {.root = tree_root(), .major = 254, .minor = 3};
    snprintf(p.filesystem, sizeof p.filesystem, "%s", filesystem);
    mount_info_find_journal(&p);
    return p.lacks_journal;
}

static void an_ext4_may_lack_a_journal(void **state)
{
    (void)state;
    assert_false(lacks_journal("ext4"));
    tree_link("sys/dev/block/254:3", "../../devices/virtual/block/dm-3");
    assert_false(lacks_journal("ext4"));
    tree_file("sys/fs/ext4/dm-3/journal_task", "<none>\n");
    assert_true(lacks_journal("ext4"));
    assert_false(lacks_journal("xfs"));
    tree_file("sys/fs/ext4/dm-3/journal_task", "414\n");
    assert_false(lacks_journal("ext4"));
}

/* An overlay's line may be much longer than a page. */
static void a_mount_may_have_any_number_of_layers(void **state)
{
    (void)state;
    char full[PATH_MAX];
    snprintf(full, sizeof full, "%s/proc/self/mountinfo", tree_root());
    tree_file("proc/self/mountinfo", "1 0 0:50 / / rw - overlay overlay lowerdir=");
    FILE *out = fopen(full, "a");
    assert_non_null(out);
    for (int i = 0; i < 100000; i++)
        fputs("/layer:", out);
    fputs("\n2 0 0:51 / / rw - tmpfs tmpfs rw\n", out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(type_of_mount(1), "overlay");
    assert_string_equal(type_of_mount(2), "tmpfs");
}

static void the_kernel_says_where_a_directory_is(void **state)
{
    (void)state;
    struct mount_info p;
    int fd = open("/proc/self", O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        skip();
    mount_info_find(&p, fd);
    close(fd);
    assert_string_equal(p.root, "");
    assert_string_equal(p.filesystem, "proc");
    assert_int_equal(p.major, 0);
    assert_string_equal(p.uuid, "");

    struct stat st;
    fd = open(".", O_RDONLY | O_DIRECTORY);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    mount_info_find(&p, fd);
    close(fd);
    assert_int_equal(p.major, major(st.st_dev));
    assert_int_equal(p.minor, minor(st.st_dev));
    assert_string_not_equal(p.filesystem, "");
    assert_true(strlen(p.uuid) == 36 || (!*p.uuid && strcmp(p.filesystem, "btrfs") != 0));

    mount_info_find(&p, -1);
    assert_string_equal(p.filesystem, "");
}

static void whoever_brought_a_mount_is_known(void **state)
{
    (void)state;
    tree_file("proc/self/mountinfo",
              "22 1 254:0 / / rw - ext4 /dev/vda rw\n"
              "30 22 7:0 / /a\\040b rw,nosuid,nodev - ext4 /dev/loop0 rw\n"
              "31 22 7:0 /sub /elsewhere rw,nosuid,nodev - ext4 /dev/loop0 rw\n"
              "32 22 7:1 / /stick rw,nosuid,nodev - vfat /dev/loop1 rw\n"
              "33 22 7:2 / /home rw,nosuid,nodev - ext4 /dev/loop2 rw,note=user_id=7\n"
              "34 22 0:52 / /ssh rw - fuse.sshfs a@b: rw,user_id=1000,group_id=1000\n"
              "35 22 0:53 / /virtio rw - virtiofs v rw\n");
    assert_int_equal(mount_info_maker(tree_root(), 30), 0);
    tree_file("run/mount/utab",
              "SRC=/dev/loop0 TARGET=/a\\040b ROOT=/ OPTS=user=daemon,x-y\n"
              "SRC=/dev/loop1 TARGET=/stick ROOT=/ OPTS=uhelper=udisks2\n"
              "ID=33 SRC=/dev/loop2 TARGET=/home ROOT=/ OPTS=x-user=nobody,_netdev\n");
    assert_int_equal(mount_info_maker(tree_root(), 22), 0);
    assert_int_equal(mount_info_maker(tree_root(), 30), 1); /* daemon */
    assert_int_equal(mount_info_maker(tree_root(), 31), 1); /* the same, mounted again */
    assert_int_equal(mount_info_maker(tree_root(), 32), MOUNT_BY_UNKNOWN);
    assert_int_equal(mount_info_maker(tree_root(), 33), 0);
    assert_int_equal(mount_info_maker(tree_root(), 34), 1000);
    assert_int_equal(mount_info_maker(tree_root(), 35), 0);
    assert_int_equal(mount_info_maker(tree_root(), 99), MOUNT_BY_UNKNOWN); /* not listed */
}

static void the_number_of_a_filesystem_has_a_name(void **state)
{
    (void)state;
    struct statfs fs;
    assert_string_equal(filesystem_name(TMPFS_MAGIC), "tmpfs");
    assert_string_equal(filesystem_name(XFS_SUPER_MAGIC), "xfs");
    assert_string_equal(filesystem_name((unsigned long)(long)(int)BTRFS_SUPER_MAGIC), "btrfs");
    assert_null(filesystem_name(12345));
    if (statfs("/proc", &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC)
        assert_string_equal(filesystem_name((unsigned long)fs.f_type), "proc");
}

#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TREE(the_type_is_that_of_the_mount),
        IN_TREE(without_that_mount_it_is_not_known),
        IN_TREE(the_options_are_of_mount_and_filesystem),
        IN_TREE(whoever_brought_a_mount_is_known),
        cmocka_unit_test(an_option_is_a_whole_word),
        IN_TREE(options_that_do_not_fit_end_in_dots),
        IN_TREE(a_long_option_ends_in_dots),
        IN_TREE(any_number_of_paths_hides_no_option),
        IN_TREE(an_ext4_may_lack_a_journal),
        IN_TREE(a_mount_may_have_any_number_of_layers),
        cmocka_unit_test(the_number_of_a_filesystem_has_a_name),
        cmocka_unit_test(the_kernel_says_where_a_directory_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
