// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/device.h"
#include "support/tree.h"

#define SECOND 1000000000

static struct device_set set;
static struct device_counters before;
static struct device_counters after;
static struct device_counters change;

/* ---- making devices in the tree ---- */

static const char *at(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *at(const char *format, ...)
{
    static char texts[4][PATH_MAX]; /* so that the texts of one call exist at the same time */
    static unsigned turn;
    char *text = texts[turn++ % 4];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, PATH_MAX, format, arguments);
    va_end(arguments);
    return text;
}

/* Makes a device. Its path is below sys/devices; the last part is its name: "sda", "sda/sda1". */
static void make_device(const char *path, unsigned minor)
{
    tree_file(at("sys/devices/%s/dev", path), at("8:%u\n", minor));
    tree_link(at("sys/dev/block/8:%u", minor), at("../../devices/%s", path));
}

static void make_partition(const char *path, unsigned minor)
{
    make_device(path, minor);
    tree_file(at("sys/devices/%s/partition", path), "1\n");
}

/* Puts the device `slave` below the device `path`. */
static void make_slave(const char *path, const char *slave)
{
    const char *name = strrchr(slave, '/');
    tree_link(at("sys/devices/%s/slaves/%s", path, name ? name + 1 : slave), at("../../%s", slave));
}

/* Sets sectors, operations and milliseconds, in the form of the kernel. */
static void set_counters(const char *path, uint64_t reads, uint64_t read_sectors, uint64_t writes,
                         uint64_t written_sectors, uint64_t busy_ms)
{
    tree_file(at("sys/devices/%s/stat", path),
              at("%8ju %8d %8ju %8d %8ju %8d %8ju %8d %8d %8ju %8d 1 2 3 4 5 6\n", (uintmax_t)reads,
                 91, (uintmax_t)read_sectors, 92, (uintmax_t)writes, 93, (uintmax_t)written_sectors,
                 94, 95, (uintmax_t)busy_ms, 96));
}

static void find(unsigned minor)
{
    const struct mount_info p = {
        .root = tree_root(), .major = 8, .minor = minor, .filesystem = "ext4"};
    device_find(&set, &p);
}

/* Reads the counters into `now`, and computes the change within a second. */
static bool changed(void)
{
    device_read(&set, &after);
    change = device_since(&after, &before);
    return change.known;
}

static void assert_change(uint64_t reads, uint64_t read_bytes, uint64_t writes,
                          uint64_t written_bytes)
{
    assert_int_equal(change.read_ops, reads);
    assert_int_equal(change.read_bytes, read_bytes);
    assert_int_equal(change.write_ops, writes);
    assert_int_equal(change.written_bytes, written_bytes);
}

/* ---- tests ---- */

static void a_whole_disk(void **state)
{
    (void)state;
    make_device("pci/sda", 0);
    tree_directory("sys/devices/pci/sda/slaves");
    set_counters("pci/sda", 10, 1000, 20, 2000, 500);
    find(0);
    assert_string_equal(set.name, "sda");
    device_read(&set, &before);
    assert_true(before.known);
    set_counters("pci/sda", 13, 1008, 24, 2017, 750);
    assert_true(changed());
    assert_change(3, 8 * 512, 4, 17 * 512);
    assert_true(device_busy_percent(&change, SECOND) > 24.99 &&
                device_busy_percent(&change, SECOND) < 25.01);
}

static void of_a_partition_the_disk_tells_how_busy_it_is(void **state)
{
    (void)state;
    make_device("vda", 0);
    make_partition("vda/vda2", 2);
    set_counters("vda", 1000, 1000, 1000, 1000, 500);
    set_counters("vda/vda2", 1, 1, 1, 1, 5);
    find(2);
    assert_string_equal(set.name, "vda2");
    assert_int_equal(set.filesystem, 1);
    device_read(&set, &before);
    set_counters("vda", 2000, 2000, 2000, 2000, 1250);
    set_counters("vda/vda2", 2, 3, 4, 5, 15);
    assert_true(changed());
    assert_change(1, 2 * 512, 3, 4 * 512);
    assert_true(device_busy_percent(&change, SECOND) > 74.9 &&
                device_busy_percent(&change, SECOND) < 75.1);
}

