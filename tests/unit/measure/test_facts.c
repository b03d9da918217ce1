// SPDX-License-Identifier: GPL-2.0-or-later
#include <ifaddrs.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "measure/facts.h"
#include "support/tree.h"

/* Trees of /sys and /proc with one thing in the way each, and healthy ones. Values are in the forms
 * of the kernel's documentation: Documentation/ABI/testing/sysfs-bus-pci, sysfs-ata, sysfs-bus-usb,
 * sysfs-block, sysfs-class-power, sysfs-class-net, sysfs-class-hwmon, sysfs-fs-btrfs,
 * admin-guide/md.rst, admin-guide/pm/cpufreq.rst and accounting/psi.rst. */

#define NVME "pci0000:00/0000:00:1d.0/0000:3b:00.0/nvme/nvme0/nvme0n1"
#define SATA "pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/block/sda"
#define USB  "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb"

static struct facts facts;
static struct mount_info mounted;
static struct device_set set;
static unsigned device_minor; /* of the device of the next find() */

static const char *at(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *at(const char *format, ...)
{
    static char texts[4][PATH_MAX];
    static unsigned turn;
    char *text = texts[turn++ % 4];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, PATH_MAX, format, arguments);
    va_end(arguments);
    return text;
}

static void make_device(const char *path, unsigned minor)
{
    tree_file(at("sys/devices/%s/dev", path), at("8:%u\n", minor));
    tree_link(at("sys/dev/block/8:%u", minor), at("../../devices/%s", path));
}

static void find(void)
{
    mounted.root = tree_root();
    mounted.major = 8;
    mounted.minor = device_minor;
    device_minor = 0;
    device_find(&set, &mounted);
    assert_int_not_equal(set.count, 0);
    facts = (struct facts){.count = 0};
    facts_look(&facts, &mounted, &set, false);
}

/* The one fact has this key and this text. */
static void expect(const char *key, const char *text)
{
    find();
    assert_int_equal(facts.count, 1);
    assert_string_equal(facts.list[0].key, key);
    assert_string_equal(facts.list[0].text, text);
}

static void expect_none(void)
{
    find();
    for (unsigned i = 0; i < facts.count; i++)
        print_error("%s\n", facts.list[i].text);
    assert_int_equal(facts.count, 0);
}

static void make_link(const char *directory, const char *which, const char *speed,
                      const char *width)
{
    tree_file(at("sys/devices/%s/%s_link_speed", directory, which), at("%s\n", speed));
    tree_file(at("sys/devices/%s/%s_link_width", directory, which), at("%s\n", width));
}

/* A drive below a slot, and their links. */
static void make_nvme(const char *speed, const char *width, const char *most,
                      const char *most_width, const char *slot, const char *slot_width)
{
    make_device(NVME, 0);
    tree_link("sys/devices/" NVME "/device", "../../nvme0");
    tree_link("sys/devices/pci0000:00/0000:00:1d.0/0000:3b:00.0/nvme/nvme0/device",
              "../../../0000:3b:00.0");
    make_link("pci0000:00/0000:00:1d.0/0000:3b:00.0", "current", speed, width);
    make_link("pci0000:00/0000:00:1d.0/0000:3b:00.0", "max", most, most_width);
    make_link("pci0000:00/0000:00:1d.0", "max", slot, slot_width);
}

static void pcie(void **state)
{
    (void)state;
    make_nvme("8.0 GT/s PCIe", "1", "8.0 GT/s PCIe", "4", "8.0 GT/s PCIe", "4");
    expect("link", "nvme0n1: PCIe 3.0 x1; drive and slot can do 3.0 x4: at most 985 MB/s");
    assert_int_equal(facts.list[0].bytes_per_second / 1000000, 984);
}

static void pcie_generation(void **state)
{
    (void)state;
    make_nvme("2.5 GT/s PCIe", "4", "16.0 GT/s PCIe", "4", "8.0 GT/s PCIe", "4");
    expect("link", "nvme0n1: PCIe 1.0 x4; drive and slot can do 3.0 x4: at most 1000 MB/s");
}

