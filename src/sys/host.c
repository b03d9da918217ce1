// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/host.h"

#include <ctype.h>
#include <math.h>
#include <sched.h>
#include <strings.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>

#include "sys/path.h"
#include "util/kernel_file.h"
#include "util/portable.h"

size_t host_short_length(const char *name)
{
    size_t length = strcspn(name, ".");
    for (const char *end = name + length; *end == '.' && isdigit((unsigned char)end[1]);) {
        end += 1 + strspn(end + 1, "0123456789");
        if (*end && *end != '.')
            break;
        length = (size_t)(end - name);
    }
    return length;
}

/* Keys of the CPU model in /proc/cpuinfo, which the kernel's arch/<architecture>/kernel/ writes. */
static const char *const model_keys[] = {
    "model name", /* x86, LoongArch ("Model Name"), 32-bit ARM */
    "cpu model",  /* MIPS */
    "cpu",        /* PowerPC, SPARC */
    "uarch",      /* RISC-V */
};

void host_read_cpu_model(FILE *cpuinfo, char *model, size_t size)
{
    char line[512]; /* longer lines come in pieces, and no piece is a model */
    size_t used = 0;
    while (used == 0 && fgets(line, sizeof line, cpuinfo)) {
        const char *text = strchr(line, ':');
        size_t length = strcspn(line, "\t:");
        bool is_model = false;
        while (length > 0 && line[length - 1] == ' ')
            length--;
        for (size_t i = 0; i < COUNT_OF(model_keys); i++)
            is_model |=
                strlen(model_keys[i]) == length && strncasecmp(line, model_keys[i], length) == 0;
        if (!text || !is_model)
            continue;
        /* several blanks become one, because some models are padded */
        for (text++; *text && used + 1 < size; text++)
            if (!isspace((unsigned char)*text))
                model[used++] = *text;
            else if (used > 0 && model[used - 1] != ' ')
                model[used++] = ' ';
        if (used > 0 && model[used - 1] == ' ')
            used--;
    }
    model[used] = '\0';
}

/* Of any kernel, which refuses a set that is too small for all CPUs that it supports. */
#define MAX_CPUS 8192

unsigned host_cpus(void)
{
    unsigned long usable[MAX_CPUS / (8 * sizeof(long))] = {0};
    cpu_set_t *set = (cpu_set_t *)usable;
    int count = sched_getaffinity(0, sizeof usable, set) == 0 ? CPU_COUNT_S(sizeof usable, set) : 0;
    return count > 0 ? (unsigned)count : 1;
}

unsigned host_workers(const struct host *h)
{
    double quota = ceil(cpu_quotas_lowest(&h->quotas));
    return quota > 0 && quota < h->cpus ? (unsigned)quota : h->cpus;
}

void host_detect(struct host *h)
{
    struct utsname system;
    h->kernel[0] = h->cpu_model[0] = '\0';
    h->other_ram_bytes = 0;
    h->cpus = host_cpus();
    if (gethostname(h->full_name, sizeof h->full_name) != 0 || h->full_name[0] == '\0')
        snprintf(h->full_name, sizeof h->full_name, "unknown");
    h->full_name[sizeof h->full_name - 1] = '\0';
    snprintf(h->name, sizeof h->name, "%.*s", (int)host_short_length(h->full_name), h->full_name);
    kernel_file_text("/proc/sys/kernel/random/boot_id", h->boot_id, sizeof h->boot_id);
    h->boot_id[strcspn(h->boot_id, "\n")] = '\0';
    if (uname(&system) == 0)
        snprintf(h->kernel, sizeof h->kernel, "%s %s", system.sysname, system.release);
    FILE *cpuinfo = kernel_file_read("/proc/cpuinfo");
    if (cpuinfo) {
        host_read_cpu_model(cpuinfo, h->cpu_model, sizeof h->cpu_model);
        fclose(cpuinfo);
    }
    portable_c_library(h->c_library, sizeof h->c_library);

    long pages = sysconf(_SC_PHYS_PAGES);
    long page_size = sysconf(_SC_PAGESIZE);
    h->ram_bytes = pages > 0 && page_size > 0 ? (uint64_t)pages * (uint64_t)page_size : 0;

    uint64_t limit = control_group_memory("");
    h->ram_is_limit = limit > 0 && (limit < h->ram_bytes || h->ram_bytes == 0);
    if (h->ram_is_limit)
        h->ram_bytes = limit;
    cpu_quotas_find(&h->quotas, "");
}

void host_find_room(struct host *h, const char *directory)
{
    struct path_directory d;
    struct statvfs v;
    bool is_known =
        path_open(&d, NULL, directory, PATH_FAILS, NULL) == 0 && fstatvfs(d.fd, &v) == 0;
    path_close(&d);
    h->filesystem_bytes = is_known ? (uint64_t)v.f_blocks * v.f_frsize : 0;
    h->free_bytes = is_known ? (uint64_t)v.f_bavail * v.f_frsize : 0;
    /* btrfs and others count no inodes */
    h->free_files = is_known && v.f_files > 0 ? v.f_favail : UINT64_MAX;
}
