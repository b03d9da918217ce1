// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/facts.h"

#include <arpa/inet.h>
#include <glob.h>
#include <inttypes.h>
#include <net/route.h>
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
    char directory[40];          /* of the device: "/sys/dev/block/8:0" */
    char path[PATH_MAX];         /* where that leads: "/sys/devices/pci0000:00/..."; may be empty */
    char *link;                  /* FACT_LINK bytes: its name, whether or not it is a fact */
    uint64_t *discards;          /* of the device, at the first look */
    bool is_first;
    bool others_moved; /* others were seen to use the device since the look before */
    struct fact *fact;
};

#define TEXT 512

/* Says a fact in words. Returns true, as does a row that has found something. */
__attribute__((format(printf, 2, 3))) static bool say(const struct look *l, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(l->fact->text, sizeof l->fact->text, format, values);
    va_end(values);
    return true;
}

struct line {
    char text[TEXT];
};

/* The first line of the first file below the root that matches a pattern of glob(3); or empty. */
__attribute__((format(printf, 2, 3))) static struct line line_of(const struct look *l,
                                                                 const char *format, ...)
{
    struct line line = {""};
    char pattern[PATH_MAX];
    glob_t found;
    va_list values;
    size_t length = (size_t)snprintf(pattern, sizeof pattern, "%s", l->set->root);
    va_start(values, format);
    vsnprintf(pattern + length, sizeof pattern - length, format, values);
    va_end(values);
    if (glob(pattern, 0, NULL, &found) != 0)
        return line;
    kernel_file_text(found.gl_pathv[0], line.text, sizeof line.text);
    line.text[strcspn(line.text, "\n")] = '\0';
    globfree(&found);
    return line;
}

/* Whether a file below the root that matches a pattern of glob(3) has this line. */
static bool has_line(const struct look *l, const char *files, const char *text)
{
    char pattern[PATH_MAX];
    glob_t found;
    bool has = false;
    snprintf(pattern, sizeof pattern, "%s%s", l->set->root, files);
    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
        return false;
    for (size_t i = 0; i < found.gl_pathc && !has; i++) {
        char line[32];
        kernel_file_text(found.gl_pathv[i], line, sizeof line);
        has = strncmp(line, text, strlen(text)) == 0 && line[strlen(text)] == '\n';
    }
    globfree(&found);
    return has;
}

/* The number with which it begins; 0: there is none. */
static double number(struct line line)
{
    return strtod(line.text, NULL);
}

/* ---- links ----------------------------------------------------------------------------------- */

/* The generations, and the share of what they transfer that is data (PCI Express Base
 * Specification). */
static const struct generation {
    double gigatransfers;
    double used;
    const char *name;
} generations[] = {{2.5, 8.0 / 10, "1.0"},   {5, 8.0 / 10, "2.0"},     {8, 128.0 / 130, "3.0"},
                   {16, 128.0 / 130, "4.0"}, {32, 128.0 / 130, "5.0"}, {64, 242.0 / 256, "6.0"},
                   {128, 242.0 / 256, "7.0"}};

static const struct generation *generation_of(double gigatransfers)
{
    const struct generation *g = generations;
    while (g->gigatransfers < gigatransfers && g->gigatransfers < 128)
        g++;
    return g;
}

/* An NVMe drive whose link is slower than both the drive and the slot. */
static bool see_pcie(const struct look *l)
{
    static const char *const links[] = {"current", "max", "../max"};
    const struct generation *now = NULL, *most = NULL; /* of drive and slot */
    unsigned width = 0, widest = 0;
    for (unsigned i = 0; i < 3; i++) { /* "8.0 GT/s PCIe" and "4" */
        double speed = number(line_of(l, "%s/device/device/%s_link_speed", l->directory, links[i]));
        unsigned lanes =
            (unsigned)number(line_of(l, "%s/device/device/%s_link_width", l->directory, links[i]));
        const struct generation *g = generation_of(speed);
        if (speed <= 0 || lanes == 0 || lanes > 32)
            return false;
        if (i == 0) {
            now = g;
            width = lanes;
            snprintf(l->link, FACT_LINK, "PCIe %s x%u", g->name, lanes);
        } else {
            most = i == 1 || g < most ? g : most;
            widest = i == 1 || lanes < widest ? lanes : widest;
        }
    }
    double speed = now->gigatransfers * 1000 / 8 * now->used * width; /* in MB/s */
    if (speed >= most->gigatransfers * 1000 / 8 * most->used * widest)
        return false;
    l->fact->bytes_per_second = (uint64_t)(speed * 1e6);
    return say(l, "%s: PCIe %s x%u; drive and slot can do %s x%u: at most %.0f MB/s",
               l->device->name, now->name, width, most->name, widest, speed);
}

