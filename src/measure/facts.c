// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/facts.h"

#include <arpa/inet.h>
#include <glob.h>
#include <ifaddrs.h>
#include <math.h>
#include <stdarg.h>
#include <sys/socket.h>

#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/printable.h"

struct look {
    const struct mount_info *mount;
    const struct device_set *set;
    const struct device *device; /* NULL: the row is about the machine or the filesystem */
    char directory[40];          /* of the device: "/sys/dev/block/8:0" */
    char path[PATH_MAX];         /* where that leads: "../../devices/..."; may be empty */
    char *link;                  /* FACT_LINK bytes: its name, whether or not it is a fact */
    uint64_t *discards;          /* of the device, at the first look */
    bool is_first;
    bool others_moved; /* others were seen to use the device since the look before */
    struct fact *fact;
};

/* Says a fact in words. Returns true, as does a row that has found something. */
__attribute__((format(printf, 2, 3))) static bool say(const struct look *l, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(l->fact->text, sizeof l->fact->text, format, values);
    va_end(values);
    return true;
}

/* The beginning of a file. Its first newline is a NUL; what follows is still there. */
struct line {
    char text[512];
};

/* Reads the first file below the root that matches a pattern of glob(3) and, unless `wanted` is
 * NULL, begins with this line. Empty: there is none. */
static struct line find_line(const struct look *l, const char *directory, const char *files,
                             const char *wanted)
{
    struct line line = {""};
    char pattern[2 * PATH_MAX];
    glob_t found = {0};
    bool is_found = false;
    snprintf(pattern, sizeof pattern, "%s%s%s", l->set->root, directory, files);
    if (glob(pattern, 0, NULL, &found) != 0)
        return line;
    for (size_t i = 0; i < found.gl_pathc && !is_found; i++) {
        line = (struct line){""};
        kernel_file_text(found.gl_pathv[i], line.text, sizeof line.text);
        line.text[strcspn(line.text, "\n")] = '\0';
        is_found = !wanted || strcmp(line.text, wanted) == 0;
    }
    globfree(&found);
    return is_found ? line : (struct line){""};
}

/* The number with which such a file begins; 0: there is none. */
static double number_in(const struct look *l, const char *directory, const char *files)
{
    return strtod(find_line(l, directory, files, NULL).text, NULL);
}

/* An NVMe drive whose link is slower than both the drive and the slot. */
static bool see_pcie(const struct look *l)
{
    /* the generations, and how much data a lane carries (PCI Express Base Specification) */
    static const struct {
        double gigatransfers, megabytes;
    } lane[] = {{0, 0},         {2.5, 250},     {5, 500},     {8, 984.615},
                {16, 1969.231}, {32, 3938.462}, {64, 7562.5}, {128, 15125}};
    static const char *const links[] = {"current", "max", "../max"};
    unsigned generation[3], width[3];  /* of the link, the drive and the slot */
    for (unsigned i = 0; i < 3; i++) { /* "8.0 GT/s PCIe" and "4" */
        char file[64];
        snprintf(file, sizeof file, "/device/device/%s_link_speed", links[i]);
        double speed = number_in(l, l->directory, file);
        snprintf(file, sizeof file, "/device/device/%s_link_width", links[i]);
        width[i] = (unsigned)number_in(l, l->directory, file);
        if (speed <= 0 || width[i] == 0 || width[i] > 32)
            return false;
        generation[i] = 1;
        while (generation[i] < 7 && lane[generation[i]].gigatransfers < speed)
            generation[i]++;
        if (i == 0)
            snprintf(l->link, FACT_LINK, "PCIe %u.0 x%u", generation[0], width[0]);
    }
    unsigned most = MIN(generation[1], generation[2]);
    unsigned widest = MIN(width[1], width[2]);
    double speed = lane[generation[0]].megabytes * width[0];
    l->fact->bytes_per_second = (uint64_t)(speed * 1e6);
    return speed < lane[most].megabytes * widest &&
           say(l, "%s: %s; drive and slot can do %u.0 x%u", l->device->name, l->link, most, widest);
}

