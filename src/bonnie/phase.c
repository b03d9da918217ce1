// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/phase.h"

#include "bonnie/rounds.h"
#include "measure/clock.h"
#include "util/kernel_file.h"

struct phase {
    struct run_context *context;
    enum test_id test;
    const char *title; /* as the progress line shows it */
    const char *name;  /* as SIGUSR1 shows it */
    bool is_measured;  /* false: it prepares the storage; nothing asks before it or is kept */
    const struct workload *workload;
    struct monitor *monitor;
    unsigned laps;                /* number of laps that ended without a failure */
    struct reading spent;         /* sum over all laps; its time is that of the work */
    struct rounds rounds;         /* used only if the test has to become steady */
    bool is_steady;               /* the test has to become steady */
    bool is_cut;                  /* a lap ends with its round, even if its work is not done */
    bool is_once;                 /* the round is over when its first lap is */
    uint64_t round_ns;            /* time of a round, which is filled with laps; 0: one lap */
    uint64_t round_end_ns;        /* end of the round, on the clock of `spent` */
    bool is_going_round;          /* laps are cut, and this is not the first lap of its round */
    uint64_t next_ticket;         /* next ticket for the seekers */
    uint64_t operation_bytes;     /* number of bytes that one operation moves; 0: none */
    unsigned written_percent;     /* share of the counted bytes that the test writes */
    struct progress_reading goal; /* only its goals: after which work or time the test is done */
    struct cache_use cache;
    struct evidence evidence; /* what the verdict is based on */
    uint64_t preparing_ns;    /* longest preparing of the round's further laps on any rank */
};

/* Whether the test's data reaches the storage: the engine null moves nothing. */
static bool is_stored(const struct phase *ph)
{
    return !ph->workload->uses_engine || plan_stores(ph->context->plan);
}

/* What a test moves for each 100 bytes that it counts. */
static unsigned moved_percent(const struct workload *w)
{
    return w->read_percent + w->written_percent;
}

/* How much a test is to do: the goals of its progress. */
static struct progress_reading goal_of(const struct plan *p, enum test_id test)
{
    const struct workload *w = workloads[test];
    bool is_steady = p->steady.wanted && w->uses_engine;
    /* if the test has to become steady, the goal is an upper limit */
    uint64_t ns = is_steady               ? p->steady.most_rounds * p->steady.round_ns
                  : w->item == ITEM_BLOCK ? p->iops.duration_ns
                  : w->item == ITEM_CHUNK ? p->chunk_test_ns
                  : w->repeats            ? p->min_time_ns
                                          : 0;
    return (struct progress_reading){
        .goal_ns = ns,
        .goal_bytes = w->item == ITEM_PERCHAR_CHUNK ? p->data.perchar_bytes
                      : w->item != ITEM_CHUNK       ? 0
                      : ns > 0                      ? 1
                                                    : p->data.chunks * p->data.chunk_bytes,
        .goal_ops = !workload_has_data(w)  ? p->files.count
                    : w->item != ITEM_SEEK ? 0
                    : is_steady            ? 1
                                           : p->data.seeks,
    };
}

struct cost phase_cost(const struct plan *p, enum test_id test)
{
    const struct workload *w = workloads[test];
    const struct progress_reading goal = goal_of(p, test);
    uint64_t bytes = w->item == ITEM_SEEK ? goal.goal_ops * p->data.chunk_bytes
                     : w->item == ITEM_FILE
                         ? goal.goal_ops * (p->files.min_bytes + p->files.max_bytes) / 2
                     : goal.goal_ns > 0 ? 0
                                        : goal.goal_bytes;
    return (struct cost){.ns = goal.goal_ns,
                         .moved_bytes = mul_div(bytes, moved_percent(w), 100),
                         .written_bytes = mul_div(bytes, w->written_percent, 100),
                         .is_open = goal.goal_ns > 0 &&
                                    (w->item == ITEM_BLOCK
                                         ? p->iops.write_percent > 0
                                         : w->item == ITEM_CHUNK && w->written_percent > 0)};
}