static void pcie_healthy(void **state)
{
    (void)state;
    static const char *const links[][6] = {
        {"16.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "4"},
        {"8.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "4", "8.0 GT/s PCIe", "16"}, /* an old slot */
        {"8.0 GT/s PCIe", "2", "8.0 GT/s PCIe", "4", "8.0 GT/s PCIe", "2"},   /* a narrow slot */
        {"32.0 GT/s PCIe", "4", "32.0 GT/s PCIe", "4", "32.0 GT/s PCIe", "8"},
        {"Unknown", "0", "16.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "4"},
        {"5.0 GT/s PCIe", "2", "5.0 GT/s PCIe", "2", "8.0 GT/s PCIe", "4"}, /* an old drive */
    };
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        tree_remove(state);
        tree_make(state);
        make_nvme(links[i][0], links[i][1], links[i][2], links[i][3], links[i][4], links[i][5]);
        expect_none();
    }
}

/* A drive whose identity has `word` at place 76. */
static void make_sata(const char *speed, const char *most, const char *word)
{
    char identity[2048] = "";
    for (unsigned i = 0; i < 256; i++)
        snprintf(identity + strlen(identity), sizeof identity - strlen(identity), "%s%s",
                 i == 76 ? word : "0000", i % 8 == 7 ? "\n" : " ");
    make_device(SATA, 0);
    tree_file("sys/devices/" SATA "/queue/rotational", "0\n");
#define PORT "sys/devices/pci0000:00/0000:00:17.0/ata3"
    tree_file(PORT "/link3/ata_link/link3/sata_spd", at("%s\n", speed));
    tree_file(PORT "/link3/ata_link/link3/hw_sata_spd_limit", at("%s\n", most));
    tree_file(PORT "/link3/dev3.0/ata_device/dev3.0/id", identity);
}

static void sata(void **state)
{
    (void)state;
    make_sata("1.5 Gbps", "6.0 Gbps", "850e");
    expect("link", "sda: SATA at 1.5 Gbit/s; drive and port can do 6.0: at most 150 MB/s");
    assert_int_equal(facts.list[0].bytes_per_second, 150000000);
}

static void sata_healthy(void **state)
{
    (void)state;
    static const char *const ports[][3] = {
        {"6.0 Gbps", "6.0 Gbps", "850e"}, {"3.0 Gbps", "3.0 Gbps", "850e"}, /* an old port */
        {"3.0 Gbps", "6.0 Gbps", "0506"},                                   /* an old drive */
        {"1.5 Gbps", "6.0 Gbps", "ffff"}, /* a drive that does not say */
        {"1.5 Gbps", "6.0 Gbps", "0000"}, {"<unknown>", "6.0 Gbps", "850e"},
    };
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        tree_remove(state);
        tree_make(state);
        make_sata(ports[i][0], ports[i][1], ports[i][2]);
        expect_none();
    }
}

/* The descriptors of a device with USB 2 extension and, perhaps, SuperSpeed. */
static void make_usb(const char *speed, bool is_fast, bool has_peer)
{
    static const unsigned char bytes[] = {5, 15, 22, 0, 2, 7,  16, 2, 2,  0,   0,
                                          0, 10, 16, 3, 0, 14, 0,  1, 10, 255, 7};
    char path[PATH_MAX];
    make_device(USB, 0);
    tree_file("sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/speed", at("%s\n", speed));
    tree_file("sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/bos_descriptors", "x");
    snprintf(path, sizeof path, "%s/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/bos_descriptors",
             tree_root());
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fwrite(bytes, 1, is_fast ? sizeof bytes : 12, out);
    fclose(out);
    tree_directory("sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/port");
    if (has_peer)
        tree_file("sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/port/peer", "");
}

static void usb(void **state)
{
    (void)state;
    make_usb("480", true, true);
    expect("link", "sdb: USB at 480 Mbit/s; drive and port can do 5000: at most 60 MB/s");
}

static void usb_healthy(void **state)
{
    (void)state;
    static const struct {
        const char *speed;
        bool is_fast;
        bool has_peer;
    } ports[] = {
        {"5000", true, true}, {"10000", true, true}, {"480", false, true}, {"480", true, false}};
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        tree_remove(state);
        tree_make(state);
        make_usb(ports[i].speed, ports[i].is_fast, ports[i].has_peer);
        expect_none();
    }
}