/* Sets the path of the device up to a part of it. Returns false when it has no such part. */
static bool path_before(const struct look *l, const char *part, char path[PATH_MAX])
{
    const char *end = strstr(l->path, part);
    snprintf(path, PATH_MAX, "/sys/dev/block/%.*s", end ? (int)(end - l->path) : 0, l->path);
    return end;
}

/* The fastest generation that a drive names in word 76 of its identity (ATA8-ACS), in Gbit/s. The
 * kernel shows each word as four hexadecimal digits and a blank. */
static bool see_sata(const struct look *l)
{
    char port[PATH_MAX];
    if (!path_before(l, "/host", port) || strncmp(strrchr(port, '/'), "/ata", 4) != 0)
        return false;
    struct line words = find_line(l, port, "/link*/dev*.0/ata_device/dev*.0/id", NULL);
    unsigned long word = strtoul(words.text + 76 * strlen("0000 "), NULL, 16);
    double drive = word == 0xffff ? 0 : word & 8 ? 6 : word & 4 ? 3 : word & 2 ? 1.5 : 0;
    double speed = number_in(l, port, "/link*/ata_link/link*/sata_spd");
    double limit = number_in(l, port, "/link*/ata_link/link*/hw_sata_spd_limit");
    limit = drive < limit ? drive : limit;
    if (speed <= 0)
        return false;
    snprintf(l->link, FACT_LINK, "SATA %.1f Gbit/s", speed);
    l->fact->bytes_per_second = (uint64_t)(speed * 1e8); /* 8 of 10 bits are data */
    return speed < limit && say(l, "%s: SATA at %.1f Gbit/s; drive and port can do %.1f",
                                l->device->name, speed, limit);
}

/* A fast device at a port whose fast half, the peer, is not used. A device says that it can do
 * SuperSpeed by a descriptor of a capability of type 3 (USB 3.2 specification, 9.6.2). */
static bool see_usb(const struct look *l)
{
    char device[PATH_MAX], file[2 * PATH_MAX], bytes[512] = "";
    bool is_fast = false;
    if (!path_before(l, "/host", device) || !strstr(device, "/usb"))
        return false;
    *strrchr(device, '/') = '\0'; /* the interface, "2-1:1.0" */
    double speed = number_in(l, device, "/speed");
    if (speed <= 0)
        return false;
    snprintf(l->link, FACT_LINK, "USB %.0f Mbit/s", speed);
    snprintf(file, sizeof file, "%s%s/bos_descriptors", l->set->root, device);
    kernel_file_text(file, bytes, sizeof bytes);
    for (size_t at = 0; at + 2 < sizeof bytes && bytes[at] >= 3; at += (size_t)bytes[at])
        is_fast |= bytes[at + 1] == 0x10 && bytes[at + 2] == 3;
    snprintf(file, sizeof file, "%s%s/port/peer", l->set->root, device);
    l->fact->bytes_per_second = (uint64_t)(speed * 1e6 / 8);
    return speed <= 480 && is_fast && kernel_file_exists(file) &&
           say(l, "%s: USB at %.0f Mbit/s; drive and port can do 5000", l->device->name, speed);
}

/* SAS: how fast a drive could be, the kernel does not show, but it does of both ends of the link
 * between the controller and the first expander. */
static bool see_sas(const struct look *l)
{
    char port[PATH_MAX]; /* of the drive, and then of the controller */
    if (!path_before(l, "/end_device-", port))
        return false;
#define PHY "/phy-*/sas_phy/*/"
    double speed = number_in(l, port, PHY "negotiated_linkrate");
    if (speed > 0)
        snprintf(l->link, FACT_LINK, "SAS %.1f Gbit/s", speed);
    double limit = number_in(l, port, "/.." PHY "maximum_linkrate_hw");
    if (!path_before(l, "/expander-", port))
        return false;
    speed = number_in(l, port, PHY "negotiated_linkrate");
    limit = fmin(number_in(l, port, PHY "maximum_linkrate_hw"), limit);
    return speed > 0 && speed < limit &&
           say(l, "%s: SAS at %.1f Gbit/s a lane; controller and expander can do %.1f",
               l->device->name, speed, limit);
}

/* The interface towards the server of an NFS: the one with the address from which the kernel would
 * send something there. Nothing is sent. */
