#include "measure/limits.h"

#include <stdio.h>
#include <string.h>

/* A worker that computes for more of the time is what the figure depends on. */
#define CPU_BOUND_PERCENT 90

/* If less of what was asked for came from the device, or went there, the rest is the cache's. */
#define CACHED_BELOW_PERCENT 90

/* Or for at least so much of it, if the device was less busy than that worker. */
#define MOSTLY_PERCENT 50

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* How much of what the test asked for the device moved; readahead and others may make it more. */
static double device_share(const struct evidence *e)
{
    bool reads = e->read_bytes >= e->written_bytes;
    double share = reads ? percent(e->device.read_bytes, e->read_bytes)
                         : percent(e->device.written_bytes, e->written_bytes);
    return share > 100 ? 100 : share;
}

static double cpu_share(const struct evidence *e)
{
    double share = percent(e->busiest_cpu_ns, e->elapsed_ns);
    return share > 100 ? 100 : share;
}

static void tell_times(struct verdict *v, const struct evidence *e)
{
    snprintf(v->sentence, VERDICT_TEXT, "Device busy %.0f %%; busiest worker %.0f %% of the time.",
             e->device.busy_percent, cpu_share(e));
}

static void judge_cpu(struct verdict *v, const struct evidence *e)
{
    v->by = LIMITED_CPU;
    tell_times(v, e);
    snprintf(v->advice, VERDICT_TEXT, "%s",
             e->is_direct || e->read_bytes + e->written_bytes == 0
                 ? "More workers (-c) may do more."
                 : "More workers (-c) may do more; -D (--direct) spares the copying.");
}

static void judge_device(struct verdict *v, const struct evidence *e)
{
    v->by = LIMITED_DEVICE;
    tell_times(v, e);
    if (e->in_flight == 1)
        snprintf(v->advice, VERDICT_TEXT,
                 "One operation at a time was under way: -c or an asynchronous --engine with "
                 "--iodepth may get more out of the device.");
}

/* Who was busier was waited for by the other. */
static bool is_cpu_busier(const struct evidence *e)
{
    return cpu_share(e) >= CPU_BOUND_PERCENT ||
           (cpu_share(e) >= MOSTLY_PERCENT && cpu_share(e) > e->device.busy_percent);
}

static void judge_no_device(struct verdict *v, const struct evidence *e)
{
    bool is_memory = e->filesystem && strcmp(e->filesystem, "tmpfs") == 0;
    v->by = is_memory ? LIMITED_PAGE_CACHE : LIMITED_UNKNOWN;
    snprintf(v->sentence, VERDICT_TEXT,
             is_memory ? "No device is below %s: this is the speed of memory."
                       : "No block device is below %s that could be watched.",
             e->filesystem ? e->filesystem : "this filesystem");
}

static void judge_cache(struct verdict *v, const struct evidence *e, double share)
{
    bool reads = e->read_bytes >= e->written_bytes;
    v->by = LIMITED_PAGE_CACHE;
    snprintf(v->sentence, VERDICT_TEXT, "Only %.0f %% of what was %s the device.", share,
             reads ? "read came from" : "written reached");
    snprintf(v->advice, VERDICT_TEXT, "%s",
             reads ? "The rest is the speed of memory: --cache=evict or -D or a larger -s "
                     "measure the device."
                   : "The rest is the speed of memory: a larger -s or -D measure the device.");
}

/* Tests of data: where did the bytes come from, and who was waited for? */
static void judge_data(struct verdict *v, const struct evidence *e)
{
    double share = device_share(e);
    if (share < CACHED_BELOW_PERCENT)
        judge_cache(v, e, share);
    else if (is_cpu_busier(e))
        judge_cpu(v, e);
    else /* what was not spent computing was spent waiting for the device */
        judge_device(v, e);
}

/* Tests of many files: names and inodes are in memory until they are written back. */
static void judge_metadata(struct verdict *v, const struct evidence *e)
{
    if (is_cpu_busier(e))
        judge_cpu(v, e);
    else if (e->device.busy_percent >= MOSTLY_PERCENT)
        judge_device(v, e);
    else
        tell_times(v, e); /* neither */
}

void limits_judge(struct verdict *v, const struct evidence *e)
{
    *v = (struct verdict){.by = LIMITED_UNKNOWN};
    if (!e->is_stored) {
        v->by = LIMITED_CPU;
        snprintf(v->sentence, VERDICT_TEXT,
                 "Nothing was moved: this is what the program itself takes.");
    } else if (!e->device.known) {
        judge_no_device(v, e);
    } else if (e->read_bytes + e->written_bytes > 0) {
        judge_data(v, e);
    } else {
        judge_metadata(v, e);
    }
}
