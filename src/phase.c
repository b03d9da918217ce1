#include "phase.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"
#include "measure/device.h"
#include "measure/limits.h"
#include "monitor.h"
#include "seekers.h"

/* A phase under way. */
struct phase {
    struct rig *rig;
    const struct workload *workload;
    struct monitor *monitor; /* NULL: none */
    unsigned rounds;
    uint64_t elapsed_ns; /* of all rounds, with nothing between them */
    uint64_t cpu_ns;
    uint64_t busiest_cpu_ns;
    struct device_use device; /* busy_percent is that of the time, weighted by round */
    struct cache_use cache;
};

/* The system's caches hold what the files' own eviction cannot reach: inodes, names, block maps. */
static int drop_system_caches(struct rig *r, bool *done, struct err *e)
{
    if (!dropper_is_there(r->dropper) || r->plan->cache != CACHE_EVICT)
        return 0;
    if (syncfs(r->scratch.fd) != 0)
        return err_system(e, errno, "syncfs %s", r->plan->directory);
    *done = true;
    return dropper_drop(r->dropper, e);
}

/* How much there is to do, for the line that tells how far it is. */
static struct monitor_goal goal_of(const struct plan *p, const struct workload *w)
{
    struct monitor_goal goal = {.nanoseconds = w->repeats ? p->min_time_ns : 0};
    switch (w->unit) {
    case UNIT_STRETCH:
        goal.bytes = p->data.perchar_bytes;
        break;
    case UNIT_CHUNK:
        goal.bytes = p->data.chunks * p->data.chunk_bytes;
        break;
    case UNIT_SEEK:
        goal.ops = p->data.seeks;
        break;
    case UNIT_BLOCK:
        goal.nanoseconds = p->iops.duration_ns;
        break;
    case UNIT_FILE:
    case UNIT_NAME:
        goal.ops = p->files.count;
        break;
    }
    return goal;
}

static int start_monitor(struct phase *ph, struct err *e)
{
    struct rig *r = ph->rig;
    const struct plan *p = r->plan;
    bool draws = progress_is_live(&r->progress) && p->coordination != COORDINATE_PROMPT;
    bool drops = ph->workload->reads && dropper_is_there(r->dropper) && p->drop_interval_ns > 0;
    const struct monitor_setup setup = {
        .title = ph->workload->title,
        .board = &r->board,
        .goal = goal_of(p, ph->workload),
        .draws = draws,
        .drop_interval_ns = drops ? p->drop_interval_ns : 0,
        .dropper = r->dropper,
    };
    return draws || drops || p->wants_intervals ? monitor_start(&ph->monitor, &setup, e) : 0;
}

/* Other processes and the user at a prompt are met once in a phase: rounds are everybody's own. */
static int meet_others(struct phase *ph, struct err *e)
{
    struct rig *r = ph->rig;
    if (ph->rounds > 0)
        return 0;
    if (r->coordinator->kind == COORDINATE_PROMPT)
        progress_break(&r->progress); /* the prompt has a line of its own */
    return coordinate_wait(r->coordinator, ph->workload->title, e);
}

/* Whether what the test does reaches the storage: the engine null moves nothing. */
static bool is_stored(const struct phase *ph)
{
    return !ph->workload->uses_engine || plan_stores(ph->rig->plan);
}

static bool has_data(const struct phase *ph)
{
    return workload_has_data(ph->workload) && is_stored(ph);
}

/* How much of the data files is in the page cache; false: it cannot be told. */
static bool look_at_cache(const struct rig *r, double *percent)
{
    uint64_t bytes = 0;
    uint64_t resident = 0;
    for (unsigned i = 0; i < r->plan->workers; i++) {
        const struct datafile *d = &r->work[i].data;
        if (d->fd < 0 || d->valid_bytes == 0)
            continue;
        struct residency one = cache_residency(d->fd, d->valid_bytes);
        if (!one.known)
            return false;
        bytes += d->valid_bytes;
        resident += one.bytes;
    }
    *percent = bytes > 0 ? 100 * (double)resident / (double)bytes : 0;
    return true;
}

