#include "tail/ground.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "tail/event.h"
#include "util/kernel_file.h"

/* Reads a file in the device's directory in sysfs. */
static bool read_fact(const struct device_set *devices, const char *file, char *text, size_t size)
{
    char path[PATH_MAX];
    const struct device *d = &devices->devices[0];
    snprintf(path, sizeof path, "%s/sys/dev/block/%u:%u/%s", devices->root, d->major, d->minor,
             file);
    return kernel_file_text(path, text, size);
}

void tail_ground_find(struct tail_ground *g, const struct device_set *devices)
{
    char text[64];
    const struct device *d = &devices->devices[0];
    *g = (struct tail_ground){0};
    if (devices->count == 0 || devices->filesystem != 1 || d->stacked)
        return;
    unsigned major = d->major;
    unsigned minor = d->minor;
    g->is_known = true;
    if (read_fact(devices, "partition", text, sizeof text))
        g->is_known = read_fact(devices, "start", text, sizeof text) &&
                      sscanf(text, "%" SCNu64, &g->start) == 1 &&
                      read_fact(devices, "../dev", text, sizeof text) &&
                      device_parse_number(text, &major, &minor);
    g->device = tail_device(major, minor);
}