static void release_workers(struct run_context *r)
{
    for (unsigned i = 0; i < r->plan->workers; i++) {
        io_queue_close(&r->work[i].queue);
        io_close(r->work[i].data.file, NULL); /* if it is still open */
    }
}

/* Finds how many of the bytes that a test counts were read, and how many were written. */
static void split_bytes(const struct phase *ph, struct evidence *e, uint64_t bytes)
{
    const struct workload *w = ph->workload;
    e->written_bytes = mul_div(bytes, ph->written_percent, 100);
    e->read_bytes =
        w->item == ITEM_BLOCK ? bytes - e->written_bytes : mul_div(bytes, w->read_percent, 100);
}

/* Number of changes, at least, that a filesystem makes at the cost of one that is synced. */
#define CHANGES_TOGETHER 8

/* Sets the result's verdict to a judgement. The rest of the result must be complete. */
static void phase_verdict(const struct phase *ph, struct test_result *t,
                          const struct judgement *judgement)
{
    const struct plan *p = ph->context->plan;
    const unsigned engine = p->engine.ops->capabilities;
    const struct advice_facts facts = {
        .test = ph->test,
        .reason = judgement->reason,
        .workers = t->workers,
        .iodepth = t->iodepth,
        .cpus = ph->context->host->cpus,
        .operation_bytes = t->chunk_bytes,
        .is_direct = t->direct.asked,
        .is_durable = p->sync,
        .engine_queues = engine & ENGINE_QUEUES,
        .engine_needs_direct = engine & ENGINE_NEEDS_DIRECT,
        .evicts = p->cache == CACHE_EVICT,
        .is_compressible = p->contents != DATA_RANDOM,
        .lacks_journal = ph->context->storage.sources.mount.lacks_journal,
    };
    t->verdict = (struct verdict){
        .is_known = true, .least = *judgement, .most = *judgement, .advice = advice_for(&facts)};
}

static double first_number(const char *path)
{
    char text[32];
    return kernel_file_text(path, text, sizeof text) ? strtod(text, NULL) : 0;
}

static uint64_t share_of(uint64_t whole, double share)
{
    return (uint64_t)((double)whole * share);
}

/* Judges what limited each level. Assumes that a byte takes the same CPU time in all of them. The
 * verdict on the test becomes that on the last one, or stays that on the last rounds. The levels
 * are those of the storage if the test bypasses the page cache, or writes twice as much as that may
 * hold. Otherwise the later level shows how the kernel throttles writers, and there are none. */
static void judge_levels(const struct phase *ph, struct test_result *t)
{
    const struct plan *p = ph->context->plan;
    const struct evidence *all = &ph->evidence;
    struct judgement judgement;
    double dirty = first_number("/proc/sys/vm/dirty_bytes");
    if (dirty <= 0)
        dirty =
            first_number("/proc/sys/vm/dirty_ratio") / 100 * (double)ph->context->host->ram_bytes;
    if (!t->direct.asked && !(p->sync && !p->is_brief) && all->written_bytes > 0 &&
        (double)all->written_bytes < 2 * dirty)
        t->levels.count = 0;
    if (t->levels.count == 0)
        return;
    for (unsigned i = 0; i < t->levels.count; i++) {
        struct level *l = &t->levels.list[i];
        uint64_t bytes = l->to.bytes - l->from.bytes;
        double share = (double)bytes / (double)t->bytes;
        struct evidence evidence = *all;
        evidence.is_cold = all->is_cold && i == 0;
        struct reading *spent = &evidence.spent;
        spent->ns = l->to.ns - l->from.ns;
        spent->own_ns = share_of(spent->own_ns, share);
        spent->busiest.computed_ns = share_of(spent->busiest.computed_ns, share);
        spent->busiest.waited_ns = share_of(spent->busiest.waited_ns, share);
        spent->changes = share_of(spent->changes, share);
        evidence.syncs = share_of(all->syncs, share);
        spent->cpus = spent->quota_count = 0;
        spent->device = (struct device_counters){
            .known = l->to.busy_ns > 0,
            .read_bytes = l->to.read_bytes - l->from.read_bytes,
            .written_bytes = l->to.written_bytes - l->from.written_bytes,
            .knows_stores = all->spent.device.knows_stores,
            .drive_stores = share_of(all->spent.device.drive_stores, share),
            .read_ops = l->to.read_ops - l->from.read_ops,
            .write_ops = l->to.write_ops - l->from.write_ops,
            .busy_ns = {l->to.busy_ns - l->from.busy_ns},
        };
        for (enum way way = 0; way < WAYS; way++) {
            spent->own_bytes[way] = share_of(spent->own_bytes[way], share);
            if (spent->moved.by[way] != SOURCE_DEVICE) /* knows only the whole test */
                spent->moved.by[way] = SOURCE_NONE;
        }
        split_bytes(ph, &evidence, bytes);
        limit_judge(&judgement, &evidence);
        l->limited_by = limit_names[judgement.by];
    }
    if (!t->steady.wanted) {
        phase_verdict(ph, t, &judgement);
        return;
    }
    uint64_t fell_ns = t->levels.list[t->levels.count - 1].from.ns;
    t->steady.fell_in = 1;
    for (unsigned i = 0; i < t->steady.count && t->steady.rounds[i].end_ns <= fell_ns; i++)
        t->steady.fell_in++;
}