static bool see_network(const struct look *l)
{
    union {
        struct sockaddr_in6 v6;
        struct sockaddr_in v4;
        struct sockaddr any;
    } end = {0};
    char text[INET6_ADDRSTRLEN] = "", interface[24] = "";
    struct ifaddrs *all = NULL;
    socklen_t size = sizeof end;
    const char *address = strstr(l->mount->options, ",addr=");
    if (strncmp(l->mount->filesystem, "nfs", 3) != 0 || !address ||
        strstr(l->mount->options, ",proto=rdma") ||
        sscanf(address, ",addr=%45[0-9a-fA-F.:]", text) != 1)
        return false;
    bool is_v6 = inet_pton(AF_INET, text, &end.v4.sin_addr) != 1;
    if (is_v6 && inet_pton(AF_INET6, text, &end.v6.sin6_addr) != 1)
        return false;
    end.any.sa_family = is_v6 ? AF_INET6 : AF_INET;
    int fd = socket(end.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, &end.any, size) == 0 && getsockname(fd, &end.any, &size) == 0)
        getifaddrs(&all);
    descriptor_close(&fd);
    for (const struct ifaddrs *i = all; i; i = i->ifa_next) {
        const void *own = i->ifa_addr;
        if (own && i->ifa_addr->sa_family == end.any.sa_family &&
            (is_v6 ? memcmp(&((const struct sockaddr_in6 *)own)->sin6_addr, &end.v6.sin6_addr,
                            sizeof end.v6.sin6_addr) == 0
                   : ((const struct sockaddr_in *)own)->sin_addr.s_addr == end.v4.sin_addr.s_addr))
            snprintf(interface, sizeof interface, "/%.15s/speed", i->ifa_name);
    }
    freeifaddrs(all);
    double speed = *interface ? number_in(l, "/sys/class/net", interface) : 0;
    if (speed <= 0)
        return false;
    *strrchr(interface, '/') = '\0';
    snprintf(l->link, FACT_LINK, "%s %.0f Mbit/s", interface + 1, speed);
    l->fact->bytes_per_second = (uint64_t)(speed * 1e6 / 8);
    return speed < 6000 && /* what a SATA drive has: what carries more is not in the way */
           say(l, "%s towards the server: %.0f Mbit/s", interface + 1, speed);
}