static void a_volume_on_two_disks(void **state)
{
    (void)state;
    make_device("nvme0n1", 10);
    make_device("nvme1n1", 11);
    make_device("dm-0", 0);
    make_slave("dm-0", "nvme1n1");
    make_slave("dm-0", "nvme0n1");
    set_counters("dm-0", 0, 0, 0, 0, 0);
    set_counters("nvme0n1", 0, 0, 0, 0, 0);
    set_counters("nvme1n1", 0, 0, 0, 0, 0);
    find(0);
    assert_string_equal(set.name, "dm-0 (nvme0n1, nvme1n1)");
    device_read(&set, &before);
    set_counters("dm-0", 2, 16, 0, 0, 300); /* less than the disks do, as with a mirror */
    set_counters("nvme0n1", 2, 16, 0, 0, 200);
    set_counters("nvme1n1", 2, 16, 0, 0, 1500); /* the counter is not exact */
    assert_true(changed());
    assert_change(2, 16 * 512, 0, 0);
    assert_true(device_busy_percent(&change, SECOND) <= 100 &&
                device_busy_percent(&change, SECOND) > 99.9);
}

static void a_raid_on_two_partitions(void **state)
{
    (void)state;
    make_device("sda", 10);
    make_device("sdb", 20);
    make_partition("sda/sda1", 11);
    make_partition("sdb/sdb1", 21);
    make_device("md0", 0);
    make_slave("md0", "sda/sda1");
    make_slave("md0", "sdb/sdb1");
    find(0);
    assert_string_equal(set.name, "md0 (sda1, sdb1)");
    assert_int_equal(set.count, 5); /* with the disks, for the busy time */
}

/* A volume on an encrypted partition of a RAID: its name shows the top device and the lowest
 * ones. */
static void a_tall_stack(void **state)
{
    (void)state;
    make_device("sda", 10);
    make_device("sdb", 20);
    make_device("md0", 30);
    make_slave("md0", "sda");
    make_slave("md0", "sdb");
    make_partition("md0/md0p1", 31);
    make_device("dm-0", 40);
    tree_link("sys/devices/dm-0/slaves/md0p1", "../../md0/md0p1");
    make_device("dm-1", 41);
    make_slave("dm-1", "dm-0");
    find(41);
    assert_string_equal(set.name, "dm-1 (md0p1, sda, sdb)");
    assert_int_equal(set.filesystem, 1);
    assert_int_equal(set.count, 6);
}

/* The file's server may be dead, so only texts say what is below: the file need not exist. */
static void find_loop(const char *file, const char *dio)
{
    tree_file("sys/devices/loop0/loop/backing_file", at("%s\n", file));
    tree_file("sys/devices/loop0/loop/dio", at("%s\n", dio));
    find(0);
}

#define MOUNTS                                                                                     \
    "1 0 0:9 / /dev rw - devtmpfs dev rw\n"                                                        \
    "2 0 8:10 / / rw - ext4 /dev/sda rw\n"                                                         \
    "3 2 0:40 / /mem rw - tmpfs tmpfs rw\n"                                                        \
    "4 2 0:41 / /a\\040b rw - btrfs /dev/sdb rw\n"                                                 \
    "5 2 0:42 / /merged rw - overlay o rw,lowerdir=/l,upperdir=/a\\040b/up,workdir=/w\n"           \
    "6 2 0:43 / /server rw - nfs4 server:/export rw\n"                                             \
    "7 2 0:44 / /hidden rw - tmpfs tmpfs rw\n"                                                     \
    "8 7 8:10 /x /hidden rw - ext4 /dev/sda rw\n"

