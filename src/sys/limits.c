// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/limits.h"

#include <linux/capability.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "measure/control_group.h"
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

/* The number in one of the kernel's files; UINT64_MAX: unknown. */
static uint64_t number_in(const char *path)
{
    char text[64];
    return kernel_file_text(path, text, sizeof text) ? strtoull(text, NULL, 10) : UINT64_MAX;
}

/* Processes and threads of this user; 0 where the limit on them does not apply to this process. */
static uint64_t tasks_of_user(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct has[_LINUX_CAPABILITY_U32S_3] = {0};
    uint64_t tasks = 0;
    syscall(SYS_capget, &header, has);
    if (getuid() == 0 || (has[0].effective & (1U << CAP_SYS_RESOURCE | 1U << CAP_SYS_ADMIN)))
        return 0;
    DIR *all = kernel_file_list("/proc");
    const struct dirent *entry;
    while (all && (entry = readdir(all))) {
        char path[sizeof "/proc//status" + NAME_MAX];
        char text[4096];
        unsigned uid, threads;
        snprintf(path, sizeof path, "/proc/%s/status", entry->d_name);
        if (*entry->d_name < '0' || *entry->d_name > '9' ||
            !kernel_file_text(path, text, sizeof text))
            continue;
        const char *user = strstr(text, "\nUid:");
        const char *count = strstr(text, "\nThreads:");
        if (user && sscanf(user, "\nUid: %u", &uid) == 1 && uid == getuid() && count &&
            sscanf(count, "\nThreads: %u", &threads) == 1)
            tasks += threads;
    }
    if (all)
        closedir(all);
    return tasks;
}

/* A share of the machine's own limits is left to others: one part of so many. */
#define SPARE_PART 32

int limits_tasks(uint64_t count, struct err *e)
{
    char load[128];
    uint64_t all = 0;
    uint64_t room = control_group_tasks("");
    if (kernel_file_text("/proc/loadavg", load, sizeof load))
        sscanf(load, "%*s %*s %*s %*u/%" SCNu64, &all);
    struct rlimit given;
    uint64_t of_user = soft_limit(getrlimit(RLIMIT_NPROC, &given), &given);
    uint64_t numbers = number_in("/proc/sys/kernel/pid_max");
    uint64_t threads = number_in("/proc/sys/kernel/threads-max");
    const struct {
        const char *name;
        uint64_t most, used;
    } limits[] = {
        {"ulimit -u", of_user, of_user < UINT64_MAX ? tasks_of_user() : 0},
        {"kernel.pid_max", numbers - numbers / SPARE_PART, all},
        {"kernel.threads-max", threads - threads / SPARE_PART, all},
        {"pids.max of the control group", room, 0},
    };
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        uint64_t left = limits[i].most > limits[i].used ? limits[i].most - limits[i].used : 0;
        if (left < count)
            return err_say(
                e, "%" PRIu64 " processes and threads are needed, %" PRIu64 " can be started (%s)",
                count, left, limits[i].name);
    }
    return 0;
}
