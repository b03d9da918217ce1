#include "boncut/audit/leaves.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/kernel_file.h"

/* Opens the device's file of that name in sysfs. Returns NULL when the file does not exist. */
static FILE *open_fact(const struct device *device, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u/%s", device->major, device->minor, name);
    return kernel_file_read(path);
}

/*
 * Reads the first line of the device's file in sysfs; `text` becomes empty when the file does not
 * exist.
 */
static void read_fact(const struct device *device, const char *name, char text[64])
{
    FILE *in = open_fact(device, name);
    if (!in || !fgets(text, 64, in))
        *text = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (in)
        fclose(in);
}

static bool is_partition(const struct device *device)
{
    char text[64];
    read_fact(device, "partition", text);
    return *text != '\0';
}

static bool begins_with(const char *text, const char *const words[])
{
    for (; *words; words++)
        if (strncmp(text, *words, strlen(*words)) == 0)
            return true;
    return false;
}

/* Whether the names of the driver or of the disk model show that the device is virtual. */
static bool looks_virtual(const struct device *device)
{
    static const char *const names[] = {"vd", "xvd", "loop", "nbd", "zram", "ram", "rbd", NULL};
    static const char *const models[] = {"QEMU",           "VBOX",   "VMware", "Virtual", "Amazon",
                                         "PersistentDisk", "Google", "MSFT",   NULL};
    char model[64];
    read_fact(device, "device/model", model);
    return begins_with(device->name, names) || begins_with(model, models);
}

static enum write_cache cache_of(const struct device *device)
{
    char text[64];
    read_fact(device, "queue/write_cache", text);
    return strcmp(text, "write back") == 0      ? CACHE_BACK
           : strcmp(text, "write through") == 0 ? CACHE_THROUGH
                                                : CACHE_UNKNOWN;
}

unsigned leaves_find(struct leaf leaves[LEAVES_MOST], const struct device_set *devices)
{
    unsigned count = 0;
    for (unsigned i = 0; i < devices->count; i++) {
        const struct device *device = &devices->devices[i];
        char fua[64];
        if (device->stacked || is_partition(device))
            continue;
        read_fact(device, "queue/fua", fua);
        leaves[count++] = (struct leaf){.device = device,
                                        .cache = cache_of(device),
                                        .fua = *fua == '\0' ? -1 : *fua == '1',
                                        .is_virtual = looks_virtual(device)};
    }
    return count;
}

/* Reads fields 5 (writes) and 16 (flushes) of `stat`. Linux before 5.5 has no field 16. */
struct leaf_counts leaf_count(const struct leaf *leaf)
{
    uint64_t field[16];
    int count = 0;
    FILE *in = open_fact(leaf->device, "stat");
    while (in && count < 16 && fscanf(in, "%" SCNu64, &field[count]) == 1)
        count++;
    if (in)
        fclose(in);
    return count == 16
               ? (struct leaf_counts){.known = true, .writes = field[4], .flushes = field[15]}
               : (struct leaf_counts){.known = false};
}