static void what_is_below_a_loop_device(void **state)
{
    (void)state;
    static const struct {
        const char *file, *dio, *name, *below;
        bool is_cached;
    } cases[] = {
        {"/image", "1", "loop0 (sda)", "ext4", false},
        {"/memory/image", "0", "loop0 (sda)", "ext4", true}, /* "/mem" is another name */
        {"/hidden/image (deleted)", "1", "loop0 (sda)", "ext4", false},
        {"/mem/image", "1", "loop0", "tmpfs", false},
        {"/a b/image", "1", "loop0 (sdb, sdc)", "btrfs", false},
        {"/merged/image", "0", "loop0 (sdb, sdc)", "btrfs", true},
        {"/server/image", "1", "loop0", "nfs4", false},
        {"/dev/sda", "1", "loop0 (sda)", "devtmpfs", false},
    };
    tree_file("proc/self/mountinfo", MOUNTS);
    make_device("loop0", 0);
    for (unsigned minor = 10; minor < 13; minor++) {
        const char name[] = {'s', 'd', (char)('a' + minor - 10), '\0'};
        make_device(name, minor);
        tree_link(at("sys/class/block/%s", name), at("../../devices/%s", name));
        set_counters(name, 1, 1, 1, 1, 1);
        if (minor > 10)
            tree_link(at("sys/fs/btrfs/0123/devices/%s", name), at("../../../../devices/%s", name));
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        find_loop(cases[i].file, cases[i].dio);
        assert_string_equal(set.name, cases[i].name);
        assert_string_equal(set.devices[0].below, cases[i].below);
        assert_int_equal(set.devices[0].is_cached, cases[i].is_cached);
        assert_int_equal(set.devices[0].is_drive, strcmp(cases[i].name, "loop0") == 0);
    }
}

/* The drives below a loop count by themselves. */
static void a_loop_device_and_its_drive(void **state)
{
    (void)state;
    tree_file("proc/self/mountinfo", MOUNTS);
    make_device("sda", 10);
    make_device("loop0", 0);
    find_loop("/image", "0");
    set_counters("loop0", 1, 100, 1, 200, 1);
    set_counters("sda", 1, 10, 1, 20, 1);
    device_read(&set, &before);
    assert_int_equal(before.read_bytes, 100 * 512);
    assert_int_equal(before.written_bytes, 200 * 512);
    assert_int_equal(before.drive_read_bytes, 10 * 512);
    assert_int_equal(before.drive_written_bytes, 20 * 512);
}

static void assert_models(const char *expected)
{
    char models[DEVICE_MODELS];
    device_models(&set, models);
    assert_string_equal(models, expected);
}

/* A partition has the model of its disk, and a volume those of the disks below it. */
static void what_the_disks_are(void **state)
{
    (void)state;
    make_device("sda", 0);
    make_partition("sda/sda1", 1);
    find(1);
    assert_models("");
    tree_file("sys/devices/sda/device/model", " Old  Disk   \n");
    assert_models("Old  Disk");
    make_device("nvme0n1", 2);
    tree_file("sys/devices/nvme0n1/device/model", "Fast SSD\n");
    make_device("dm-0", 3);
    make_slave("dm-0", "nvme0n1");
    make_slave("dm-0", "sda");
    find(3);
    assert_models("Fast SSD, Old  Disk");
}

static const struct mount_info *btrfs(void)
{
    static struct mount_info p;
    p = (struct mount_info){.root = tree_root(),
                            .minor = 45,
                            .filesystem = "btrfs",
                            .uuid = "01234567-89ab-cdef-0123-456789abcdef"};
    return &p;
}

static void make_btrfs_device(const char *name)
{
    tree_link(at("sys/fs/btrfs/%s/devices/%s", btrfs()->uuid, name),
              at("../../../../devices/%s", name));
}

static void make_two_devices(void)
{
    make_device("sda", 10);
    make_device("sdb", 20);
    make_btrfs_device("sdb");
    make_btrfs_device("sda");
    set_counters("sda", 1, 2, 3, 4, 5);
    set_counters("sdb", 1, 2, 3, 4, 5);
}

static void a_btrfs_on_two_devices(void **state)
{
    (void)state;
    make_two_devices();
    device_find(&set, btrfs());
    assert_string_equal(set.name, "sda, sdb");
    assert_int_equal(set.filesystem, 2);
    device_read(&set, &before);
    set_counters("sda", 2, 4, 6, 8, 105);
    set_counters("sdb", 2, 4, 6, 8, 505);
    assert_true(changed());
    assert_change(2, 4 * 512, 6, 8 * 512);
    assert_true(device_busy_percent(&change, SECOND) > 49.9 &&
                device_busy_percent(&change, SECOND) < 50.1);
}

