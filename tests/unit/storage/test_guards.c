// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "storage/guards.h"
#include "support/tree.h"

/* Disk sda (8:0) with the partitions sda1 and sda2, and disk sdb (8:16), in the forms of the kernel
 * (Documentation/ABI/stable/sysfs-block). This machine has no md and no dm. */
#define DISK "sys/devices/pci0000:00/host0/block/sda"

static void make_disks(void)
{
    tree_file(DISK "/dev", "8:0\n");
    tree_file(DISK "/sda1/dev", "8:1\n");
    tree_file(DISK "/sda1/partition", "1\n");
    tree_file(DISK "/sda2/dev", "8:2\n");
    tree_file(DISK "/sda2/partition", "2\n");
    tree_file(DISK "/queue/rotational", "0\n");
    tree_file("sys/devices/pci0000:00/host1/block/sdb/dev", "8:16\n");
    tree_link("sys/dev/block/8:0", "../../devices/pci0000:00/host0/block/sda");
    tree_link("sys/dev/block/8:1", "../../devices/pci0000:00/host0/block/sda/sda1");
    tree_link("sys/dev/block/8:2", "../../devices/pci0000:00/host0/block/sda/sda2");
    tree_link("sys/dev/block/8:16", "../../devices/pci0000:00/host1/block/sdb");
    tree_file("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n");
    tree_file("proc/self/mountinfo", "25 1 8:17 / / rw - ext4 /dev/sdb1 rw\n");
}

/* Asks for the device 8:MINOR. NULL: it may be written to. */
static void expect(unsigned minor_number, const char *name, const char *refusal)
{
    struct guarded g = {.root = tree_root(),
                        .option = "-w",
                        .name = name,
                        .facts = {.st_mode = S_IFBLK, .st_rdev = makedev(8, minor_number)}};
    struct err e = {0};
    snprintf(g.path, sizeof g.path, "%s", name);
    int rc = guards_refuse(&g, &e);
    assert_string_equal(e.text, refusal ? refusal : "");
    assert_int_equal(rc != 0, refusal != NULL);
}

#define BUSY ": Device or resource busy"

static void test_unused(void **state)
{
    (void)state;
    make_disks();
    expect(0, "/dev/sda", NULL);
    expect(1, "/dev/sda1", NULL);
    expect(16, "/dev/sdb", NULL); /* the names of others begin like its own */
    tree_file("sys/block/loop0/loop/backing_file", "/dev/sda10\n");
    expect(1, "/dev/sda1", NULL);
    expect(99, "/dev/gone", NULL);
}

static void test_held(void **state)
{
    (void)state;
    make_disks();
    tree_link(DISK "/sda2/holders/md0", "../../../md0");
    expect(2, "/dev/sda2", "-w: /dev/sda2 is a part of md0" BUSY);
    expect(0, "/dev/sda", "-w: sda2 on /dev/sda is a part of md0" BUSY);
    expect(1, "/dev/sda1", NULL); /* its neighbour has none of its bytes */
    tree_link(DISK "/holders/dm-3", "../../../dm-3");
    expect(1, "/dev/sda1", "-w: sda below /dev/sda1 is a part of dm-3" BUSY);
}

static void test_mounted(void **state)
{
    (void)state;
    make_disks();
    tree_file("proc/self/mountinfo", "25 1 8:1 / / rw - ext4 /dev/root rw\n");
    expect(1, "/dev/sda1", "-w: /dev/sda1 is mounted on /" BUSY);
    expect(0, "/dev/sda", "-w: sda1 on /dev/sda is mounted on /" BUSY);
    expect(2, "/dev/sda2", NULL);
    tree_file("proc/swaps", "Filename\tType\n/dev/sda2 partition 1 0 -2\n");
    expect(2, "/dev/sda2", "-w: /dev/sda2 is used as swap" BUSY);
}

static void test_looped(void **state)
{
    (void)state;
    make_disks();
    tree_file("sys/block/loop7/loop/backing_file", "/dev/sda\n");
    expect(0, "/dev/sda", "-w: /dev/loop7 uses /dev/sda" BUSY);
    expect(2, "/dev/sda2", "-w: /dev/loop7 uses sda below /dev/sda2" BUSY);
    tree_file("sys/block/loop7/loop/backing_file", "/dev/sda1\n");
    expect(0, "/dev/sda", "-w: /dev/loop7 uses sda1 on /dev/sda" BUSY);
    tree_file("sys/block/loop7/loop/backing_file", "/tmp/node\n");
    expect(0, "/tmp/node", "-w: /dev/loop7 uses /tmp/node" BUSY);
    expect(0, "/dev/sda", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_unused, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(test_held, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(test_mounted, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(test_looped, tree_make, tree_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