/* All that is not timed: when it returns 0, the round may begin. */
static int prepare(struct phase *ph, struct seekers **seekers, struct err *e)
{
    struct rig *r = ph->rig;
    const struct plan *p = r->plan;
    for (unsigned i = 0; i < p->workers; i++)
        r->work[i].round = ph->rounds;
    int rc = pool_prepare(&r->pool, &ph->workload->job, e);
    if (rc == 0 && ph->workload->reads && is_stored(ph))
        rc = drop_system_caches(r, &ph->cache.system_dropped, e);
    if (rc == 0 && ph->workload->forked)
        rc = seekers_start(seekers, p, r->work, &r->board, ph->rounds * p->data.seeks, e);
    if (rc == 0 && ph->rounds == 0)
        ph->cache.known = has_data(ph) && look_at_cache(r, &ph->cache.resident_percent_before);
    return rc == 0 ? meet_others(ph, e) : rc;
}

/* The seekers seek, then the workers make durable what was changed, and close. */
static int work_with_seekers(struct rig *r, struct seekers *seekers, struct job_times *times,
                             struct err *e)
{
    struct job_times closing;
    int rc = seekers_work(seekers, times, e);
    if (rc == 0)
        rc = pool_work(&r->pool, &closing, e);
    if (rc == 0) { /* the time until the parent saw that the last seeker had ended is not theirs */
        times->end_ns += closing.end_ns - closing.start_ns;
        times->cpu_ns += closing.cpu_ns;
    }
    return rc;
}

/* Adds what the devices did in the round of elapsed_ns that has just ended. */
static void add_device_use(struct phase *ph, const struct device_counters *before,
                           const struct device_counters *after, uint64_t elapsed_ns)
{
    struct device_use *use = &ph->device;
    struct device_change change;
    bool is_known = device_difference(before, after, elapsed_ns, &change);
    use->known = is_known && (use->known || ph->rounds == 0);
    if (!use->known)
        return;
    use->read_bytes += change.read_bytes;
    use->written_bytes += change.written_bytes;
    use->read_ops += change.read_ops;
    use->write_ops += change.write_ops;
    double part = ph->elapsed_ns > 0 ? (double)elapsed_ns / (double)ph->elapsed_ns : 1;
    use->busy_percent += (change.busy_percent - use->busy_percent) * part;
}

static int work(struct phase *ph, struct seekers *seekers, struct err *e)
{
    struct rig *r = ph->rig;
    struct job_times times;
    struct device_counters before;
    struct device_counters after;
    device_read(&r->devices, &before);
    monitor_go(ph->monitor);
    int rc = ph->workload->forked ? work_with_seekers(r, seekers, &times, e)
                                  : pool_work(&r->pool, &times, e);
    device_read(&r->devices, &after);
    if (rc == 0)
        ph->elapsed_ns += times.end_ns - times.start_ns;
    monitor_pause(ph->monitor, ph->elapsed_ns);
    if (rc != 0)
        return rc;
    add_device_use(ph, &before, &after, times.end_ns - times.start_ns);
    ph->cpu_ns += times.cpu_ns;
    ph->busiest_cpu_ns += times.busiest_cpu_ns;
    return 0;
}

static int do_round(struct phase *ph, struct err *e)
{
    struct rig *r = ph->rig;
    struct seekers *seekers = NULL;
    int rc = prepare(ph, &seekers, e);
    if (rc == 0)
        rc = work(ph, seekers, e);
    if (rc == 0 && ph->cache.known)
        ph->cache.known = look_at_cache(r, &ph->cache.resident_percent_after);
    seekers_release(seekers);
    for (unsigned i = 0; i < r->plan->workers; i++)
        work_release(&r->work[i]);
    ph->rounds++;
    return rc;
}

/* Too short a phase tells more about the clock and the scheduler than about the storage. */
static bool needs_another_round(const struct phase *ph)
{
    return ph->workload->repeats && ph->elapsed_ns < ph->rig->plan->min_time_ns;
}