#define SAS_PORT "pci0000:00/0000:00:02.0/0000:01:00.0/host0/port-0:0"
#define SAS_END  "end_device-0:0:3/target0:0:3/0:0:3:0/block/sdd"

/* A drive below an expander: the kernel shows what both phys of a link can do (sas_phy). */
static void make_sas(const char *speed, const char *controller, const char *expander)
{
#define SAS_PHY "sys/devices/" SAS_PORT "/phy-0:0/sas_phy/phy-0:0/"
#define SAS_BOX "sys/devices/" SAS_PORT "/expander-0:0/"
    make_device(SAS_PORT "/expander-0:0/port-0:0:3/" SAS_END, 48);
    tree_file(SAS_PHY "negotiated_linkrate", at("%s Gbit\n", speed));
    tree_file(SAS_PHY "maximum_linkrate_hw", at("%s Gbit\n", controller));
    tree_file(SAS_BOX "phy-0:0:0/sas_phy/phy-0:0:0/maximum_linkrate_hw", at("%s Gbit\n", expander));
    tree_file(SAS_BOX "port-0:0:3/phy-0:0:3/sas_phy/phy-0:0:3/negotiated_linkrate", "6.0 Gbit\n");
}

static void sas(void **state)
{
    static const char *const healthy[][3] = {
        {"6.0", "12.0", "6.0"}, /* an old expander */
        {"12.0", "12.0", "12.0"},
        {"Unknown", "12.0", "12.0"},
    };
    device_minor = 48;
    make_sas("6.0", "12.0", "12.0");
    expect("link", "sdd: SAS at 6.0 Gbit/s a lane; controller and expander can do 12.0");
    assert_string_equal(facts.link, "SAS 6.0 Gbit/s");
    assert_int_equal(facts.link_per_second, 0); /* it has several lanes */
    for (size_t i = 0; i < sizeof healthy / sizeof *healthy; i++) {
        tree_remove(state);
        tree_make(state);
        device_minor = 48;
        make_sas(healthy[i][0], healthy[i][1], healthy[i][2]);
        expect_none();
    }
}

/* What a drive could do, the kernel does not show. */
static void sas_drive(void **state)
{
    (void)state;
    device_minor = 48;
    make_device(SAS_PORT "/" SAS_END, 48);
    tree_file(SAS_PHY "negotiated_linkrate", "3.0 Gbit\n");
    tree_file(SAS_PHY "maximum_linkrate_hw", "12.0 Gbit\n");
    expect_none();
    assert_string_equal(facts.link, "SAS 3.0 Gbit/s");
}

/* Servers of which the kernel knows the way whatever the machine is connected to: itself. */
static void make_nfs(const char *options, const char *speed)
{
    tree_file("sys/class/net/lo/speed", at("%s\n", speed));
    mounted = (struct mount_info){.root = tree_root(), .filesystem = "nfs4"};
    strcpy(mounted.options, options);
    set = (struct device_set){.root = tree_root()};
    facts = (struct facts){.count = 0};
    facts_look(&facts, &mounted, &set, false);
    mounted = (struct mount_info){.root = ""};
}

/* Whether this machine has the address of itself, which some builders lack. */
static bool has_loopback(int family)
{
    struct ifaddrs *all;
    bool has = false;
    assert_int_equal(getifaddrs(&all), 0);
    for (const struct ifaddrs *i = all; i; i = i->ifa_next)
        has |= strcmp(i->ifa_name, "lo") == 0 && i->ifa_addr && i->ifa_addr->sa_family == family;
    freeifaddrs(all);
    return has;
}