/* The monitor calls this while tests read. The next phase will see the failure ignored here, and
 * stops a dropper that does not answer, which is not the monitor's. */
static void drop_meanwhile(void *dropper)
{
    cache_dropper_drop(dropper, NULL);
}

/* Starts the monitor and, if the plan explains the tail and the workers have a queue of operations,
 * the examiner, both before the workers prepare. */
static int start_observers(struct phase *ph, struct err *e)
{
    struct run_context *r = ph->context;
    const struct plan *p = r->plan;
    const struct workload *w = ph->workload;
    bool asks = ph->is_measured && r->coordinator->ops->asks;
    bool draws = r->progress.is_live && !asks;
    bool drops = w->reads && r->helpers->dropper.pid > 0 && p->drop_interval_ns > 0;
    bool records = ph->is_measured && p->ranks == 1;
    const struct monitor_setup setup = {
        .title = ph->title,
        .stats = &r->stats,
        .goal = ph->goal,
        .draws = draws,
        .has_colour = r->progress.has_colour,
        /* intervals of several ranks cannot be combined */
        .notes_intervals = records && plan_has_format(p, "json"),
        .records_series =
            records && is_stored(ph) && (w->item == ITEM_CHUNK || w->item == ITEM_BLOCK),
        .devices = &r->storage.sources.devices,
        .name = ph->name,
        .figures = r->figures,
        .line_is_open = r->progress.line_open && !draws && !asks,
        .tick_interval_ns = drops ? p->drop_interval_ns : 0,
        .tick = drop_meanwhile,
        .tick_context = &r->helpers->dropper,
        .unshared_fd = &r->scratch.owner_fd, /* only this process may keep the lock */
    };
    const struct examiner_setup tail = {
        .trace = &r->helpers->trace,
        .kinds = {{.workers = p->workers,
                   .latencies = shared_stats_latencies,
                   .counts = &r->stats}},
        .kind_count = 1,
        .boxes = r->slow,
        .devices = &r->storage.sources.devices,
        .filesystem = r->storage.sources.mount.filesystem,
        .limit = &r->limit,
        .is_queued = p->engine.depth > 1,
        .is_buffered = !p->direct,
    };
    int rc = monitor_start(&ph->monitor, &setup, e);
    if (rc == 0 && p->explains_tail && w->uses_engine && !w->forked)
        rc = examiner_start(&r->examiner, &tail, e);
    return rc;
}

/* Finds how many percent of the data files are in the page cache. False: nobody knows. */
static bool measure_residency(const struct run_context *r, double *percent)
{
    uint64_t bytes = 0;
    uint64_t resident = 0;
    for (unsigned i = 0; i < r->plan->workers; i++) {
        const struct data_file *d = &r->work[i].data;
        if (d->fd < 0 || d->valid_bytes == 0)
            continue;
        struct residency one = page_cache_residency(d->fd, d->valid_bytes);
        if (!one.known)
            return false;
        bytes += d->valid_bytes;
        resident += one.bytes;
    }
    *percent = bytes > 0 ? 100 * (double)resident / (double)bytes : 0;
    return true;
}

