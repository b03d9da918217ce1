#include "run/section.h"

void section_begin_lap(struct section *s)
{
    device_read(s->devices, &s->before);
    monitor_go(s->monitor);
}

/* Adds what the devices did in a lap of elapsed_ns, which s->elapsed_ns already includes. */
static void add_device_use(struct section *s, const struct device_counters *after,
                           uint64_t elapsed_ns)
{
    struct device_use *use = &s->device;
    struct device_use lap;
    bool was_known = use->known || s->laps == 0;
    use->known = device_difference(&s->before, after, elapsed_ns, &lap) && was_known;
    if (!use->known)
        return;
    use->read_bytes += lap.read_bytes;
    use->written_bytes += lap.written_bytes;
    use->read_ops += lap.read_ops;
    use->write_ops += lap.write_ops;
    double part = s->elapsed_ns > 0 ? (double)elapsed_ns / (double)s->elapsed_ns : 1;
    use->busy_percent += (lap.busy_percent - use->busy_percent) * part;
}

void section_end_lap(struct section *s, const struct task_times *times)
{
    struct device_counters after;
    uint64_t elapsed_ns = times ? times->end_ns - times->start_ns : 0;
    device_read(s->devices, &after);
    s->elapsed_ns += elapsed_ns;
    monitor_pause(s->monitor, s->elapsed_ns);
    if (!times)
        return;
    add_device_use(s, &after, elapsed_ns);
    s->cpu_ns += times->cpu_ns;
    cpu_demand_add(&s->busiest, &times->busiest);
    s->laps++;
}

static double busy_ns(const struct section *s)
{
    return s->device.busy_percent * (double)s->elapsed_ns;
}

static struct device_use device_use_between(const struct section *before, const struct section *now)
{
    struct device_use use = now->device;
    uint64_t elapsed_ns = now->elapsed_ns - before->elapsed_ns;
    use.read_bytes -= before->device.read_bytes;
    use.written_bytes -= before->device.written_bytes;
    use.read_ops -= before->device.read_ops;
    use.write_ops -= before->device.write_ops;
    use.busy_percent = elapsed_ns > 0 ? (busy_ns(now) - busy_ns(before)) / (double)elapsed_ns : 0;
    return use;
}

void section_subtract(struct section *difference, const struct section *now,
                      const struct section *before)
{
    *difference = *now;
    difference->laps -= before->laps;
    difference->elapsed_ns -= before->elapsed_ns;
    difference->cpu_ns -= before->cpu_ns;
    difference->busiest = cpu_demand_between(&before->busiest, &now->busiest);
    difference->device = device_use_between(before, now);
}