static bool see_sata(const struct look *l)
{
    char port[PATH_MAX];
    snprintf(port, sizeof port, "%s", l->path);
    char *ata = strstr(port, "/ata");
    if (!ata)
        return false;
    ata[1 + strcspn(ata + 1, "/")] = '\0';
    /* The fastest generation that the drive names in word 76 of its identity (ATA8-ACS), in Gbit/s.
     * The kernel shows the words as hexadecimal numbers. */
    const char *which = strrchr(port, '/') + strlen("/ata");
    char file[2 * PATH_MAX];
    snprintf(file, sizeof file, "%s/link%s/dev%s.0/ata_device/dev%s.0/id", port, which, which,
             which);
    char *words = kernel_file_whole(l->set->root, file);
    char *at = words;
    unsigned word = 0;
    for (unsigned i = 0; at && i <= 76; i++) {
        char *end;
        word = (unsigned)strtoul(at, &end, 16);
        at = end > at ? end : NULL;
    }
    bool is_known = at && word != 0xffff;
    free(words);
    double drive = !is_known ? 0 : word & 8 ? 6 : word & 4 ? 3 : word & 2 ? 1.5 : 0;
    double speed = number(line_of(l, "%s/link*/ata_link/link*/sata_spd", port));
    double limit = number(line_of(l, "%s/link*/ata_link/link*/hw_sata_spd_limit", port));
    limit = drive < limit ? drive : limit;
    if (speed > 0)
        snprintf(l->link, FACT_LINK, "SATA %.1f Gbit/s", speed);
    if (speed <= 0 || speed >= limit)
        return false;
    l->fact->bytes_per_second = (uint64_t)(speed * 1e8); /* 8 of 10 bits are data */
    return say(l, "%s: SATA at %.1f Gbit/s; drive and port can do %.1f: at most %.0f MB/s",
               l->device->name, speed, limit, speed * 100);
}

/* A fast device at a port whose fast half, the peer, is not used. That it can do SuperSpeed, a
 * device says by a capability of type 3 in the descriptors that it has beside the old ones (USB 3.2
 * specification, 9.6.2). */
static bool see_usb(const struct look *l)
{
    char device[PATH_MAX];
    char file[2 * PATH_MAX];
    unsigned char bytes[512];
    bool is_fast = false;
    snprintf(device, sizeof device, "%s", l->path);
    char *interface = strstr(device, ":1.");
    if (!interface || !strstr(device, "/usb"))
        return false;
    while (*interface != '/')
        interface--;
    *interface = '\0';
    double speed = number(line_of(l, "%s/speed", device));
    if (speed > 0)
        snprintf(l->link, FACT_LINK, "USB %.0f Mbit/s", speed);
    snprintf(file, sizeof file, "%s%s/bos_descriptors", l->set->root, device);
    FILE *in = kernel_file_read(file);
    size_t length = in ? fread(bytes, 1, sizeof bytes, in) : 0;
    if (in)
        fclose(in);
    for (size_t at = 0; at + 2 < length && bytes[at] >= 3; at += bytes[at])
        is_fast |= bytes[at + 1] == 0x10 && bytes[at + 2] == 3;
    snprintf(file, sizeof file, "%s%s/port/peer", l->set->root, device);
    if (speed <= 0 || speed > 480 || !is_fast || !kernel_file_exists(file))
        return false;
    l->fact->bytes_per_second = (uint64_t)(speed * 1e6 / 8);
    return say(l, "%s: USB at %.0f Mbit/s; drive and port can do 5000: at most %.0f MB/s",
               l->device->name, speed, speed / 8);
}

/* SAS: how fast a drive could be, the kernel does not show, but it does of both ends of the link
 * between the controller and the first expander. */
static bool see_sas(const struct look *l)
{
    char port[PATH_MAX]; /* of the drive, and then of the controller */
    snprintf(port, sizeof port, "%s", l->path);
    char *end = strstr(port, "/end_device-");
    if (!end)
        return false;
    *end = '\0';
#define PHY "/phy-*/sas_phy/*/"
    double speed = number(line_of(l, "%s" PHY "negotiated_linkrate", port));
    if (speed > 0)
        snprintf(l->link, FACT_LINK, "SAS %.1f Gbit/s", speed);
    double limit = number(line_of(l, "%s/../" PHY "maximum_linkrate_hw", port));
    if (!(end = strstr(port, "/expander-")))
        return false;
    *end = '\0';
    speed = number(line_of(l, "%s" PHY "negotiated_linkrate", port));
    double own = number(line_of(l, "%s" PHY "maximum_linkrate_hw", port));
    limit = own < limit ? own : limit;
    return speed > 0 && speed < limit &&
           say(l, "%s: SAS at %.1f Gbit/s a lane; controller and expander can do %.1f",
               l->device->name, speed, limit);
}