static void network(void **state)
{
    (void)state;
#define NFS  "rw,vers=4.2,proto=tcp,clientaddr=127.0.0.1,local_lock=none,addr=127.0.0.1"
#define NFS6 "rw,vers=4.2,proto=tcp6,clientaddr=::1,local_lock=none,addr=::1"
    static const char *const servers[] = {NFS, NFS6};
    for (size_t i = 0; i < 2; i++) {
        if (!has_loopback(i == 0 ? AF_INET : AF_INET6))
            continue;
        make_nfs(servers[i], "1000");
        assert_int_equal(facts.count, 1);
        assert_string_equal(facts.list[0].key, "link");
        assert_string_equal(facts.list[0].text,
                            "lo towards the server: 1000 Mbit/s: at most 125 MB/s");
        assert_string_equal(facts.link, "lo 1000 Mbit/s");
        assert_int_equal(facts.link_per_second, 125000000);
    }
    static const char *const healthy[][2] = {
        {NFS, "25000"},
        {NFS, "-1"}, /* the driver does not know */
        {"rw,vers=4.2,proto=rdma,addr=127.0.0.1", "1000"},
        {"rw,vers=4.2,proto=tcp6,addr=fe80::9%2", "1000"}, /* no way leads to it */
        {"rw,vers=4.2,proto=tcp6,addr=no.name", "1000"},
        {"rw", "1000"},
    };
    for (size_t i = 0; i < sizeof healthy / sizeof *healthy; i++) {
        make_nfs(healthy[i][0], healthy[i][1]);
        assert_int_equal(facts.count, 0);
    }
}

#define TRIMMED "9 0 72 1 8 0 64 2 0 3 3 %u 0 4096 1 0 0\n"

/* Of others: what the filesystem itself discards is no fact. */
static void trims(void **state)
{
    (void)state;
    make_device("platform/sda", 0);
    tree_file("sys/devices/platform/sda/stat", at(TRIMMED, 5));
    expect_none();
    facts_look(&facts, &mounted, &set, true);
    assert_int_equal(facts.count, 0);
    tree_file("sys/devices/platform/sda/stat", at(TRIMMED, 7));
    for (unsigned i = 0; i < 2; i++) { /* and it stays */
        facts_look(&facts, &mounted, &set, true);
        assert_int_equal(facts.count, 1);
        assert_string_equal(facts.list[0].key, "trim");
        assert_string_equal(facts.list[0].text, "sda: 2 trims by others meanwhile");
    }
    strcpy(mounted.options, "rw,relatime,discard");
    facts_look(&facts, &mounted, &set, true);
    assert_int_equal(facts.count, 0);
    mounted.options[0] = '\0';
}

/* Only with all three conditions: the thread, the one ext4, and others on the device. */
static void lazy_init(void **state)
{
    (void)state;
    static const struct {
        const char *thread;
        bool others_moved;
        unsigned count;
    } cases[] = {{"ext4-rsv-conver", true, 0},
                 {"ext4lazyinit", false, 0},
                 {"ext4lazyinit", true, 1},
                 {"ext4lazyinit", true, 0}}; /* with another ext4, mounted by whomever */
    make_device("platform/sda", 0);
    tree_file("proc/1/comm", "init\n");
    tree_file("sys/fs/ext4/sda/lifetime_write_kbytes", "4242\n");
    tree_file("sys/fs/ext4/features/casefold", "supported\n");
    strcpy(mounted.filesystem, "ext4");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tree_file("proc/77/comm", at("%s\n", cases[i].thread));
        if (i == 3)
            tree_file("sys/fs/ext4/sdb/lifetime_write_kbytes", "42\n");
        expect_none();
        facts_look(&facts, &mounted, &set, cases[i].others_moved);
        assert_int_equal(facts.count, cases[i].count);
        if (facts.count > 0)
            assert_string_equal(facts.list[0].key, "lazy_init");
    }
    mounted = (struct mount_info){.root = ""};
}

