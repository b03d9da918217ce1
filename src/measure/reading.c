// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/reading.h"

#include <math.h>
#include <sched.h>

#include "measure/clock.h"
#include "util/kernel_file.h"
#include "util/units.h"

#define MAX_CPUS  8192 /* of any kernel */
#define LONG_BITS (8 * sizeof(long))

void reading_take(struct reading *now, const struct sources *s, const struct cpu_quotas *q)
{
    const char *root = s ? s->mount.root : "";
    unsigned long usable[MAX_CPUS / LONG_BITS] = {0};
    const uint64_t tick_ns = BILLION / (uint64_t)sysconf(_SC_CLK_TCK);
    *now = (struct reading){.ns = clock_ns(), .own_ns = cpu_used_ns(), .quota_count = q->count};
    if (sched_getaffinity(0, sizeof usable, (cpu_set_t *)usable) != 0)
        memset(usable, 0xff, sizeof usable);
    char *text = kernel_file_whole(root, "/proc/stat");
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) { /* "cpu3 ..." */
        uint64_t user, nice, system, interrupts, softly, stolen = 0;
        unsigned cpu;
        if (sscanf(line,
                   "cpu%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64 " %" SCNu64
                   " %" SCNu64,
                   &cpu, &user, &nice, &system, &interrupts, &softly, &stolen) < 6 ||
            line[3] == ' ' || cpu >= MAX_CPUS || !(usable[cpu / LONG_BITS] >> cpu % LONG_BITS & 1))
            continue;
        now->cpus++;
        now->used_ns += (user + nice + system + interrupts + softly) * tick_ns;
        now->stolen_ns += stolen * tick_ns;
    }
    free(text);
    for (unsigned i = 0; i < q->count; i++)
        cpu_quota_read(&q->list[i], &now->quotas[i]);
    if (!s)
        return;
    text = kernel_file_whole(root, "/proc/self/io");
    const char *own = text ? strstr(text, "\nread_bytes: ") : NULL;
    now->knows_own = own && sscanf(own, " read_bytes: %" SCNu64 " write_bytes: %" SCNu64,
                                   &now->own_bytes[WAY_READ], &now->own_bytes[WAY_WRITTEN]) == 2;
    free(text);
    device_read(&s->devices, &now->device);
    sources_read(s, &now->moved);
}

/* A sum may decrease: a virtual machine may move to another host, a process to another group. */
static uint64_t increase(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

struct reading reading_since(const struct reading *now, const struct reading *before)
{
    struct reading d = *now;
    d.ns = increase(now->ns, before->ns);
    d.work_ns -= before->work_ns;
    d.busiest = cpu_demand_between(&before->busiest, &now->busiest);
    d.changes -= before->changes;
    d.own_ns = increase(now->own_ns, before->own_ns);
    d.knows_own = now->knows_own && before->knows_own;
    for (enum way way = 0; way < WAYS; way++)
        d.own_bytes[way] = increase(now->own_bytes[way], before->own_bytes[way]);
    d.cpus = now->cpus == before->cpus ? now->cpus : 0;
    d.used_ns = increase(now->used_ns, before->used_ns);
    d.stolen_ns = increase(now->stolen_ns, before->stolen_ns);
    for (unsigned i = 0; i < now->quota_count; i++) {
        struct quota_counts *q = &d.quotas[i];
        q->periods = increase(q->periods, before->quotas[i].periods);
        q->throttled = increase(q->throttled, before->quotas[i].throttled);
        q->throttled_ns = increase(q->throttled_ns, before->quotas[i].throttled_ns);
    }
    d.device = device_since(&now->device, &before->device);
    d.moved = moved_between(&before->moved, &now->moved);
    return d;
}

static void add_own(struct reading *sum, const struct reading *part)
{
    sum->work_ns += part->work_ns;
    sum->changes += part->changes;
    sum->own_ns += part->own_ns;
    sum->knows_own = sum->knows_own && part->knows_own;
    for (enum way way = 0; way < WAYS; way++)
        sum->own_bytes[way] += part->own_bytes[way];
}

void reading_add(struct reading *sum, const struct reading *part)
{
    sum->ns += part->ns;
    cpu_demand_add(&sum->busiest, &part->busiest);
    sum->cpus = sum->cpus == part->cpus ? sum->cpus : 0;
    sum->used_ns += part->used_ns;
    sum->stolen_ns += part->stolen_ns;
    add_own(sum, part);
    for (unsigned i = 0; i < sum->quota_count; i++) {
        sum->quotas[i].periods += part->quotas[i].periods;
        sum->quotas[i].throttled += part->quotas[i].throttled;
        sum->quotas[i].throttled_ns += part->quotas[i].throttled_ns;
    }
    device_add(&sum->device, &part->device);
    moved_add(&sum->moved, &part->moved, true);
}

void reading_join(struct reading *all, const struct reading *one, bool is_first)
{
    cpu_demand_keep_larger(&all->busiest, &one->busiest);
    add_own(all, one);
    if (reading_throttled_ns(one) > reading_throttled_ns(all)) {
        all->quota_count = one->quota_count;
        memcpy(all->quotas, one->quotas, sizeof all->quotas);
    }
    moved_add(&all->moved, &one->moved, is_first);
    if (!is_first)
        return;
    all->cpus = all->cpus > 0 && one->cpus > 0 ? all->cpus + one->cpus : 0;
    all->used_ns += one->used_ns;
    all->stolen_ns += one->stolen_ns;
    struct device_counters device = one->device;
    for (unsigned i = 0; i < MAX_DEVICES; i++) /* the busiest device of any host */
        device.busy_ns[i] = increase(device.busy_ns[i], all->device.busy_ns[i]);
    device_add(&all->device, &device);
}

double reading_quota_percent(const struct reading *spent, double *cpus)
{
    double most = 0;
    for (unsigned i = 0; i < spent->quota_count; i++) {
        const struct quota_counts *q = &spent->quotas[i];
        if (q->throttled == 0 || q->periods == 0 || spent->ns == 0)
            continue;
        /* in a throttled period all of it was used, perhaps by others of the group */
        double own = 100 * (double)spent->own_ns / ((double)spent->ns * q->cpus);
        double used = fmin(100, fmax(own, 100 * (double)q->throttled / (double)q->periods));
        if (used <= most)
            continue;
        most = used;
        *cpus = q->cpus;
    }
    return most;
}

/* The kernel adds up the times of all CPUs, but counts a period once; and groups above each other
 * hold the process back at the same time. */
uint64_t reading_throttled_ns(const struct reading *spent)
{
    uint64_t longest = 0;
    for (unsigned i = 0; i < spent->quota_count; i++) {
        const struct quota_counts *q = &spent->quotas[i];
        uint64_t periods_ns = q->throttled * q->period_ns;
        uint64_t held_ns = MIN(q->throttled_ns, periods_ns);
        longest = MAX(held_ns, longest);
    }
    return longest;
}