/* Lets the workers prepare the lap, in limited time for all further laps of a round together. */
static int prepare_workers(struct phase *ph, struct err *e)
{
    struct run_context *r = ph->context;
    bool is_first = ph->laps == 0;
    uint64_t start_ns = clock_ns();
    uint64_t lap_ns = ph->is_cut && ph->round_ns > 0    ? ph->round_end_ns - ph->spent.ns
                      : ph->workload->item == ITEM_FILE ? r->plan->files.most_ns
                                                        : 0;
    for (unsigned i = 0; i < r->plan->workers; i++) {
        struct work *w = &r->work[i];
        w->workload = ph->workload;
        w->lap = ph->laps;
        w->prepare_until_ns = is_first ? 0 : start_ns + 2 * ph->round_ns - ph->preparing_ns;
        w->lap_ns = lap_ns;
        w->is_one_by_one =
            r->plan->is_brief && !r->plan->is_longer && ph->workload->item == ITEM_CHUNK;
        if (is_first || w->lap_start >= w->data.bytes)
            w->lap_start = 0;
    }
    int rc = thread_pool_run(&r->pool, &ph->workload->task, POOL_PREPARING, NULL, e);
    if (!is_first && !ph->is_cut)
        ph->preparing_ns += clock_ns() - start_ns;
    return rc;
}

/* Writes the data set as often as the plan's steady state needs, in chunks and through the plan's
 * engine, as put_block does, so that the storage is in the state of long use. The pool must be
 * parked. What this counts in the statistics serves the progress alone. */
static int precondition(struct run_context *r, struct err *e)
{
    unsigned times = r->plan->steady.precondition;
    const struct data_plan *d = &r->plan->data;
    struct phase ph = {.context = r,
                       .title = "Preconditioning",
                       .name = "precondition",
                       .workload = &workload_put_block,
                       .goal = {.goal_bytes = times * d->chunks * d->chunk_bytes}};
    if (times == 0)
        return 0;
    shared_stats_begin(&r->stats, r->plan->workers);
    progress_lines_begin(&r->progress, ph.title);
    int rc = start_observers(&ph, e);
    if (rc == 0)
        monitor_go(ph.monitor, NULL);
    for (unsigned done = 0; rc == 0 && done < times; done++) {
        rc = prepare_workers(&ph, e);
        if (rc == 0)
            rc = thread_pool_run(&r->pool, &workload_put_block.task, POOL_WORKING, NULL, e);
        release_workers(r);
    }
    int ended = monitor_end(ph.monitor, NULL, NULL, NULL, NULL, e);
    rc = rc ? rc : ended;
    progress_lines_end(&r->progress, "done", rc == 0);
    return rc;
}

