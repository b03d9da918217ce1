// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/sources.h"
#include "support/tree.h"
#include "util/units.h"

static struct sources sources;
static struct moved_bytes before, now;

/* Chooses who speaks about a filesystem; `below` is the type of an overlay's upper layer. */
static void choose(const char *type, const char *below, unsigned devices)
{
    sources = (struct sources){.mount = {.root = tree_root(), .point = "/mnt/a\\040b"},
                               .devices = {.count = devices},
                               .record_bytes = 128 * KIB};
    snprintf(sources.mount.filesystem, sizeof sources.mount.filesystem, "%s", type);
    snprintf(sources.filesystem, sizeof sources.filesystem, "%s", below ? below : type);
    snprintf(sources.mount.source, sizeof sources.mount.source, "//NAS/share/below");
    sources_choose(&sources);
}

static void assert_speak(enum source reads, enum source writes)
{
    assert_int_equal(sources.by[WAY_READ], reads);
    assert_int_equal(sources.by[WAY_WRITTEN], writes);
}

static void assert_moved(uint64_t read, uint64_t written)
{
    struct moved_bytes moved;
    sources_read(&sources, &now);
    moved = moved_between(&before, &now);
    assert_int_equal(moved.by[WAY_READ], sources.by[WAY_READ]);
    assert_int_equal(moved.by[WAY_WRITTEN], sources.by[WAY_WRITTEN]);
    assert_int_equal(moved.bytes[WAY_READ], read);
    assert_int_equal(moved.bytes[WAY_WRITTEN], written);
}

static void process_has_read(unsigned bytes)
{
    char text[256];
    snprintf(text, sizeof text,
             "rchar: 99\nwchar: 1\nsyscr: 7\nsyscw: 1\nread_bytes: %u\nwrite_bytes: 8192\n"
             "cancelled_write_bytes: 0\n",
             bytes);
    tree_file("proc/self/io", text);
}

static void the_device_speaks_first(void **state)
{
    (void)state;
    process_has_read(0);
    choose("ext4", NULL, 1);
    assert_speak(SOURCE_DEVICE, SOURCE_DEVICE);
    choose("ext4", NULL, 0); /* no /sys */
    assert_speak(SOURCE_PROCESS, SOURCE_NONE);
}

static void a_process_speaks_of_reads_below_an_overlay(void **state)
{
    (void)state;
    process_has_read(4096);
    choose("overlay", NULL, 0);
    assert_speak(SOURCE_PROCESS, SOURCE_NONE);
    sources_read(&sources, &before);
    process_has_read(4096 + 65536);
    assert_moved(65536, 0);
    choose("overlay", "ext4", 1);
    assert_speak(SOURCE_PROCESS, SOURCE_BELOW);
    tree_unlink("proc/self/io");
    choose("overlay", "ext4", 1);
    assert_speak(SOURCE_BELOW, SOURCE_BELOW);
}

/* Others do the reading there: a server, a program or a thread of the kernel. */
static void a_process_never_speaks_of_others(void **state)
{
    static const char *const types[] = {"fuse", "fuse.sshfs", "fuseblk", "virtiofs",
                                        "9p",   "nfs4",       "cifs",    "zfs",
                                        "ceph", "lustre",     "tmpfs",   "unheard-of"};
    (void)state;
    process_has_read(4096);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        choose(types[i], NULL, 0);
        assert_speak(SOURCE_NONE, SOURCE_NONE);
        choose("overlay", types[i], 0);
        assert_speak(SOURCE_NONE, SOURCE_NONE);
    }
}

