// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/facts.h"

#include <glob.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/kernel_file.h"

/* What a row of the table looks at, and what it says. */
struct look {
    const struct mount_info *mount;
    const struct device_set *set;
    const struct device *device; /* NULL: the row is about the machine or the filesystem */
    double used_percent;         /* of the filesystem; 0: not known */
    struct fact *fact;
};

#define TEXT 128

/* Says a fact in words. Returns true, as does a row that has found something. */
__attribute__((format(printf, 2, 3))) static bool say(const struct look *l, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(l->fact->text, sizeof l->fact->text, format, values);
    va_end(values);
    return true;
}

/* Reads the first line of a file in the device's directory. Returns false if there is none. */
static bool device_text(const struct look *l, const char *name, char text[TEXT])
{
    return device_fact(l->set, l->device, name, text, TEXT);
}

static double device_number(const struct look *l, const char *name)
{
    char text[TEXT];
    return device_text(l, name, text) ? strtod(text, NULL) : 0;
}

/* A path of the kernel's, below the root. */
struct kernel_path {
    char text[PATH_MAX];
};

__attribute__((format(printf, 2, 3))) static struct kernel_path below_root(const struct look *l,
                                                                           const char *format, ...)
{
    struct kernel_path path;
    va_list values;
    size_t length = (size_t)snprintf(path.text, sizeof path.text, "%s", l->set->root);
    va_start(values, format);
    vsnprintf(path.text + length, sizeof path.text - length, format, values);
    va_end(values);
    return path;
}

/* Reads the first line of the first file that matches the pattern. */
static bool match_text(struct kernel_path pattern, char text[TEXT])
{
    glob_t found;
    *text = '\0';
    if (glob(pattern.text, 0, NULL, &found) != 0)
        return false;
    bool is_there = kernel_file_text(found.gl_pathv[0], text, TEXT);
    text[strcspn(text, "\n")] = '\0';
    globfree(&found);
    return is_there;
}

/* Where the device's directory is below /sys: "/sys/devices/pci0000:00/...". False: not known. */
static bool device_path(const struct look *l, char path[PATH_MAX])
{
    char target[PATH_MAX];
    struct kernel_path link =
        below_root(l, "/sys/dev/block/%u:%u", l->device->major, l->device->minor);
    const char *devices =
        kernel_file_link(link.text, target, sizeof target) ? strstr(target, "/devices/") : NULL;
    return devices && snprintf(path, PATH_MAX, "/sys%s", devices) < PATH_MAX;
}

/* ---- links ----------------------------------------------------------------------------------- */

struct pcie {
    double gigatransfers;
    unsigned lanes;
};

/* MB/s for each lane, by the encoding of each generation (PCI Express Base Specification). */
static double pcie_speed(const struct pcie *p)
{
    double bytes = p->gigatransfers * 1000 / 8;
    double used = p->gigatransfers < 8    ? 8.0 / 10
                  : p->gigatransfers < 64 ? 128.0 / 130
                                          : 242.0 / 256;
    return bytes * used * p->lanes;
}