/* Does a lap. Its time is from the first start on any rank to the last end. */
static int do_lap(struct phase *ph, struct err *e)
{
    struct run_context *r = ph->context;
    const struct workload *w = ph->workload;
    const struct coordinator_ops *ops = r->coordinator->ops;
    struct helper *dropper = &r->helpers->dropper;
    bool shifts = r->shift > 0 && w->shifts && is_stored(ph);
    struct seekers *seekers = NULL;
    struct task_times times;
    struct task_times closing;
    struct reading before;
    struct reading now;
    int rc = prepare_workers(ph, e);
    if (rc == 0 && shifts) { /* again, on the files of another rank */
        release_workers(r);
        rc = run_context_swap_files(r, workload_has_data(w), false, e);
        if (rc == 0)
            rc = prepare_workers(ph, e);
    }
    /* evicting files does not reach what these caches have: inodes, names, maps of blocks */
    if (rc == 0 && w->reads && is_stored(ph) && !ph->is_going_round && dropper->pid > 0 &&
        r->plan->cache == CACHE_EVICT) {
        rc = syncfs(r->scratch.fd) == 0 ? cache_dropper_drop(dropper, e)
                                        : err_system(e, errno, "syncfs %s", r->plan->directory);
        if (rc == CACHE_DROP_LATE) { /* goes on without that, and without the dropper */
            message("the caches of the system were not dropped within %d s, as when a filesystem "
                    "does not answer; what is in them is not known",
                    CACHE_DROP_SECONDS);
            cache_dropper_stop(dropper);
            rc = 0;
        }
        ph->cache.system_dropped = dropper->pid > 0;
    }
    if (rc == 0 && w->forked)
        rc = seekers_start(&seekers, r, &ph->next_ticket, e);
    if (rc == 0 && ph->laps == 0)
        ph->cache.known = workload_has_data(w) && is_stored(ph) && !r->plan->is_device &&
                          measure_residency(r, &ph->cache.resident_percent_before);
    /* other processes, or the user at a prompt, are met once; ranks of one run before each lap */
    if (rc == 0 && ops->barrier && (ph->laps == 0 || ops->laps)) {
        if (ops->asks)
            progress_lines_break(&r->progress); /* gives the prompt a line of its own */
        rc = ops->barrier(r->coordinator, w->title, e);
    }
    if (rc == 0) {
        reading_take(&before, &r->storage.sources, &r->host->quotas);
        struct device_counters idle = before.device;
        if (ph->laps > 0)
            idle = device_since(&idle, &ph->spent.device);
        monitor_go(ph->monitor, &idle);
        rc = seekers ? seekers_work(seekers, &times, e)
                     : thread_pool_run(&r->pool, &w->task, POOL_WORKING, &times, e);
        /* then the workers sync the changes and close the files */
        if (rc == 0 && seekers)
            rc = thread_pool_run(&r->pool, &w->task, POOL_WORKING, &closing, e);
        if (rc == 0 && seekers) {
            /* adds only the workers' time, because the parent notices the seekers' end late */
            times.end_ns += closing.end_ns - closing.start_ns;
            times.cpu_ns += closing.cpu_ns;
            cpu_demand_add(&times.busiest, &closing.busiest);
        }
        reading_take(&now, &r->storage.sources, &r->host->quotas);
        now = reading_since(&now, &before);
        now.ns = rc == 0 ? times.end_ns - times.start_ns : 0;
        monitor_pause(ph->monitor, ph->spent.ns + now.ns);
    }
    if (rc == 0) {
        struct lap_times lap = {.preparing_ns = ph->preparing_ns};
        rc = gathering_end_lap(&r->gathering, &times, &lap, e);
        now.work_ns = times.cpu_ns;
        now.busiest = times.busiest;
        if (ph->laps++ > 0)
            reading_add(&ph->spent, &now);
        else
            ph->spent = now;
        ph->spent.ns += lap.elapsed_ns - now.ns;
        ph->preparing_ns = lap.preparing_ns;
    }
    if (rc == 0 && ph->cache.known)
        ph->cache.known = measure_residency(r, &ph->cache.resident_percent_after);
    seekers_release(seekers);
    release_workers(r);
    if (rc == 0 && shifts)
        rc = run_context_swap_files(r, workload_has_data(w), true, e);
    return rc;
}