static void judge(const struct phase *ph, struct test_result *result)
{
    struct bytes_asked asked = workload_asked(ph->workload, ph->rig->plan, result->bytes);
    struct evidence evidence = {
        .elapsed_ns = ph->elapsed_ns,
        .busiest_cpu_ns = ph->busiest_cpu_ns,
        .in_flight = result->workers * result->iodepth,
        .filesystem = ph->rig->place.filesystem[0] ? ph->rig->place.filesystem : NULL,
        .read_bytes = asked.read,
        .written_bytes = asked.written,
        .is_stored = is_stored(ph),
        .is_direct = result->direct,
        .device = result->device,
    };
    limits_judge(&result->verdict, &evidence);
}

static struct latencies summarise(const struct histogram *h)
{
    return (struct latencies){
        .min = histogram_minimum(h),
        .mean = (uint64_t)histogram_mean(h),
        .p50 = histogram_percentile(h, 50),
        .p90 = histogram_percentile(h, 90),
        .p95 = histogram_percentile(h, 95),
        .p99 = histogram_percentile(h, 99),
        .p99_9 = histogram_percentile(h, 99.9),
        .p99_99 = histogram_percentile(h, 99.99),
        .max = h->maximum,
    };
}

static void record(struct phase *ph, struct test_result *result)
{
    struct rig *r = ph->rig;
    const struct plan *p = r->plan;
    bool by_engine = ph->workload->uses_engine;
    board_sum(&r->board, &r->total);
    *result = (struct test_result){
        .measured = true,
        .workers = ph->workload->forked ? p->data.seekers : p->workers,
        .engine = by_engine ? p->engine.ops->name : DEFAULT_ENGINE,
        .iodepth = by_engine ? p->engine.depth : 1,
        .direct = by_engine && p->direct,
        .chunk_bytes = workload_operation_bytes(ph->workload, p),
        .ops = r->total.samples.latencies.count,
        .bytes = r->total.samples.bytes,
        .elapsed_ns = ph->elapsed_ns,
        .cpu_ns = ph->cpu_ns,
        .latency_ns = summarise(&r->total.samples.latencies),
        .verified_bytes = r->total.findings.checked_bytes,
        .damaged = r->total.findings.damaged,
        .device = ph->device,
        .cache = ph->cache,
    };
    judge(ph, result);
}

/* Names the first damaged places of a phase. */
static void tell_damage(struct rig *r, enum test_id test)
{
    const struct findings *f = &r->total.findings;
    if (f->damaged == 0)
        return;
    r->damaged += f->damaged;
    progress_break(&r->progress);
    for (uint64_t i = 0; i < f->damaged && i < FINDINGS_KEPT; i++) {
        char text[FINDING_TEXT];
        finding_describe(text, &f->kept[i], &r->pattern);
        fprintf(stderr, "bonnie: %s: data file %" PRIu64 " in %s at %" PRIu64 ": %s\n",
                test_name(test), f->kept[i].file, r->plan->directory, f->kept[i].offset, text);
    }
    if (f->damaged > FINDINGS_KEPT)
        fprintf(stderr, "bonnie: %s: %" PRIu64 " damaged places in all\n", test_name(test),
                f->damaged);
}

int phase_run(struct rig *r, enum test_id test, struct test_result *result, struct err *e)
{
    struct phase ph = {.rig = r, .workload = workload_of(test)};
    board_begin(&r->board, ph.workload->forked ? r->plan->data.seekers : r->plan->workers);
    progress_begin(&r->progress, ph.workload->title);
    int rc = start_monitor(&ph, e);
    do {
        if (rc == 0)
            rc = do_round(&ph, e);
    } while (rc == 0 && needs_another_round(&ph));
    if (rc == 0)
        record(&ph, result);
    int ended = monitor_end(ph.monitor, ph.elapsed_ns, rc == 0 ? &result->intervals : NULL,
                            &result->interval_count, e);
    rc = rc ? rc : ended;
    if (rc != 0) {
        progress_break(&r->progress);
        return rc;
    }
    progress_done(&r->progress, ph.workload->title);
    tell_damage(r, test);
    return 0;
}