/* Those of the profiles in use; during a conversion, of the one with most. */
static void a_btrfs_makes_copies(void **state)
{
    static const struct {
        const char *data, *metadata;
        struct device_copies expected;
    } cases[] = {
        {"single", "single", {0, 0, 0}},   {"single", "dup", {0, 1, 0}},
        {"raid0", "raid1", {0, 1, 0}},     {"raid10", "raid10", {1, 1, 0}},
        {"raid1c3", "raid1c4", {2, 3, 0}}, {"raid5", "raid1c3", {1, 2, 2}},
        {"raid6", "raid1c3", {2, 2, 2}},
    };
    (void)state;
    make_two_devices();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char data[128];
        char metadata[128];
        snprintf(data, sizeof data, "sys/fs/btrfs/%s/allocation/data/%s/total_bytes", btrfs()->uuid,
                 cases[i].data);
        snprintf(metadata, sizeof metadata, "sys/fs/btrfs/%s/allocation/metadata/%s/total_bytes",
                 btrfs()->uuid, cases[i].metadata);
        tree_file(data, "1\n");
        tree_file(metadata, "1\n");
        device_find(&set, btrfs());
        device_read(&set, &before);
        assert_true(changed());
        assert_memory_equal(&change.copies, &cases[i].expected, sizeof change.copies);
        tree_unlink(data);
        tree_unlink(metadata);
        *strrchr(data, '/') = *strrchr(metadata, '/') = '\0';
        assert_int_equal(rmdir(at("%s/%s", tree_root(), data)), 0);
        assert_int_equal(rmdir(at("%s/%s", tree_root(), metadata)), 0);
    }
}

static void a_btrfs_on_volumes(void **state)
{
    (void)state;
    make_device("sda", 10);
    make_device("sdb", 20);
    make_device("dm-0", 0);
    make_device("dm-1", 1);
    make_slave("dm-0", "sda");
    make_slave("dm-1", "sdb");
    make_btrfs_device("dm-0");
    make_btrfs_device("dm-1");
    device_find(&set, btrfs());
    assert_string_equal(set.name, "dm-0 (sda), dm-1 (sdb)");
}

static void assert_none(void)
{
    assert_int_equal(set.count, 0);
    assert_string_equal(set.name, "");
    device_read(&set, &before);
    assert_false(before.known);
    assert_false(changed());
}

static void no_devices_below_a_filesystem_in_memory(void **state)
{
    (void)state;
    const struct mount_info p = {.root = tree_root(), .minor = 23, .filesystem = "tmpfs"};
    device_find(&set, &p);
    assert_none();
}

/* The bytes of only some of the devices would be wrong. */
static void all_devices_of_the_filesystem_or_none(void **state)
{
    (void)state;
    make_device("sda", 10);
    make_btrfs_device("sda");
    make_btrfs_device("sdb"); /* this link leads to nothing */
    device_find(&set, btrfs());
    assert_none();

    struct mount_info p = {.root = tree_root(), .major = 8, .minor = 10, .filesystem = "bcachefs"};
    device_find(&set, &p);
    assert_none();
    find(77); /* this device is not in /sys, as in a container */
    assert_none();
}

static void more_devices_than_there_is_room_for(void **state)
{
    (void)state;
    make_device("dm-0", 0);
    for (unsigned i = 1; i <= MAX_DEVICES; i++) {
        char name[DEVICE_NAME];
        snprintf(name, sizeof name, "sdx%02u", i);
        make_device(name, i);
        make_slave("dm-0", name);
        make_btrfs_device(name);
        set_counters(name, i, i, i, i, i);
    }
    set_counters("dm-0", 1, 2, 3, 4, 5);
    find(0);
    assert_int_equal(set.count, MAX_DEVICES);
    assert_int_equal(strncmp(set.name, "dm-0 (sdx01, sdx02, ", 20), 0);
    assert_int_equal(strlen(set.name), sizeof set.name - 1);
    assert_string_equal(set.name + sizeof set.name - 4, "...");
    device_read(&set, &before);
    assert_true(changed()); /* the volume itself counts */

    device_find(&set, btrfs());
    assert_int_equal(set.count, MAX_DEVICES);
    make_device("one-too-many", MAX_DEVICES + 1);
    make_btrfs_device("one-too-many");
    device_find(&set, btrfs());
    assert_none();
}