static const char *pcie_name(const struct pcie *p)
{
    static const struct {
        double gigatransfers;
        const char *name;
    } names[] = {{2.5, "1.0"}, {5, "2.0"}, {8, "3.0"}, {16, "4.0"}, {32, "5.0"}, {64, "6.0"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (p->gigatransfers <= names[i].gigatransfers)
            return names[i].name;
    return "7.0";
}

/* Reads two files of a PCI device: "8.0 GT/s PCIe" and "4". */
static bool pcie_read(const struct look *l, const char *which, struct pcie *p)
{
    char name[TEXT];
    snprintf(name, sizeof name, "%s_link_speed", which);
    p->gigatransfers = device_number(l, name);
    snprintf(name, sizeof name, "%s_link_width", which);
    p->lanes = (unsigned)device_number(l, name);
    return p->gigatransfers > 0 && p->lanes > 0 && p->lanes <= 32;
}

/* An NVMe drive whose link is slower than both the drive and the slot. */
static bool see_pcie(const struct look *l)
{
    struct pcie now, drive, slot;
    if (!pcie_read(l, "device/device/current", &now) ||
        !pcie_read(l, "device/device/max", &drive) || !pcie_read(l, "device/device/../max", &slot))
        return false;
    if (slot.lanes < drive.lanes)
        drive.lanes = slot.lanes;
    if (slot.gigatransfers < drive.gigatransfers)
        drive.gigatransfers = slot.gigatransfers;
    double speed = pcie_speed(&now);
    if (speed >= pcie_speed(&drive))
        return false;
    l->fact->bytes_per_second = (uint64_t)(speed * 1e6);
    return say(l, "%s: PCIe %s x%u; drive and slot can do %s x%u: at most %.0f MB/s",
               l->device->name, pcie_name(&now), now.lanes, pcie_name(&drive), drive.lanes, speed);
}

/*
 * The fastest generation of SATA that the drive names in word 76 of its identity (ATA8-ACS), in
 * Gbit/s. The kernel shows the words as hexadecimal numbers.
 */
static double sata_of_drive(const struct look *l, const char *port)
{
    char words[2048];
    unsigned word = 0;
    const char *number = strrchr(port, '/') + strlen("/ata");
    if (!kernel_file_text(
            below_root(l, "%s/link%s/dev%s.0/ata_device/dev%s.0/id", port, number, number, number)
                .text,
            words, sizeof words))
        return 0;
    char *at = words;
    for (unsigned i = 0; i <= 76; i++) {
        char *end;
        word = (unsigned)strtoul(at, &end, 16);
        if (end == at)
            return 0;
        at = end;
    }
    return word == 0xffff ? 0 : word & 8 ? 6 : word & 4 ? 3 : word & 2 ? 1.5 : 0;
}

static bool see_sata(const struct look *l)
{
    char port[PATH_MAX];
    char now[TEXT];
    char most[TEXT];
    char *ata = device_path(l, port) ? strstr(port, "/ata") : NULL;
    if (!ata)
        return false;
    ata[1 + strcspn(ata + 1, "/")] = '\0';
    double drive = sata_of_drive(l, port);
    if (!match_text(below_root(l, "%s/link*/ata_link/link*/sata_spd", port), now) ||
        !match_text(below_root(l, "%s/link*/ata_link/link*/hw_sata_spd_limit", port), most))
        return false;
    double speed = strtod(now, NULL);
    double limit = strtod(most, NULL);
    limit = drive < limit ? drive : limit;
    if (speed <= 0 || speed >= limit)
        return false;
    l->fact->bytes_per_second = (uint64_t)(speed * 1e8); /* 8 of 10 bits are data */
    return say(l, "%s: SATA at %.1f Gbit/s; drive and port can do %.1f: at most %.0f MB/s",
               l->device->name, speed, limit, speed * 100);
}

/*
 * Whether a USB device says that it can do SuperSpeed: a capability of type 3 in the descriptors
 * that it has beside the old ones (USB 3.2 specification, 9.6.2).
 */
static bool usb_is_fast(const struct look *l, const char *device)
{
    unsigned char bytes[512];
    FILE *in = kernel_file_read(below_root(l, "%s/bos_descriptors", device).text);
    size_t length = in ? fread(bytes, 1, sizeof bytes, in) : 0;
    if (in)
        fclose(in);
    for (size_t at = 0; at + 2 < length && bytes[at] >= 3; at += bytes[at])
        if (bytes[at + 1] == 0x10 && bytes[at + 2] == 3)
            return true;
    return false;
}

/* A fast device at a port whose fast half is not used. */
static bool see_usb(const struct look *l)
{
    char device[PATH_MAX];
    char text[TEXT];
    char *interface = device_path(l, device) ? strstr(device, ":1.") : NULL;
    if (!interface || !strstr(device, "/usb"))
        return false;
    while (*interface != '/')
        interface--;
    *interface = '\0';
    if (!match_text(below_root(l, "%s/speed", device), text) || strtod(text, NULL) > 480 ||
        !kernel_file_exists(below_root(l, "%s/port/peer", device).text) || !usb_is_fast(l, device))
        return false;
    l->fact->bytes_per_second = (uint64_t)(strtod(text, NULL) * 1e6 / 8);
    return say(l, "%s: USB at %.0f Mbit/s; drive and port can do 5000: at most %.0f MB/s",
               l->device->name, strtod(text, NULL), strtod(text, NULL) / 8);
}

/* ---- devices --------------------------------------------------------------------------------- */

static bool see_offset(const struct look *l)
{
    double offset = device_number(l, "alignment_offset");
    return offset != 0 && say(l, "%s begins inside a physical block: each write changes one more",
                              l->device->name);
}

static bool see_raid(const struct look *l)
{
    char text[TEXT];
    double done, all;
    unsigned missing = (unsigned)device_number(l, "md/degraded");
    if (device_text(l, "md/sync_action", text) && strcmp(text, "idle") != 0 &&
        strcmp(text, "frozen") != 0) {
        char left[TEXT];
        if (device_text(l, "md/sync_completed", left) &&
            sscanf(left, "%lf / %lf", &done, &all) == 2 && all > 0)
            return say(l, "%s: %s under way; %.0f %% done", l->device->name, text,
                       100 * done / all);
        return say(l, "%s: %s under way", l->device->name, text);
    }
    return missing > 0 &&
           say(l, "%s is degraded: %u of its devices missing", l->device->name, missing);
}

static bool see_heat(const struct look *l)
{
    char now[TEXT];
    char most[TEXT];
    static const char *const places[] = {"device/hwmon*", "device/hwmon/hwmon*"};
    for (size_t i = 0; i < 2; i++) {
        if (!match_text(below_root(l, "/sys/dev/block/%u:%u/%s/temp1_input", l->device->major,
                                   l->device->minor, places[i]),
                        now) ||
            !match_text(below_root(l, "/sys/dev/block/%u:%u/%s/temp1_max", l->device->major,
                                   l->device->minor, places[i]),
                        most))
            continue;
        double limit = strtod(most, NULL);
        return limit > 0 && strtod(now, NULL) >= limit &&
               say(l, "%s is hot: %.0f C; its limit is %.0f C", l->device->name,
                   strtod(now, NULL) / 1000, limit / 1000);
    }
    return false;
}

static bool see_write_cache(const struct look *l)
{
    char text[TEXT];
    char vendor[TEXT];
    return device_text(l, "device/vendor", vendor) && strncmp(vendor, "ATA", 3) == 0 &&
           match_text(below_root(l, "/sys/dev/block/%u:%u/device/scsi_disk/*/cache_type",
                                 l->device->major, l->device->minor),
                      text) &&
           strcmp(text, "write through") == 0 &&
           say(l, "%s: its write cache is off", l->device->name);
}

static bool see_virtual(const struct look *l)
{
    return device_is_virtual(l->set, l->device) && strncmp(l->device->name, "loop", 4) != 0 &&
           say(l, "%s is virtual: a cache of the host may answer", l->device->name);
}

static bool see_rotation(const struct look *l)
{
    return device_number(l, "queue/rotational") == 1 && !device_is_virtual(l->set, l->device) &&
           say(l, "%s rotates", l->device->name);
}

static bool see_mapping(const struct look *l)
{
    char uuid[TEXT];
    if (!device_text(l, "dm/uuid", uuid))
        return false;
    const char *last = strrchr(uuid, '-');
    if (strncmp(uuid, "CRYPT-", 6) == 0)
        return say(l, "%s is encrypted (dm-crypt)", l->device->name);
    if (last && strcmp(last, "-tpool") == 0)
        return say(l, "%s is a pool of thin volumes: what was never written has no place yet",
                   l->device->name);
    return last && strcmp(last, "-cow") == 0 &&
           say(l, "%s keeps a snapshot: each first write copies", l->device->name);
}

/* ---- the filesystem and the machine ------------------------------------------------------------
 */

static bool see_balance(const struct look *l)
{
    char text[TEXT];
    return strcmp(l->mount->filesystem, "btrfs") == 0 && *l->mount->uuid &&
           match_text(below_root(l, "/sys/fs/btrfs/%s/exclusive_operation", l->mount->uuid),
                      text) &&
           strcmp(text, "none") != 0 && say(l, "btrfs: %s under way", text);
}

static bool see_compression(const struct look *l)
{
    const char *at = strstr(l->mount->options, ",compress");
    return at && strncmp(at, ",compress=no", 12) != 0 &&
           say(l, "the filesystem compresses (%.*s)", (int)strcspn(at + 1, ","), at + 1);
}

static bool see_fullness(const struct look *l)
{
    return l->used_percent >= 95 && say(l, "the filesystem is full to %.0f %%", l->used_percent);
}

/* At least 10 % of the last ten seconds (Documentation/accounting/psi.rst of the kernel). */
static bool see_memory(const struct look *l)
{
    char text[TEXT];
    double percent = 0;
    return match_text(below_root(l, "/proc/pressure/memory"), text) &&
           sscanf(text, "some avg10=%lf", &percent) == 1 && percent >= 10 &&
           say(l, "memory is short: programs waited for it %.0f %% of the time", percent);
}

/* Whether a supply of that kind is there and on. */
static bool supply_is_on(const struct look *l, const char *type, bool *is_there)
{
    glob_t found;
    bool is_on = false;
    if (glob(below_root(l, "/sys/class/power_supply/*").text, 0, NULL, &found) != 0)
        return false;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char text[TEXT];
        const char *name = found.gl_pathv[i] + strlen(l->set->root);
        if (!match_text(below_root(l, "%s/type", name), text) || strcmp(text, type) != 0)
            continue;
        *is_there = true;
        is_on |= match_text(below_root(l, "%s/online", name), text) && *text == '1';
    }
    globfree(&found);
    return is_on;
}

static bool see_battery(const struct look *l)
{
    bool has_mains = false;
    bool has_battery = false;
    bool is_on_mains = supply_is_on(l, "Mains", &has_mains);
    supply_is_on(l, "Battery", &has_battery);
    return has_mains && has_battery && !is_on_mains && say(l, "the machine runs on battery");
}

/* Drivers that choose the speed themselves call the same governor "powersave". */
static bool see_governor(const struct look *l)
{
    char governor[TEXT];
    char driver[TEXT];
    char now[TEXT];
    char most[TEXT];
    const char *const cpu = "/sys/devices/system/cpu/cpu0/cpufreq";
    if (!match_text(below_root(l, "%s/scaling_governor", cpu), governor) ||
        strcmp(governor, "powersave") != 0 ||
        !match_text(below_root(l, "%s/scaling_driver", cpu), driver) || strstr(driver, "pstate") ||
        !match_text(below_root(l, "%s/scaling_cur_freq", cpu), now) ||
        !match_text(below_root(l, "%s/cpuinfo_max_freq", cpu), most))
        return false;
    double megahertz = strtod(now, NULL) / 1000;
    double limit = strtod(most, NULL) / 1000;
    return megahertz > 0 && megahertz < limit / 2 &&
           say(l, "CPUs run at %.0f of %.0f MHz (governor powersave)", megahertz, limit);
}

/* ---- the table ---------------------------------------------------------------------------------
 */

/* Which devices a row looks at. */
enum scope { MACHINE, DRIVES, ALL };

static const struct row {
    const char *key;
    enum scope scope;
    bool (*see)(const struct look *l);
} rows[] = {
    {"link", DRIVES, see_pcie},
    {"link", DRIVES, see_sata},
    {"link", DRIVES, see_usb},
    {"raid", ALL, see_raid},
    {"alignment", ALL, see_offset},
    {"temperature", DRIVES, see_heat},
    {"write_cache", DRIVES, see_write_cache},
    {"balance", MACHINE, see_balance},
    {"memory", MACHINE, see_memory},
    {"battery", MACHINE, see_battery},
    {"cpu_frequency", MACHINE, see_governor},
    {"full", MACHINE, see_fullness},
    {"mapping", ALL, see_mapping},
    {"compression", MACHINE, see_compression},
    {"rotational", DRIVES, see_rotation},
    {"virtual", DRIVES, see_virtual},
};

void facts_find(struct facts *f, const struct mount_info *m, const struct device_set *d,
                double used_percent)
{
    *f = (struct facts){0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned devices = rows[i].scope == MACHINE ? 1 : d->count;
        for (unsigned k = 0; k < devices && f->count < FACT_MAX; k++) {
            const struct device *device = rows[i].scope == MACHINE ? NULL : &d->devices[k];
            struct look l = {.mount = m,
                             .set = d,
                             .device = device,
                             .used_percent = used_percent,
                             .fact = &f->list[f->count]};
            if (rows[i].scope == DRIVES && !device->is_drive)
                continue;
            *l.fact = (struct fact){.key = rows[i].key};
            f->count += rows[i].see(&l);
        }
    }
}

uint64_t facts_link(const struct facts *f, const struct device_set *d)
{
    uint64_t most = 0;
    unsigned drives = 0;
    for (unsigned i = 0; i < d->count; i++)
        drives += d->devices[i].is_drive;
    for (unsigned i = 0; drives == 1 && i < f->count; i++)
        most = f->list[i].bytes_per_second > 0 ? f->list[i].bytes_per_second : most;
    return most;
}

void facts_keep(struct facts *f, const struct facts *later)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < f->count; i++) {
        bool holds = false;
        for (unsigned k = 0; k < later->count; k++)
            holds |= strcmp(later->list[k].key, f->list[i].key) == 0;
        if (holds)
            f->list[kept++] = f->list[i];
    }
    f->count = kept;
}
