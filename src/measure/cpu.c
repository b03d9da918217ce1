// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/cpu.h"

#include <sys/time.h>

#include "measure/clock.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"

uint64_t cpu_used_ns(void)
{
    struct rusage own = {0}, children = {0};
    struct timeval user, system, sum;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    timeradd(&own.ru_utime, &children.ru_utime, &user);
    timeradd(&own.ru_stime, &children.ru_stime, &system);
    timeradd(&user, &system, &sum);
    return (uint64_t)sum.tv_sec * 1000000000 + (uint64_t)sum.tv_usec * 1000;
}

bool cpu_read_schedstat(int fd, uint64_t *waited_ns)
{
    char text[96];       /* three numbers of up to 20 digits */
    uint64_t numbers[3]; /* time computed, time waited, number of turns */
    ssize_t length = read(fd, text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    char *at = text;
    for (size_t i = 0; i < 3; i++) {
        const char *from = at;
        numbers[i] = strtoull(from, &at, 10);
        if (at == from)
            return false;
    }
    if ((numbers[0] | numbers[1] | numbers[2]) == 0)
        return false;
    *waited_ns = numbers[1];
    return true;
}

struct cpu_demand cpu_demand_of_thread(void)
{
    struct cpu_demand now = {0};
    int fd = kernel_file_open("/proc/thread-self/schedstat", O_RDONLY);
    now.waited_unknown = fd < 0 || !cpu_read_schedstat(fd, &now.waited_ns);
    descriptor_close(&fd);
    now.computed_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
    return now;
}

struct cpu_demand cpu_demand_between(const struct cpu_demand *before,
                                     const struct cpu_demand *after)
{
    bool is_unknown = before->waited_unknown || after->waited_unknown;
    return (struct cpu_demand){.computed_ns = after->computed_ns - before->computed_ns,
                               .waited_ns = is_unknown ? 0 : after->waited_ns - before->waited_ns,
                               .waited_unknown = is_unknown};
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