/* The search ends, however wrong the tree is. */
static void devices_that_stand_on_each_other(void **state)
{
    (void)state;
    make_device("dm-0", 0);
    make_device("dm-1", 1);
    make_slave("dm-0", "dm-1");
    make_slave("dm-1", "dm-0");
    find(0);
    assert_int_equal(set.count, 2);
}

static void a_device_that_vanished_is_not_known(void **state)
{
    (void)state;
    make_device("sda", 0);
    set_counters("sda", 1, 2, 3, 4, 5);
    find(0);
    device_read(&set, &before);
    assert_true(changed());
    tree_unlink("sys/devices/sda/stat");
    assert_false(changed());
    tree_file("sys/devices/sda/stat", "1 2 3\n");
    assert_false(changed());
    tree_file("sys/devices/sda/stat", "");
    assert_false(changed());
    set_counters("sda", 1, 2, 3, 4, 5);
    assert_true(changed());
    assert_false(device_since(&after, &(struct device_counters){0}).known);
}

/* Writes and flushes of drives, unless one of them does not count all. */
static void what_drives_store(void **state)
{
    static const struct {
        const char *name, *iostats;
        bool counts;
    } cases[] = {{"sda", "1", true}, {"sdb", "", true}, {"sdc", "0", false}, {"pmem0", "1", false}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_device(cases[i].name, i);
        tree_file(at("sys/devices/%s/queue/iostats", cases[i].name), cases[i].iostats);
        set_counters(cases[i].name, 1, 2, 3, 4, 5);
        find(i);
        device_read(&set, &before);
        assert_true(before.known);
        assert_int_equal(before.knows_stores, cases[i].counts);
        assert_int_equal(before.drive_stores, 3 + 5);
    }
    find(0);
    set_counters("sda", 1, 2, 10, 4, 5);
    assert_true(changed());
    set_counters("sda", 0, 0, 0, 0, 0); /* a multipath device that counts nothing */
    device_read(&set, &before);
    assert_false(before.knows_stores);
    tree_file("sys/devices/sda/stat", "1 2 3 4 5 6 7 8 9 10 11\n"); /* before Linux 4.18 */
    device_read(&set, &before);
    assert_true(before.known && !before.knows_stores);
}

static void a_counter_that_went_backwards_is_not_known(void **state)
{
    (void)state;
    make_device("sda", 0);
    set_counters("sda", 10, 20, 30, 40, UINT32_MAX); /* the kernel's milliseconds have 32 bits */
    find(0);
    device_read(&set, &before);
    set_counters("sda", 10, 20, 30, 40, 3);
    assert_false(changed());
    for (unsigned i = 0; i < 4; i++) {
        uint64_t counters[] = {10, 20, 30, 40};
        counters[i]--;
        set_counters("sda", counters[0], counters[1], counters[2], counters[3], UINT32_MAX);
        assert_false(changed());
    }
    set_counters("sda", 10, 20, 30, 41, UINT32_MAX);
    assert_true(changed());
}

static void no_time_is_not_busy(void **state)
{
    (void)state;
    make_device("sda", 0);
    set_counters("sda", 1, 2, 3, 4, 5);
    find(0);
    device_read(&set, &before);
    change = device_since(&before, &before);
    assert_true(change.known && device_busy_percent(&change, 0) == 0);
}

#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TREE(a_whole_disk),
        IN_TREE(of_a_partition_the_disk_tells_how_busy_it_is),
        IN_TREE(a_volume_on_two_disks),
        IN_TREE(a_raid_on_two_partitions),
        IN_TREE(a_tall_stack),
        IN_TREE(what_is_below_a_loop_device),
        IN_TREE(a_loop_device_and_its_drive),
        IN_TREE(what_the_disks_are),
        IN_TREE(a_btrfs_on_two_devices),
        IN_TREE(a_btrfs_makes_copies),
        IN_TREE(a_btrfs_on_volumes),
        IN_TREE(no_devices_below_a_filesystem_in_memory),
        IN_TREE(all_devices_of_the_filesystem_or_none),
        IN_TREE(more_devices_than_there_is_room_for),
        IN_TREE(devices_that_stand_on_each_other),
        IN_TREE(a_device_that_vanished_is_not_known),
        IN_TREE(a_counter_that_went_backwards_is_not_known),
        IN_TREE(what_drives_store),
        IN_TREE(no_time_is_not_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
