// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/cpu.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "util/descriptor.h"
#include "util/kernel_file.h"

#define SCHEDSTAT_TEXT 96 /* three numbers of up to 20 digits */

static uint64_t timeval_ns(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

static uint64_t used_by(int who)
{
    struct rusage usage;
    if (getrusage(who, &usage) != 0)
        return 0;
    return timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
}

uint64_t cpu_used_ns(void)
{
    return used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN);
}

/* Reads the number at *text, and moves *text past it. Returns false when there is none. */
static bool read_number(const char **text, uint64_t *number)
{
    char *end;
    *number = strtoull(*text, &end, 10);
    bool found = end != *text;
    *text = end;
    return found;
}

bool cpu_parse_schedstat(const char *text, uint64_t *waited_ns)
{
    uint64_t computed;
    uint64_t waited;
    uint64_t turns;
    if (!read_number(&text, &computed) || !read_number(&text, &waited) ||
        !read_number(&text, &turns) || (computed | waited | turns) == 0)
        return false;
    *waited_ns = waited;
    return true;
}

bool cpu_read_schedstat(int fd, uint64_t *waited_ns)
{
    char text[SCHEDSTAT_TEXT];
    ssize_t length = read(fd, text, sizeof text - 1);
    if (length <= 0)
        return false;
    text[length] = '\0';
    return cpu_parse_schedstat(text, waited_ns);
}

struct cpu_demand cpu_demand_of_thread(void)
{
    struct cpu_demand now = {0};
    struct timespec used;
    int fd = kernel_file_open("/proc/thread-self/schedstat", O_RDONLY);
    now.waited_unknown = fd < 0 || !cpu_read_schedstat(fd, &now.waited_ns);
    descriptor_close(&fd);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    now.computed_ns = (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
    return now;
}

struct cpu_demand cpu_demand_between(const struct cpu_demand *before,
                                     const struct cpu_demand *after)
{
    struct cpu_demand between = {
        .computed_ns = after->computed_ns - before->computed_ns,
        .waited_unknown = before->waited_unknown || after->waited_unknown,
    };
    if (!between.waited_unknown)
        between.waited_ns = after->waited_ns - before->waited_ns;
    return between;
}

void cpu_demand_add(struct cpu_demand *sum, const struct cpu_demand *part)
{
    sum->computed_ns += part->computed_ns;
    sum->waited_unknown |= part->waited_unknown;
    sum->waited_ns = sum->waited_unknown ? 0 : sum->waited_ns + part->waited_ns;
}

void cpu_demand_keep_larger(struct cpu_demand *most, const struct cpu_demand *other)
{
    if (other->computed_ns + other->waited_ns > most->computed_ns + most->waited_ns)
        *most = *other;
}