/* Sums up what all laps on all ranks have counted, and judges it. */
static int record_result(struct phase *ph, struct test_result *result, struct err *e)
{
    struct run_context *r = ph->context;
    const struct plan *p = r->plan;
    const struct workload *w = ph->workload;
    bool is_of_names = w->item == ITEM_FILE || w->item == ITEM_NAME;
    struct joint_test together = {0};
    struct judgement judgement;
    struct test_figures figures = {
        .evidence = {.spent = ph->spent,
                     .cpus = r->host->cpus,
                     .limit = io_limit_kept(&r->limit, &r->storage.sources.devices),
                     .link_per_second = r->storage.facts.link_per_second},
        .cache = ph->cache};
    struct evidence *evidence = &figures.evidence;
    struct reading *spent = &evidence->spent; /* all of it, or the last window of rounds */
    if (ph->is_steady)
        rounds_window(&ph->rounds, spent, r->total);
    else
        shared_stats_sum(&r->stats, r->total);
    uint64_t elapsed_ns = spent->ns;
    bool has_plain_queue = false;
    for (unsigned i = 0; i < r->stats.used; i++)
        has_plain_queue |= r->stats.workers[i].plain_queues > 0;
    for (unsigned i = 0; i < r->stats.room; i++)
        corruption_merge(&figures.corruption, &r->corruption[i]);
    int rc = gathering_end_test(&r->gathering, &figures, r->total, &together, e);
    if (rc != 0)
        return rc;
    *result = (struct test_result){
        .measured = true,
        .workers = p->ranks * (w->forked ? p->data.seekers : p->workers),
        .engine = w->uses_engine ? p->engine.ops->name : DEFAULT_ENGINE,
        .iodepth = w->uses_engine && !r->work->is_one_by_one ? p->engine.depth : 1,
        .chunk_bytes = ph->operation_bytes,
        .ops = r->total->latencies.count,
        .bytes = r->total->bytes,
        .elapsed_ns = elapsed_ns,
        .cpu_ns = spent->work_ns,
        .latency_ns = latencies_of(&r->total->latencies),
        .verified_bytes = figures.corruption.checked_bytes,
        .corrupted = figures.corruption.corrupted,
        .device = spent->device,
        .moved = spent->moved,
        .cache = figures.cache,
        .has_plain_queue = has_plain_queue,
        .is_short = !ph->is_once && ph->spent.ns < ph->round_end_ns,
        .together = together,
    };
    if (ph->is_steady) {
        result->steady = (struct steady_result){
            .wanted = true,
            .is_steady = ph->rounds.is_steady,
            .metric = ph->rounds.metric,
            .round_ns = p->steady.round_ns,
            .most_rounds = p->steady.most_rounds,
            .precondition = p->steady.precondition,
            .fit = ph->rounds.fit,
            .rounds = ph->rounds.list, /* belongs to the result now */
            .count = ph->rounds.count,
        };
        ph->rounds.list = NULL;
    }
    r->unsteady += ph->is_steady && !result->steady.is_steady;
    split_bytes(ph, evidence, result->bytes);
    if (w->uses_engine && p->direct)
        result->direct = direct_use_of(&r->storage.direct, evidence->read_bytes > 0,
                                       evidence->written_bytes > 0);

    const struct cache_use *cache = &result->cache;
    bool knows_cached = w->reads && cache->known;
    spent->ns = elapsed_ns;
    /* What is not synced shares blocks, and the names of the test before may be on their way. */
    spent->changes =
        is_of_names ? result->ops + p->files.count : mul_div(result->ops, ph->written_percent, 100);
    spent->is_direct = result->direct.asked && result->direct.seen == DIRECT_YES;
    if (!p->sync && (is_of_names || spent->is_direct))
        spent->changes /= CHANGES_TOGETHER;
    if (p->sync && plan_stores(p) && !(is_of_names && w->reads))
        evidence->syncs = is_of_names ? result->ops : evidence->written_bytes / ph->operation_bytes;
    evidence->workers = result->workers;
    evidence->in_flight = result->workers * result->iodepth;
    if (knows_cached && !result->direct.asked)
        evidence->resident_percent = cache->resident_percent_before;
    evidence->is_cold = knows_cached && cache->resident_percent_before < 10;
    evidence->compresses = r->storage.sources.compresses && p->contents != DATA_RANDOM;
    evidence->filesystem = r->storage.sources.filesystem[0] ? r->storage.sources.filesystem : NULL;
    evidence->is_stored = is_stored(ph);
    evidence->computes = w->item == ITEM_PERCHAR_CHUNK;
    evidence->direct = result->direct;
    ph->evidence = *evidence;
    limit_judge(&judgement, evidence);
    phase_verdict(ph, result, &judgement);
    const struct corruption *c = &figures.corruption;
    size_t kept = c->corrupted < CORRUPTION_KEPT ? (size_t)c->corrupted : CORRUPTION_KEPT;
    result->corruption.entries = kept > 0 ? calloc(kept, sizeof *result->corruption.entries) : NULL;
    if (kept > 0 && !result->corruption.entries)
        return err_system(e, ENOMEM, "allocate memory for %zu damaged places", kept);
    result->corruption.count = kept;
    for (size_t i = 0; i < kept; i++) {
        const struct corrupted_place *place = &c->kept[i];
        struct corruption_entry *entry = &result->corruption.entries[i];
        /* on a device, the places of all workers follow one another */
        uint64_t base = p->is_device ? r->data[place->file].base : 0;
        entry->file = place->file;
        entry->offset = base + place->offset;
        entry->kind = corruption_kind_names[place->kind];
        corrupted_place_describe(entry->description, place, &r->pattern);
    }
    r->unreadable += c->unreadable;
    if (result->ops == 0 && c->unreadable > 0)
        return err_system(e, EIO, "no read of %s succeeded", p->directory);
    return 0;
}

