#include "tail/ground.h"

#include <inttypes.h>
#include <stdio.h>

#include "tail/event.h"
#include "util/kernel_file.h"

static bool read_line(const char *root, const struct device *d, const char *file, char *line,
                      int size)
{
    char path[160];
    snprintf(path, sizeof path, "%s/sys/dev/block/%u:%u/%s", root, d->major, d->minor, file);
    FILE *in = kernel_file_read(path);
    if (!in)
        return false;
    bool done = fgets(line, size, in) != NULL;
    fclose(in);
    return done;
}

void tail_ground_find(struct tail_ground *g, const struct device_set *devices)
{
    char line[64];
    const struct device *d = &devices->devices[0];
    *g = (struct tail_ground){0};
    if (devices->count == 0 || devices->filesystem != 1 || d->stacked)
        return;
    unsigned major = d->major;
    unsigned minor = d->minor;
    g->is_known = true;
    if (read_line(devices->root, d, "partition", line, sizeof line))
        g->is_known = read_line(devices->root, d, "start", line, sizeof line) &&
                      sscanf(line, "%" SCNu64, &g->start) == 1 &&
                      read_line(devices->root, d, "../dev", line, sizeof line) &&
                      device_parse_number(line, &major, &minor);
    g->device = tail_device(major, minor);
}