/* Others trimmed the device. A filesystem mounted with `discard` does so when files are removed. */
static bool see_trims(const struct look *l)
{
    uint64_t now = 0;
    sscanf(find_line(l, l->directory, "/stat", NULL).text,
           "%*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &now);
    if (l->is_first || now < *l->discards)
        *l->discards = now;
    return now > *l->discards && !strstr(l->mount->options, ",discard") &&
           say(l, "%s: %" PRIu64 " trims by others meanwhile", l->device->name, now - *l->discards);
}

static bool see_offset(const struct look *l)
{
    return number_in(l, l->directory, "/alignment_offset") != 0 &&
           say(l, "%s begins inside a physical block: each write changes one more",
               l->device->name);
}

static bool see_raid(const struct look *l)
{
    struct line action = find_line(l, l->directory, "/md/sync_action", NULL);
    struct line left = find_line(l, l->directory, "/md/sync_completed", NULL);
    double done, all;
    double missing = number_in(l, l->directory, "/md/degraded");
    if (!*action.text || strcmp(action.text, "idle") == 0 || strcmp(action.text, "frozen") == 0)
        return missing > 0 &&
               say(l, "%s is degraded: %.0f of its devices missing", l->device->name, missing);
    if (sscanf(left.text, "%lf / %lf", &done, &all) == 2 && all > 0)
        return say(l, "%s: %s under way; %.0f %% done", l->device->name, action.text,
                   100 * done / all);
    return say(l, "%s: %s under way", l->device->name, action.text);
}

static bool see_heat(const struct look *l)
{
    double now = number_in(l, l->directory, "/device/hwmon*/temp1_input");
    double limit = number_in(l, l->directory, "/device/hwmon*/temp1_max");
    if (now <= 0) {
        now = number_in(l, l->directory, "/device/hwmon/hwmon*/temp1_input");
        limit = number_in(l, l->directory, "/device/hwmon/hwmon*/temp1_max");
    }
    return limit > 0 && now >= limit &&
           say(l, "%s is hot: %.0f C; its limit is %.0f C", l->device->name, now / 1000,
               limit / 1000);
}

static bool see_write_cache(const struct look *l)
{
    const char *cache = "/device/scsi_disk/*/cache_type";
    return strncmp(find_line(l, l->directory, "/device/vendor", NULL).text, "ATA", 3) == 0 &&
           *find_line(l, l->directory, cache, "write through").text &&
           say(l, "%s: its write cache is off", l->device->name);
}

static bool see_virtual(const struct look *l)
{
    return device_is_virtual(l->set, l->device) && strncmp(l->device->name, "loop", 4) != 0 &&
           say(l, "%s is virtual: a cache of the host may answer", l->device->name);
}

static bool see_rotation(const struct look *l)
{
    return number_in(l, l->directory, "/queue/rotational") == 1 &&
           !device_is_virtual(l->set, l->device) && say(l, "%s rotates", l->device->name);
}

static bool see_mapping(const struct look *l)
{
    struct line uuid = find_line(l, l->directory, "/dm/uuid", NULL);
    const char *last = strrchr(uuid.text, '-');
    if (strncmp(uuid.text, "CRYPT-", 6) == 0)
        return say(l, "%s is encrypted (dm-crypt)", l->device->name);
    if (last && strcmp(last, "-tpool") == 0)
        return say(l, "%s is a pool of thin volumes: what was never written has no place yet",
                   l->device->name);
    return last && strcmp(last, "-cow") == 0 &&
           say(l, "%s keeps a snapshot: each first write copies", l->device->name);
}

static bool see_balance(const struct look *l)
{
    char file[64];
    snprintf(file, sizeof file, "/%s/exclusive_operation", l->mount->uuid);
    struct line work = find_line(l, "/sys/fs/btrfs", file, NULL);
    return *work.text && strcmp(work.text, "none") != 0 && say(l, "btrfs: %s under way", work.text);
}

/* The kernel does not say which ext4 its thread works on, so only one may be mounted, by anybody,
 * and others must have been seen to use the device. */
static bool see_lazy_init(const struct look *l)
{
    char pattern[PATH_MAX];
    glob_t mounted = {0};
    if (!l->others_moved || strcmp(l->mount->filesystem, "ext4") != 0)
        return false;
    snprintf(pattern, sizeof pattern, "%s/sys/fs/ext4/*/lifetime_write_kbytes", l->set->root);
    bool is_only = glob(pattern, GLOB_NOSORT, NULL, &mounted) == 0 && mounted.gl_pathc == 1;
    globfree(&mounted);
    return is_only && *find_line(l, "/proc", "/[0-9]*/comm", "ext4lazyinit").text &&
           say(l, "this ext4 is still being initialized (ext4lazyinit)");
}

static bool see_compression(const struct look *l)
{
    const char *at = strstr(l->mount->options, ",compress");
    return at && strncmp(at, ",compress=no", 12) != 0 &&
           say(l, "the filesystem compresses (%.*s)", (int)strcspn(at + 1, ","), at + 1);
}

static bool see_fullness(const struct look *l)
{
    return l->mount->used_percent >= 95 &&
           say(l, "the filesystem is full to %.0f %%", l->mount->used_percent);
}

/* At least 10 % of the last ten seconds (Documentation/accounting/psi.rst of the kernel). */
static bool see_memory(const struct look *l)
{
    double percent = 0;
    return sscanf(find_line(l, "", "/proc/pressure/memory", NULL).text, "some avg10=%lf",
                  &percent) == 1 &&
           percent >= 10 &&
           say(l, "memory is short: programs waited for it %.0f %% of the time", percent);
}

static bool see_battery(const struct look *l)
{
#define SUPPLY "/sys/class/power_supply/*/"
    return *find_line(l, SUPPLY, "type", "Battery").text &&
           *find_line(l, SUPPLY, "type", "Mains").text &&
           !*find_line(l, SUPPLY, "online", "1").text && say(l, "the machine runs on battery");
}

/* Drivers that choose the speed themselves call the same governor "powersave". */
static bool see_governor(const struct look *l)
{
#define CPU "/sys/devices/system/cpu/cpu0/cpufreq"
    struct line driver = find_line(l, CPU, "/scaling_driver", NULL);
    if (strcmp(find_line(l, CPU, "/scaling_governor", NULL).text, "powersave") != 0 ||
        !*driver.text || strstr(driver.text, "pstate"))
        return false;
    double megahertz = number_in(l, CPU, "/scaling_cur_freq") / 1000;
    double limit = number_in(l, CPU, "/cpuinfo_max_freq") / 1000;
    return megahertz > 0 && megahertz < limit / 2 &&
           say(l, "CPUs run at %.0f of %.0f MHz (governor powersave)", megahertz, limit);
}

enum scope { MACHINE, DRIVES, ALL };

static const struct row {
    const char *key;
    enum scope scope;
    bool (*see)(const struct look *l);
    bool is_between; /* it is about the time between two looks */
} rows[] = {
    {"link", DRIVES, see_pcie, false},
    {"link", DRIVES, see_sata, false},
    {"link", DRIVES, see_usb, false},
    {"link", DRIVES, see_sas, false},
    {"link", MACHINE, see_network, false},
    {"raid", ALL, see_raid, false},
    {"alignment", ALL, see_offset, false},
    {"temperature", DRIVES, see_heat, false},
    {"write_cache", DRIVES, see_write_cache, false},
    {"balance", MACHINE, see_balance, false},
    {"lazy_init", MACHINE, see_lazy_init, true},
    {"trim", ALL, see_trims, true},
    {"memory", MACHINE, see_memory, false},
    {"battery", MACHINE, see_battery, false},
    {"cpu_frequency", MACHINE, see_governor, false},
    {"full", MACHINE, see_fullness, false},
    {"mapping", ALL, see_mapping, false},
    {"compression", MACHINE, see_compression, false},
    {"rotational", DRIVES, see_rotation, false},
    {"virtual", DRIVES, see_virtual, false},
};

void facts_look(struct facts *f, const struct mount_info *m, const struct device_set *d,
                bool others_moved)
{
    const struct facts before = *f;
    unsigned drives = 0;
    f->link_per_second = f->count = 0;
    f->has_looked = true;
    for (unsigned i = 0; i < d->count; i++)
        drives += d->devices[i].is_drive;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned devices = rows[i].scope == MACHINE ? 1 : d->count;
        for (unsigned k = 0; k < devices && f->count < FACT_MAX; k++) {
            struct fact *fact = &f->list[f->count];
            struct look l = {.mount = m,
                             .set = d,
                             .link = f->link,
                             .discards = &f->discards[k],
                             .is_first = !before.has_looked,
                             .others_moved = others_moved,
                             .fact = fact};
            if (rows[i].scope != MACHINE) {
                char link[PATH_MAX];
                l.device = &d->devices[k];
                if (rows[i].scope == DRIVES && !l.device->is_drive)
                    continue;
                snprintf(l.directory, sizeof l.directory, "/sys/dev/block/%u:%u", l.device->major,
                         l.device->minor);
                snprintf(link, sizeof link, "%s%s", d->root, l.directory);
                kernel_file_link(link, l.path, sizeof l.path);
            }
            bool counts = !before.has_looked || rows[i].is_between;
            for (unsigned n = 0; n < before.count && !counts; n++)
                counts = strcmp(before.list[n].key, rows[i].key) == 0 && before.list[n].device == k;
            *fact = (struct fact){.key = rows[i].key, .device = k};
            if (!rows[i].see(&l) || !counts)
                continue;
            f->count++;
            if (fact->bytes_per_second == 0)
                continue;
            size_t used = strlen(fact->text);
            snprintf(fact->text + used, sizeof fact->text - used, ": at most %.0f MB/s",
                     (double)fact->bytes_per_second / 1e6);
            if (drives < 2)
                f->link_per_second = fact->bytes_per_second;
        }
    }
    if (drives > 1)
        *f->link = '\0';
}

void facts_print(FILE *out, const char *label, const struct facts *f)
{
    for (unsigned i = 0; i < f->count && i < FACT_PRINTED; i++) {
        struct label_text text = {""};
        label_add(&text, "%s", printable(f->list[i].text).text);
        label_print(out, label, &text);
    }
}