/* Reports that a test is done, keeps its figures in case SIGUSR1 asks for them later in the run,
 * and reports the first corrupted places on standard error. */
static void report_test(const struct phase *ph, const struct test_result *t)
{
    char figures[PROGRESS_FIGURES];
    struct run_context *r = ph->context;
    const struct plan *p = r->plan;
    struct progress_reading reading = ph->goal;
    size_t used = strlen(r->figures);
    reading.elapsed_ns = t->elapsed_ns;
    reading.ops = t->ops;
    reading.bytes = t->bytes;
    progress_figures(figures, &reading);
    if (p->is_bonniexx && ph->workload->forked)
        progress_lines_end(&r->progress, "done...", p->data.seekers);
    else
        progress_lines_end(
            &r->progress, p->is_bonniexx && !workload_has_data(ph->workload) ? "done." : "done", 1);
    if (ph->workload->item == ITEM_CHUNK)
        r->moved_per_second =
            (double)t->bytes * moved_percent(ph->workload) * 1e7 / (double)(t->elapsed_ns + 1);
    snprintf(r->figures + used, sizeof r->figures - used, "  %-10s  %s\n", ph->name, figures);

    if (t->corrupted == 0 || p->rank > 0) /* rank 0 reports those of all ranks */
        return;
    r->corrupted += t->corrupted;
    progress_lines_break(&r->progress);
    for (size_t i = 0; i < t->corruption.count; i++) {
        const struct corruption_entry *entry = &t->corruption.entries[i];
        if (p->is_device)
            message("%s: %s at %" PRIu64 ": %s", ph->name, p->directory, entry->offset,
                    entry->description);
        else
            message("%s: data file %" PRIu64 " in %s at %" PRIu64 ": %s", ph->name, entry->file,
                    p->directory, entry->offset, entry->description);
    }
    if (t->corrupted > t->corruption.count)
        message("%s: %" PRIu64 " damaged places in all", ph->name, t->corrupted);
}

