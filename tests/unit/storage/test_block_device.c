// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "storage/block_device.h"
#include "support/tree.h"

/* Devices that this machine does not have, in the forms of Documentation/ABI/stable/sysfs-block. */

static struct block_device d;

/* Looks at 8:MINOR, and expects this text, or NULL. */
static void look(unsigned minor_number, bool writes, const char *refusal)
{
    struct err e = {0};
    d = (struct block_device){
        .name = "/dev/sda",
        .writes = writes,
        .place.facts = {.st_mode = S_IFBLK, .st_rdev = makedev(8, minor_number)}};
    int rc = block_device_look(&d, tree_root(), &e);
    assert_string_equal(e.text, refusal ? refusal : "");
    assert_int_equal(rc != 0, refusal != NULL);
}

#define DISK "sys/devices/pci0000:00/host0/block/sda"

static void make_disk(void)
{
    tree_file(DISK "/size", "2097152\n");
    tree_file(DISK "/ro", "0\n");
    tree_file(DISK "/diskseq", "9\n");
    tree_file(DISK "/queue/zoned", "none\n");
    tree_file(DISK "/sda1/size", "2048\n");
    tree_file(DISK "/sda1/ro", "0\n");
    tree_link("sys/dev/block/8:0", "../../devices/pci0000:00/host0/block/sda");
    tree_link("sys/dev/block/8:1", "../../devices/pci0000:00/host0/block/sda/sda1");
}

static void test_sizes(void **state)
{
    (void)state;
    make_disk();
    look(0, true, NULL);
    assert_int_equal(d.bytes, 1 << 30);
    assert_string_equal(d.sequence, "9");
    look(1, true, NULL);
    assert_int_equal(d.bytes, 1 << 20);
    assert_string_equal(d.sequence, "9"); /* of its disk */
}

static void test_refused(void **state)
{
    (void)state;
    make_disk();
    look(5, false, "/dev/sda: no driver has this device: No such device or address");
    tree_file(DISK "/sda1/ro", "1\n");
    look(1, true, "--write: /dev/sda: Read-only file system");
    look(1, false, NULL);
    tree_file(DISK "/queue/zoned", "host-managed\n");
    look(0, false,
         "/dev/sda is zoned (host-managed): its zones are written in order only, and what was not "
         "written is not read from the medium");
    tree_file(DISK "/queue/zoned", "none\n");
    tree_file(DISK "/size", "0\n");
    look(0, false, "/dev/sda has no medium");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sizes, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(test_refused, tree_make, tree_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