static void partition(void **state)
{
    (void)state;
    make_device("platform/sda", 16);
    make_device("platform/sda/sda1", 0);
    tree_file("sys/devices/platform/sda/sda1/partition", "1\n");
    tree_file("sys/devices/platform/sda/sda1/alignment_offset", "0\n");
    expect_none();
    tree_file("sys/devices/platform/sda/sda1/alignment_offset", "3584\n"); /* begins at sector 63 */
    expect("alignment", "sda1 begins inside a physical block: each write changes one more");
}

static void raid(void **state)
{
    (void)state;
    make_device("virtual/block/md0", 0);
    make_device("platform/sda", 1);
    tree_link("sys/devices/virtual/block/md0/slaves/sda", "../../../../platform/sda");
    tree_file("sys/devices/virtual/block/md0/md/degraded", "0\n");
    tree_file("sys/devices/virtual/block/md0/md/sync_action", "idle\n");
    expect_none();
    tree_file("sys/devices/virtual/block/md0/md/degraded", "1\n");
    expect("raid", "md0 is degraded: 1 of its devices missing");
    tree_file("sys/devices/virtual/block/md0/md/sync_action", "recover\n");
    tree_file("sys/devices/virtual/block/md0/md/sync_completed", "664520 / 1953382400\n");
    expect("raid", "md0: recover under way; 0 % done");
    tree_file("sys/devices/virtual/block/md0/md/degraded", "0\n");
    tree_file("sys/devices/virtual/block/md0/md/sync_action", "check\n");
    tree_file("sys/devices/virtual/block/md0/md/sync_completed", "664520000 / 1953382400\n");
    expect("raid", "md0: check under way; 34 % done");
    tree_file("sys/devices/virtual/block/md0/md/sync_completed", "none\n");
    expect("raid", "md0: check under way");
}

