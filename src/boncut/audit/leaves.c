#include "boncut/audit/leaves.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool begins_with(const char *text, const char *const words[])
{
    for (; *words; words++)
        if (strncmp(text, *words, strlen(*words)) == 0)
            return true;
    return false;
}

/* Whether the names of the driver or of the disk model show that the device is virtual. */
static bool looks_virtual(const struct device_set *devices, const struct device *device)
{
    static const char *const names[] = {"vd", "xvd", "loop", "nbd", "zram", "ram", "rbd", NULL};
    static const char *const models[] = {"QEMU",           "VBOX",   "VMware", "Virtual", "Amazon",
                                         "PersistentDisk", "Google", "MSFT",   NULL};
    char model[64];
    device_fact(devices, device, "device/model", model, sizeof model);
    return begins_with(device->name, names) || begins_with(model, models);
}

static enum write_cache cache_of(const struct device_set *devices, const struct device *device)
{
    char text[64];
    device_fact(devices, device, "queue/write_cache", text, sizeof text);
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
        if (!device_is_drive(devices, device))
            continue;
        device_fact(devices, device, "queue/fua", fua, sizeof fua);
        leaves[count++] = (struct leaf){.devices = devices,
                                        .device = device,
                                        .cache = cache_of(devices, device),
                                        .fua = *fua == '\0' ? -1 : *fua == '1',
                                        .is_persistent_memory =
                                            strncmp(device->name, "pmem", strlen("pmem")) == 0,
                                        .is_virtual = looks_virtual(devices, device)};
    }
    return count;
}

/* Reads fields 5 (writes) and 16 (flushes) of `stat`. Linux before 5.5 has no field 16. */
struct leaf_counts leaf_count(const struct leaf *leaf)
{
    struct leaf_counts c = {.known = false};
    char text[512]; /* 17 numbers of up to 20 digits */
    device_fact(leaf->devices, leaf->device, "stat", text, sizeof text);
    c.known =
        sscanf(text, "%*u %*u %*u %*u %" SCNu64 " %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64,
               &c.writes, &c.flushes) == 2;
    return c;
}