/* What a SATA drive has. A network that carries more is not said to be in the way. */
#define SATA_MBITS 6000

/* The interface towards the server of an NFS, by the table of routes (proc_pid_net(5)). */
static bool see_network(const struct look *l)
{
    char text[INET_ADDRSTRLEN] = "";
    char interface[32] = "";
    struct in_addr server;
    uint64_t best = 0; /* a longer mask, and then a lower metric */
    const char *address = strstr(l->mount->options, ",addr=");
    if (strncmp(l->mount->filesystem, "nfs", 3) != 0 || !address ||
        strstr(l->mount->options, ",proto=rdma") || sscanf(address, ",addr=%15[0-9.]", text) != 1 ||
        inet_pton(AF_INET, text, &server) != 1)
        return false;
    char *routes = kernel_file_whole(l->set->root, "/proc/net/route");
    for (char *rest = routes, *line; (line = strsep(&rest, "\n"));) {
        char name[sizeof interface];
        unsigned network, flags, metric, mask;
        if (sscanf(line, "%31s %x %*x %x %*d %*d %u %x", name, &network, &flags, &metric, &mask) !=
                5 ||
            !(flags & RTF_UP) || (server.s_addr & mask) != network)
            continue;
        uint64_t rank = (uint64_t)ntohl(mask) << 32 | ~metric;
        if (rank > best)
            strcpy(interface, name);
        best = rank > best ? rank : best;
    }
    free(routes);
    double speed = number(line_of(l, "/sys/class/net/%s/speed", interface));
    if (!*interface || speed <= 0)
        return false;
    snprintf(l->link, FACT_LINK, "%s %.0f Mbit/s", interface, speed);
    l->fact->bytes_per_second = (uint64_t)(speed * 1e6 / 8);
    return speed < SATA_MBITS && say(l, "%s towards the server: %.0f Mbit/s: at most %.0f MB/s",
                                     interface, speed, speed / 8);
}

/* ---- devices --------------------------------------------------------------------------------- */

/* Others trimmed the device: a filesystem that is mounted with `discard` does so itself, when files
 * are removed. */