static void heat(void **state)
{
    (void)state;
    make_nvme("16.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "4");
    tree_file("sys/devices/" NVME "/../hwmon2/temp1_input", "54850\n");
    tree_file("sys/devices/" NVME "/../hwmon2/temp1_max", "84850\n");
    expect_none();
    tree_file("sys/devices/" NVME "/../hwmon2/temp1_input", "85850\n");
    expect("temperature", "nvme0n1 is hot: 86 C; its limit is 85 C");
}

static void write_cache(void **state)
{
    (void)state;
    make_sata("6.0 Gbps", "6.0 Gbps", "850e");
    tree_file("sys/devices/" SATA "/device/vendor", "ATA     \n");
    tree_file("sys/devices/" SATA "/device/scsi_disk/2:0:0:0/cache_type", "write back\n");
    expect_none();
    tree_file("sys/devices/" SATA "/device/scsi_disk/2:0:0:0/cache_type", "write through\n");
    expect("write_cache", "sda: its write cache is off");
    tree_file("sys/devices/" SATA "/device/vendor", "DELL    \n"); /* a controller with a battery */
    expect_none();
}

static void kinds(void **state)
{
    (void)state;
    make_sata("6.0 Gbps", "6.0 Gbps", "850e");
    tree_file("sys/devices/" SATA "/queue/rotational", "1\n");
    expect("rotational", "sda rotates");
    tree_file("sys/devices/" SATA "/device/model", "QEMU HARDDISK   \n"); /* says rotational 1 */
    expect("virtual", "sda is virtual: a cache of the host may answer");
}

static void mappings(void **state)
{
    (void)state;
    make_device("virtual/block/dm-0", 0);
    tree_file("sys/devices/virtual/block/dm-0/dm/uuid", "LVM-3Ckd\n");
    expect_none();
    tree_file("sys/devices/virtual/block/dm-0/dm/uuid", "CRYPT-LUKS2-2bc0-luks\n");
    expect("mapping", "dm-0 is encrypted (dm-crypt)");
    tree_file("sys/devices/virtual/block/dm-0/dm/uuid", "LVM-3Ckd-tpool\n");
    expect("mapping", "dm-0 is a pool of thin volumes: what was never written has no place yet");
}

static void filesystems(void **state)
{
    (void)state;
    make_device("platform/sda", 0);
    strcpy(mounted.options, "rw,relatime,compress=no");
    expect_none();
    strcpy(mounted.options, "rw,relatime,compress=zstd:3,ssd");
    expect("compression", "the filesystem compresses (compress=zstd:3)");
    strcpy(mounted.options, "rw");
    strcpy(mounted.filesystem, "btrfs");
    strcpy(mounted.uuid, "2d8a");
    tree_link("sys/fs/btrfs/2d8a/devices/sda", "../../../../devices/platform/sda");
    tree_file("sys/fs/btrfs/2d8a/exclusive_operation", "none\n");
    expect_none();
    tree_file("sys/fs/btrfs/2d8a/exclusive_operation", "balance\n");
    expect("balance", "btrfs: balance under way");
    mounted = (struct mount_info){.root = ""};
    mounted.used_percent = 94.9;
    expect_none();
    mounted.used_percent = 96;
    expect("full", "the filesystem is full to 96 %");
    mounted.used_percent = 0;
}

static void machine(void **state)
{
    (void)state;
    make_device("platform/sda", 0);
    tree_file("proc/pressure/memory", "some avg10=0.12 avg60=0.00 avg300=0.00 total=1\n");
    tree_file("sys/class/power_supply/AC/type", "Mains\n");
    tree_file("sys/class/power_supply/AC/online", "1\n");
    tree_file("sys/class/power_supply/BAT0/type", "Battery\n");
#define CPU "sys/devices/system/cpu/cpu0/cpufreq/"
    tree_file(CPU "scaling_governor", "powersave\n");
    tree_file(CPU "scaling_driver", "intel_pstate\n");
    tree_file(CPU "scaling_cur_freq", "800000\n");
    tree_file(CPU "cpuinfo_max_freq", "3400000\n");
    expect_none();
    tree_file(CPU "scaling_driver", "acpi-cpufreq\n");
    expect("cpu_frequency", "CPUs run at 800 of 3400 MHz (governor powersave)");
    tree_file(CPU "scaling_cur_freq", "3400000\n");
    tree_file("sys/class/power_supply/AC/online", "0\n");
    expect("battery", "the machine runs on battery");
    tree_file("sys/class/power_supply/AC/online", "1\n");
    tree_file("proc/pressure/memory", "some avg10=43.20 avg60=20.00 avg300=5.00 total=99\n");
    expect("memory", "memory is short: programs waited for it 43 % of the time");
}

/* What ended during the measurement was not in its way all the time. */
static void what_lasts(void **state)
{
    (void)state;
    make_nvme("8.0 GT/s PCIe", "1", "8.0 GT/s PCIe", "4", "8.0 GT/s PCIe", "4");
    tree_file("proc/pressure/memory", "some avg10=43.20 avg60=20.00 avg300=5.00 total=99\n");
    find();
    assert_int_equal(facts.count, 2);
    tree_file("proc/pressure/memory", "some avg10=0.00 avg60=20.00 avg300=5.00 total=99\n");
    facts_look(&facts, &mounted, &set, true);
    assert_int_equal(facts.count, 1);
    assert_string_equal(facts.list[0].key, "link");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pcie, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(pcie_generation, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(pcie_healthy, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(sata, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(sata_healthy, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(usb, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(usb_healthy, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(sas, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(sas_drive, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(network, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(trims, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(lazy_init, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(partition, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(raid, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(heat, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(write_cache, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(kinds, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(mappings, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(filesystems, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(machine, tree_make, tree_remove),
        cmocka_unit_test_setup_teardown(what_lasts, tree_make, tree_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