static void a_control_group_speaks_of_both(void **state)
{
    (void)state;
    tree_file("proc/self/cgroup", "0::/pod\n");
    tree_file("proc/self/mountinfo", "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    tree_file("sys/fs/cgroup/pod/io.stat", "");
    choose("overlay", NULL, 0);
    assert_speak(SOURCE_GROUP, SOURCE_GROUP);
    sources_read(&sources, &before);
    tree_file("sys/fs/cgroup/pod/io.stat",
              "254:0 rbytes=65536 wbytes=8192 rios=1 wios=2 dbytes=0 dios=0\n"
              "8:0 rbytes=1 wbytes=2 rios=1 wios=2 dbytes=0 dios=0\n");
    assert_moved(65537, 8194);
    process_has_read(0); /* knows better */
    choose("overlay", NULL, 0);
    assert_speak(SOURCE_PROCESS, SOURCE_GROUP);
}

static void version_1_does_not_speak_of_writes(void **state)
{
    (void)state;
    tree_file("proc/self/cgroup", "7:blkio:/pod\n");
    tree_file("proc/self/mountinfo",
              "28 1 0:24 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n");
    tree_file(
        "sys/fs/cgroup/blkio/pod/blkio.throttle.io_service_bytes",
        "254:0 Read 4096\n254:0 Write 8192\n254:0 Sync 4096\n254:0 Total 12288\nTotal 12288\n");
    choose("overlay", NULL, 0);
    assert_speak(SOURCE_GROUP, SOURCE_NONE);
    before = (struct moved_bytes){{SOURCE_GROUP, SOURCE_NONE}, {0, 0}};
    assert_moved(4096, 0);
}

static void mountstats(unsigned sent, unsigned taken)
{
    char text[1024];
    snprintf(text, sizeof text,
             "device proc mounted on /proc with fstype proc\n"
             "device nas:/x mounted on /mnt/a with fstype nfs4 statvers=1.1\n"
             "\tbytes:\t9 9 9 9 9 9 9 9\n"
             "device nas:/home mounted on /mnt/a\\040b with fstype nfs4 statvers=1.1\n"
             "\topts:\trw,vers=4.2\n\tage:\t7\n"
             "\tbytes:\t1000000 2000000 10 20 %u %u 300 400\n"
             "\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
             "device nas:/y mounted on /mnt/c with fstype nfs4 statvers=1.1\n"
             "\tbytes:\t9 9 9 9 9 9 9 9\n",
             sent, taken);
    tree_file("proc/self/mountstats", text);
}

static void an_nfs_counts_what_its_server_sent_and_took(void **state)
{
    (void)state;
    mountstats(100, 200);
    choose("nfs4", NULL, 0);
    assert_speak(SOURCE_NFS, SOURCE_NFS);
    sources_read(&sources, &before);
    mountstats(65636, 8392);
    assert_moved(65536, 8192);
}

static void shares(const char *name, unsigned sent, unsigned taken)
{
    char text[1024];
    snprintf(text, sizeof text,
             "Resources in use\nCIFS Session: 1\nShare (unique mount targets): 3\n"
             "SMB Request/Response Buffer: 1 Pool size: 5\n0 session 0 share reconnects\n"
             "\n1) \\\\nas\\share2\nSMBs: 9\nBytes read: 7  Bytes written: 7\n"
             "\n2) %s\nSMBs: 31\nBytes read: %u  Bytes written: %u\n"
             "Open files: 1 total (local), 1 open on server\n"
             "\n3) \\\\nas\\IPC$\nSMBs: 2\nBytes read: 7  Bytes written: 7\n",
             name, sent, taken);
    tree_file("proc/fs/cifs/Stats", text);
}

static void a_cifs_counts_by_shares(void **state)
{
    (void)state;
    shares("\\\\nas\\share", 1, 2);
    choose("cifs", NULL, 0);
    assert_speak(SOURCE_CIFS, SOURCE_CIFS);
    sources_read(&sources, &before);
    shares("\\\\nas\\share\tDISCONNECTED ", 65537, 8194);
    assert_moved(65536, 8192);
    tree_file("proc/fs/cifs/Stats", "\n1) \\\\nas\\share\nSMBs: 9 Oplocks breaks: 0\n"
                                    "Reads:  16 Bytes: 131073\nWrites: 2 Bytes: 16386\n");
    assert_moved(131072, 16384);
    shares("\\\\nas\\other", 1, 2);
    choose("smb3", NULL, 0);
    assert_speak(SOURCE_NONE, SOURCE_NONE);
}

static void arcstats(unsigned demanded, unsigned ahead)
{
    char text[512];
    snprintf(text, sizeof text,
             "13 1 0x01 123 33456 8053816812 1082387439\nname  type data\nhits 4 12345\n"
             "demand_data_hits                4    900\ndemand_data_misses              4    %u\n"
             "demand_metadata_misses          4    77\nprefetch_data_misses            4    %u\n",
             demanded, ahead);
    tree_file("proc/spl/kstat/zfs/arcstats", text);
}

static void zfs_counts_records_that_its_cache_missed(void **state)
{
    (void)state;
    arcstats(10, 20);
    choose("zfs", NULL, 0);
    assert_speak(SOURCE_ZFS, SOURCE_NONE);
    sources_read(&sources, &before);
    assert_moved(0, 0);
    arcstats(11, 23);
    assert_moved(4 * 128 * KIB, 0);
}

/* Counters that go back are those of something else. */
static void what_cannot_be_compared_says_nothing(void **state)
{
    (void)state;
    const struct moved_bytes one = {{SOURCE_NFS, SOURCE_NFS}, {10, 10}};
    const struct moved_bytes other = {{SOURCE_NFS, SOURCE_NONE}, {9, 11}};
    struct moved_bytes moved = moved_between(&one, &other);
    assert_int_equal(moved.by[WAY_READ], SOURCE_NONE);
    assert_int_equal(moved.by[WAY_WRITTEN], SOURCE_NONE);
}

/* The ranks of a host share its mounts, and each counts its own reads. */
static void ranks_add_what_is_their_own(void **state)
{
    (void)state;
    struct moved_bytes sum = {{SOURCE_PROCESS, SOURCE_NFS}, {0, 0}};
    const struct moved_bytes one = {{SOURCE_PROCESS, SOURCE_NFS}, {10, 100}};
    moved_add(&sum, &one, true);
    moved_add(&sum, &one, false);
    assert_int_equal(sum.bytes[WAY_READ], 20);
    assert_int_equal(sum.bytes[WAY_WRITTEN], 100);
    const struct moved_bytes other = {{SOURCE_DEVICE, SOURCE_NFS}, {0, 1}};
    moved_add(&sum, &other, true);
    assert_int_equal(sum.by[WAY_READ], SOURCE_NONE);
    assert_int_equal(sum.by[WAY_WRITTEN], SOURCE_NFS);
    assert_int_equal(sum.bytes[WAY_WRITTEN], 101);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, tree_make, tree_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_device_speaks_first),
        CASE(a_process_speaks_of_reads_below_an_overlay),
        CASE(a_process_never_speaks_of_others),
        CASE(a_control_group_speaks_of_both),
        CASE(version_1_does_not_speak_of_writes),
        CASE(an_nfs_counts_what_its_server_sent_and_took),
        CASE(a_cifs_counts_by_shares),
        CASE(zfs_counts_records_that_its_cache_missed),
        CASE(what_cannot_be_compared_says_nothing),
        CASE(ranks_add_what_is_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