int phase_run(struct run_context *r, enum test_id test, const struct outlook *outlook,
              struct test_result *result, struct err *e)
{
    const struct plan *p = r->plan;
    const struct workload *w = workloads[test];
    bool is_steady = p->steady.wanted && w->uses_engine;
    bool has_time =
        w->item == ITEM_BLOCK || w->item == ITEM_CHUNK; /* which cuts off the last lap */
    struct phase ph = {
        .context = r,
        .test = test,
        .title = p->is_bonniexx && w->old_title ? w->old_title
                 : p->row                       ? p->row->tests[test].title
                 : w->item != ITEM_BLOCK || p->iops.write_percent % 100 > 0 ? w->title
                 : p->iops.write_percent == 0 ? "Reading at random places"
                                              : "Writing at random places",
        .name = test_names[test],
        .is_measured = true,
        .workload = w,
        .rounds = {.spent = &ph.spent,
                   .stats = &r->stats,
                   .metric = p->steady.has_metric           ? p->steady.metric
                             : test_counts_operations(test) ? ROUND_IOPS
                                                            : ROUND_BANDWIDTH,
                   .most = p->steady.most_rounds},
        .is_steady = is_steady,
        .is_cut = is_steady || has_time,
        .is_once = p->is_brief && has_time,
        .written_percent = p->reads_only           ? 0
                           : w->item == ITEM_BLOCK ? p->iops.write_percent
                                                   : w->written_percent,
        .operation_bytes = w->item == ITEM_PERCHAR_CHUNK                    ? PERCHAR_CHUNK_BYTES
                           : w->item == ITEM_CHUNK || w->item == ITEM_SEEK  ? p->data.chunk_bytes
                           : w->item == ITEM_BLOCK                          ? p->iops.block_bytes
                           : w->item == ITEM_FILE && p->files.max_bytes > 0 ? p->files.chunk_bytes
                                                                            : 0,
        .goal = goal_of(p, test),
    };
    ph.round_ns = is_steady ? p->steady.round_ns : ph.goal.goal_ns;
    ph.goal.phase = outlook->test;
    ph.goal.phases = outlook->tests;
    ph.goal.later_ns = outlook->later.ns;
    if (r->moved_per_second > 0)
        ph.goal.later_ns +=
            (uint64_t)((double)outlook->later.moved_bytes * 1e9 / r->moved_per_second);
    else if (w->item == ITEM_CHUNK)
        ph.goal.later_bytes = mul_div(outlook->later.moved_bytes, 100, moved_percent(w));
    else
        ph.goal.is_unforeseen = outlook->later.moved_bytes > 0;

    int rc = is_steady ? rounds_open(&ph.rounds, e) : 0;
    if (rc == 0 && is_steady)
        rc = precondition(r, e);
    shared_stats_begin(&r->stats, w->forked ? p->data.seekers : p->workers);
    memset(r->corruption, 0, r->stats.room * sizeof *r->corruption);
    gathering_begin(&r->gathering);
    progress_lines_begin(&r->progress, ph.title);
    if (rc == 0)
        rc = start_observers(&ph, e);
    for (bool has_round = true; rc == 0 && has_round;) {
        bool has_lap = true;
        ph.preparing_ns = 0;
        ph.is_going_round = false;
        ph.round_end_ns = ph.spent.ns + ph.round_ns;
        while (rc == 0 && has_lap) {
            /* the time on a clock that stops while the work is measured */
            uint64_t before_ns = clock_ns() - ph.spent.ns;
            rc = do_lap(&ph, e);
            ph.is_going_round = ph.is_cut;
            /* between the laps of a small file, maybe thousands, everything counts as preparing */
            if (ph.is_cut && ph.laps > 1)
                ph.preparing_ns += clock_ns() - ph.spent.ns - before_ns;
            has_lap =
                !ph.is_once && ph.spent.ns < ph.round_end_ns && ph.preparing_ns < 2 * ph.round_ns;
            if (rc == 0) /* rank 0 decides for all */
                rc = coordinator_share(r->coordinator, w->title, &has_lap, sizeof has_lap, e);
        }
        has_round = rc == 0 && is_steady && rounds_end(&ph.rounds);
        if (rc == 0 && is_steady && p->verbose > 0) {
            progress_lines_break(&r->progress);
            message("%s: round %u: %.0f %s", test_names[test], ph.rounds.count,
                    round_figure(&ph.rounds.list[ph.rounds.count - 1], ph.rounds.metric),
                    round_units[ph.rounds.metric]);
        }
    }
    if (rc == 0)
        rc = record_result(&ph, result, e);
    examiner_stop(r->examiner);
    if (rc == 0 && r->examiner)
        rc = examiner_sum_up(r->examiner, 0, &r->total->latencies, &result->tail, e);
    examiner_free(r->examiner);
    r->examiner = NULL;
    int ended = monitor_end(ph.monitor, &ph.spent, rc == 0 ? &result->intervals : NULL,
                            &result->interval_count, rc == 0 ? &result->levels : NULL, e);
    rounds_close(&ph.rounds);
    rc = rc ? rc : ended;
    if (rc != 0) {
        progress_lines_break(&r->progress);
        return rc;
    }
    judge_levels(&ph, result);
    report_test(&ph, result);
    return 0;
}
