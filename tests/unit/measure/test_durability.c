// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/device.h"
#include "measure/durability.h"
#include "measure/mount_info.h"
#include "support/tree.h"

/* What a filesystem with these options says, on the device 8:1 if that is in the tree. */
static struct durability judge(const char *filesystem, const char *options)
{
    static struct mount_info mount;
    struct durability d;
    mount = (struct mount_info){.root = tree_root(), .major = 8, .minor = 1};
    snprintf(mount.filesystem, sizeof mount.filesystem, "%s", filesystem);
    snprintf(mount.options, sizeof mount.options, "%s", options);
    durability_of_mount(&d, &mount);
    return d;
}

/* Makes the drive 8:1. */
static void make_drive(const char *name, const char *cache)
{
    char path[128];
    char target[128];
    snprintf(target, sizeof target, "../../devices/%s", name);
    snprintf(path, sizeof path, "sys/devices/%s/queue/write_cache", name);
    tree_file(path, cache);
    tree_link("sys/dev/block/8:1", target);
}

struct case_of {
    const char *filesystem;
    const char *options;
    enum durability_kind kind;
    const char *what;
};

static void the_mount_says_so(void **state)
{
    (void)state;
    static const struct case_of cases[] = {
        {"tmpfs", "rw,size=1g", DURABILITY_NONE, "tmpfs"},
        {"ramfs", "rw", DURABILITY_NONE, "ramfs"},
        {"ext4", "rw,relatime,barrier=0", DURABILITY_NONE, "barrier=0"},
        {"ext4", "rw,relatime,nobarrier", DURABILITY_NONE, "nobarrier"},
        {"ext4", "rw,relatime", DURABILITY_OPEN, ""},
        {"ext4", "rw,barrier=1", DURABILITY_OPEN, ""},
        {"btrfs", "rw,nobarrier", DURABILITY_NONE, "nobarrier"},
        {"f2fs", "rw,fsync_mode=nobarrier", DURABILITY_NONE, "fsync_mode=nobarrier"},
        {"f2fs", "rw,fsync_mode=posix", DURABILITY_OPEN, ""},
        {"bcachefs", "rw,journal_flush_disabled", DURABILITY_NONE, "journal_flush_disabled"},
        {"overlay", "rw,lowerdir=/a,volatile", DURABILITY_NONE, "volatile"},
        {"overlay", "rw,lowerdir=/a:/b,volatile", DURABILITY_NONE, "volatile"},
        {"overlay", "rw,lowerdir=/a,fsync=volatile", DURABILITY_NONE, "fsync=volatile"},
        {"overlay", "rw,lowerdir=/a,fsync=strict", DURABILITY_HIDDEN, "overlay"},
        {"nfs4", "rw,vers=4.2", DURABILITY_HIDDEN, "nfs4"},
        {"fuse.sshfs", "rw", DURABILITY_HIDDEN, "fuse.sshfs"},
        {"fuseblk", "rw", DURABILITY_HIDDEN, "fuseblk"},
        {"xfs", "rw,swidth=8", DURABILITY_OPEN, ""},
        {"", "", DURABILITY_OPEN, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct durability d = judge(cases[i].filesystem, cases[i].options);
        assert_int_equal(d.kind, cases[i].kind);
        assert_string_equal(d.what, cases[i].what);
        assert_true(!d.why == !*d.what);
    }
}

/* Without flushes, only what is in a cache is lost. */
static void a_drive_without_a_cache_needs_no_flush(void **state)
{
    (void)state;
    make_drive("sda", "write through\n");
    assert_int_equal(judge("ext4", "rw,nobarrier").kind, DURABILITY_OPEN);
    assert_string_equal(judge("ext4", "rw,nobarrier").what, "nobarrier");
    assert_int_equal(judge("overlay", "rw,volatile").kind, DURABILITY_NONE);
    tree_file("sys/devices/sda/queue/write_cache", "write back\n");
    assert_int_equal(judge("ext4", "rw,nobarrier").kind, DURABILITY_NONE);
    assert_int_equal(judge("ext4", "rw").kind, DURABILITY_OPEN);
}

static void a_drive_may_be_memory(void **state)
{
    (void)state;
    make_drive("zram0", "write back\n");
    struct durability d = judge("ext4", "rw");
    assert_int_equal(d.kind, DURABILITY_NONE);
    assert_string_equal(d.what, "zram0");
    tree_unlink("sys/dev/block/8:1");
    make_drive("pmem0", "write back\n");
    assert_int_equal(judge("ext4", "rw,dax=always").kind, DURABILITY_OPEN);
}

/* Nothing is said of others' writes, of commits that share a flush, or of what is not counted. */
static void syncs_may_reach_nothing(void **state)
{
    (void)state;
    const struct device_counters nothing = {.known = true, .knows_stores = true};
    struct device_counters some = nothing;
    assert_true(durability_is_pretended(&nothing, 20, 1));
    assert_false(durability_is_pretended(&nothing, 1, 1)); /* it may share what was before */
    assert_false(durability_is_pretended(&nothing, 8, 8));
    assert_false(durability_is_pretended(&nothing, 20, 0));
    assert_false(durability_is_pretended(&nothing, 0, 1));
    some.drive_stores = some.write_ops = 9;
    assert_true(durability_is_pretended(&some, 20, 1));
    some.drive_stores = 40; /* of others, beside a filesystem that writes nothing */
    assert_true(durability_is_pretended(&some, 20, 1));
    some.write_ops = 20;
    assert_false(durability_is_pretended(&some, 20, 1));
    some.drive_stores = 0; /* a filesystem writes, and its loop loses that */
    assert_true(durability_is_pretended(&some, 20, 1));
    some.knows_stores = false;
    assert_false(durability_is_pretended(&some, 20, 1));
    some = nothing;
    some.known = false;
    assert_false(durability_is_pretended(&some, 20, 1));
}

#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TREE(the_mount_says_so),
        IN_TREE(a_drive_without_a_cache_needs_no_flush),
        IN_TREE(a_drive_may_be_memory),
        cmocka_unit_test(syncs_may_reach_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