static bool see_trims(const struct look *l)
{
    uint64_t now = 0;
    sscanf(line_of(l, "%s/stat", l->directory).text,
           "%*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &now);
    if (l->is_first || now < *l->discards)
        *l->discards = now;
    return now > *l->discards && !strstr(l->mount->options, ",discard") &&
           say(l, "%s: %" PRIu64 " trims of others meanwhile", l->device->name, now - *l->discards);
}

static bool see_offset(const struct look *l)
{
    return number(line_of(l, "%s/alignment_offset", l->directory)) != 0 &&
           say(l, "%s begins inside a physical block: each write changes one more",
               l->device->name);
}

static bool see_raid(const struct look *l)
{
    struct line action = line_of(l, "%s/md/sync_action", l->directory);
    struct line left = line_of(l, "%s/md/sync_completed", l->directory);
    double done, all;
    unsigned missing = (unsigned)number(line_of(l, "%s/md/degraded", l->directory));
    if (*action.text && strcmp(action.text, "idle") != 0 && strcmp(action.text, "frozen") != 0) {
        if (sscanf(left.text, "%lf / %lf", &done, &all) == 2 && all > 0)
            return say(l, "%s: %s under way; %.0f %% done", l->device->name, action.text,
                       100 * done / all);
        return say(l, "%s: %s under way", l->device->name, action.text);
    }
    return missing > 0 &&
           say(l, "%s is degraded: %u of its devices missing", l->device->name, missing);
}

static bool see_heat(const struct look *l)
{
    static const char *const places[] = {"hwmon*", "hwmon/hwmon*"};
    for (size_t i = 0; i < 2; i++) {
        double now = number(line_of(l, "%s/device/%s/temp1_input", l->directory, places[i]));
        double limit = number(line_of(l, "%s/device/%s/temp1_max", l->directory, places[i]));
        if (limit > 0 && now >= limit)
            return say(l, "%s is hot: %.0f C; its limit is %.0f C", l->device->name, now / 1000,
                       limit / 1000);
    }
    return false;
}

static bool see_write_cache(const struct look *l)
{
    struct line vendor = line_of(l, "%s/device/vendor", l->directory);
    struct line cache = line_of(l, "%s/device/scsi_disk/*/cache_type", l->directory);
    return strncmp(vendor.text, "ATA", 3) == 0 && strcmp(cache.text, "write through") == 0 &&
           say(l, "%s: its write cache is off", l->device->name);
}

static bool see_virtual(const struct look *l)
{
    return device_is_virtual(l->set, l->device) && strncmp(l->device->name, "loop", 4) != 0 &&
           say(l, "%s is virtual: a cache of the host may answer", l->device->name);
}

static bool see_rotation(const struct look *l)
{
    return number(line_of(l, "%s/queue/rotational", l->directory)) == 1 &&
           !device_is_virtual(l->set, l->device) && say(l, "%s rotates", l->device->name);
}

static bool see_mapping(const struct look *l)
{
    struct line uuid = line_of(l, "%s/dm/uuid", l->directory);
    const char *last = strrchr(uuid.text, '-');
    if (strncmp(uuid.text, "CRYPT-", 6) == 0)
        return say(l, "%s is encrypted (dm-crypt)", l->device->name);
    if (last && strcmp(last, "-tpool") == 0)
        return say(l, "%s is a pool of thin volumes: what was never written has no place yet",
                   l->device->name);
    return last && strcmp(last, "-cow") == 0 &&
           say(l, "%s keeps a snapshot: each first write copies", l->device->name);
}

/* ---- the filesystem and the machine --------------------------------------------------------- */

static bool see_balance(const struct look *l)
{
    struct line work = line_of(l, "/sys/fs/btrfs/%s/exclusive_operation", l->mount->uuid);
    return strcmp(l->mount->filesystem, "btrfs") == 0 && *work.text &&
           strcmp(work.text, "none") != 0 && say(l, "btrfs: %s under way", work.text);
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
    return is_only && has_line(l, "/proc/[0-9]*/comm", "ext4lazyinit") &&
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
    return sscanf(line_of(l, "/proc/pressure/memory").text, "some avg10=%lf", &percent) == 1 &&
           percent >= 10 &&
           say(l, "memory is short: programs waited for it %.0f %% of the time", percent);
}

static bool see_battery(const struct look *l)
{
#define SUPPLY "/sys/class/power_supply/*/"
    return has_line(l, SUPPLY "type", "Battery") && has_line(l, SUPPLY "type", "Mains") &&
           !has_line(l, SUPPLY "online", "1") && say(l, "the machine runs on battery");
}

/* Drivers that choose the speed themselves call the same governor "powersave". */
static bool see_governor(const struct look *l)
{
#define CPU "/sys/devices/system/cpu/cpu0/cpufreq"
    struct line driver = line_of(l, CPU "/scaling_driver");
    if (strcmp(line_of(l, CPU "/scaling_governor").text, "powersave") != 0 || !*driver.text ||
        strstr(driver.text, "pstate"))
        return false;
    double megahertz = number(line_of(l, CPU "/scaling_cur_freq")) / 1000;
    double limit = number(line_of(l, CPU "/cpuinfo_max_freq")) / 1000;
    return megahertz > 0 && megahertz < limit / 2 &&
           say(l, "CPUs run at %.0f of %.0f MHz (governor powersave)", megahertz, limit);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Which devices a row looks at. */
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

static bool was_there(const struct facts *f, const struct fact *fact)
{
    for (unsigned i = 0; i < f->count; i++)
        if (strcmp(f->list[i].key, fact->key) == 0 && f->list[i].device == fact->device)
            return true;
    return false;
}

void facts_look(struct facts *f, const struct mount_info *m, const struct device_set *d,
                bool others_moved)
{
    const struct facts before = *f;
    unsigned drives = 0;
    f->count = 0;
    f->link_per_second = 0;
    f->has_looked = true;
    for (unsigned i = 0; i < d->count; i++)
        drives += d->devices[i].is_drive;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
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
                char target[PATH_MAX];
                l.device = &d->devices[k];
                if (rows[i].scope == DRIVES && !l.device->is_drive)
                    continue;
                snprintf(l.directory, sizeof l.directory, "/sys/dev/block/%u:%u", l.device->major,
                         l.device->minor);
                snprintf(link, sizeof link, "%s%s", d->root, l.directory);
                kernel_file_link(link, target, sizeof target);
                const char *devices_path = strstr(target, "/devices/");
                if (devices_path && strlen(devices_path) < sizeof l.path - strlen("/sys"))
                    sprintf(l.path, "/sys%s", devices_path);
            }
            *fact = (struct fact){.key = rows[i].key, .device = k};
            if (!rows[i].see(&l) ||
                (before.has_looked && !rows[i].is_between && !was_there(&before, fact)))
                continue;
            f->count++;
            if (fact->bytes_per_second > 0 && drives < 2)
                f->link_per_second = fact->bytes_per_second;
        }
    }
    if (drives > 1)
        *f->link = '\0';
}
