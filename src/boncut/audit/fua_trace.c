#include "boncut/audit/fua_trace.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tail/trace.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"

#define INSTANCES "/sys/kernel/tracing/instances"
#define EVENT     "block_rq_issue"

static int open_in(const struct fua_trace *t, const char *name, int flags)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", t->path, name);
    return kernel_file_open(path, flags);
}

void fua_trace_begin(struct fua_trace *t)
{
    char name[TAIL_INSTANCE_NAME];
    *t = (struct fua_trace){.in_use = -1};
    if (!tail_instance_name(name))
        return;
    snprintf(t->path, sizeof t->path, INSTANCES "/%s", name);
    if (mkdir(t->path, 0700) != 0) {
        t->path[0] = '\0';
        return;
    }
    t->in_use = open_in(t, "tracing_on", O_WRONLY);
    int fd = open_in(t, "events/block/" EVENT "/enable", O_WRONLY);
    bool is_on = fd >= 0 && write(fd, "1", 1) == 1;
    if (fd >= 0)
        close(fd);
    if (!is_on)
        fua_trace_end(t);
}

void fua_trace_end(struct fua_trace *t)
{
    descriptor_close(&t->in_use);
    if (t->path[0])
        rmdir(t->path);
    t->path[0] = '\0';
}

bool fua_trace_line(const char *line, unsigned major, unsigned minor)
{
    unsigned found_major, found_minor;
    char kind[16];
    const char *event = strstr(line, EVENT ": ");
    if (!event ||
        sscanf(event + strlen(EVENT ": "), "%u,%u %15s", &found_major, &found_minor, kind) != 3)
        return false;
    const char *write = strchr(kind, 'W');
    return found_major == major && found_minor == minor && write && strchr(write, 'F');
}

bool fua_trace_count(const struct fua_trace *t, const struct device *device, uint64_t *writes)
{
    char *line = NULL;
    size_t room = 0;
    int fd = t->path[0] ? open_in(t, "trace", O_RDONLY) : -1;
    FILE *in = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!in) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    *writes = 0;
    while (getline(&line, &room, in) > 0)
        *writes += fua_trace_line(line, device->major, device->minor);
    free(line);
    fclose(in);
    return true;
}
