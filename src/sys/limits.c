// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/limits.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/units.h"

/* The soft limit that getrlimit() answered with; UINT64_MAX: none. */
static uint64_t soft_limit(int status, const struct rlimit *limit)
{
    return status == 0 && limit->rlim_cur != RLIM_INFINITY ? limit->rlim_cur : UINT64_MAX;
}

int limits_stack(unsigned kib, struct err *e)
{
    struct rlimit given;
    uint64_t limit = soft_limit(getrlimit(RLIMIT_STACK, &given), &given);
    /* the name of the program lies above everything else */
    uintptr_t top = (uintptr_t)getauxval(AT_EXECFN);
    uintptr_t used = top > (uintptr_t)&limit ? top - (uintptr_t)&limit : 0;
    uint64_t needed = used / KIB + 1 + kib;
    if (limit / KIB >= needed)
        return 0;
    return err_say(
        e, "the stack is limited to %" PRIu64 " KiB, but %" PRIu64 " KiB are needed (ulimit -s)",
        limit / KIB, needed);
}

int limits_file(uint64_t bytes, struct err *e)
{
    struct rlimit given;
    uint64_t limit = soft_limit(getrlimit(RLIMIT_FSIZE, &given), &given);
    if (limit >= bytes)
        return 0;
    return err_say(e, "files are limited to %s, but one of %s is needed (ulimit -f)",
                   units_bytes(limit).text, units_bytes(bytes).text);
}

int limits_descriptors(uint64_t needed, const char *option, unsigned count, const char *what,
                       struct err *e)
{
    int limit = descriptor_limit_raise();
    if (limit == 0 || needed <= (uint64_t)limit)
        return 0;
    return err_say(e,
                   "%s: %u %s need %" PRIu64 " open files at a time; the limit is %d (ulimit -Hn)",
                   option, count, what, needed, limit);
}

/* A share of the machine's own limits is left to others: one part of so many. */
#define SPARE_PART 32

int limits_tasks(uint64_t count, struct err *e)
{
    static const char *const names[] = {"pid_max", "threads-max"};
    char text[128];
    char path[64];
    uint64_t all = 0;
    if (kernel_file_text("/proc/loadavg", text, sizeof text))
        sscanf(text, "%*s %*s %*s %*u/%" SCNu64, &all);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "/proc/sys/kernel/%s", names[i]);
        bool is_known = kernel_file_text(path, text, sizeof text);
        uint64_t most =
            is_known ? strtoull(text, NULL, 10) / SPARE_PART * (SPARE_PART - 1) : all + count;
        uint64_t left = most > all ? most - all : 0;
        if (left < count)
            return err_say(
                e, "%" PRIu64 " processes and threads are needed, %" PRIu64 " can be started (%s)",
                count, left, names[i]);
    }
    return 0;
}
