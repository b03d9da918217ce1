#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "stop.h"

/* No device asks for more alignment of a buffer than a page. */
#define BUFFER_ALIGNMENT 4096

static int check_space(const struct plan *p, struct err *e)
{
    struct scratch_space space;
    int rc = scratch_space(p->directory, &space, e);
    if (rc != 0)
        return rc;
    uint64_t bytes = plan_bytes_needed(p, space.block_bytes);
    uint64_t files = plan_files_needed(p, space.links_are_files);
    if (space.bytes < bytes)
        return err_say(e, "%s: %" PRIu64 " MiB are needed, %" PRIu64 " MiB are free", p->directory,
                       (bytes >> 20) + (bytes % (1 << 20) > 0), space.bytes >> 20);
    if (space.files < files)
        return err_say(e, "%s: %" PRIu64 " files are needed, %" PRIu64 " can be made", p->directory,
                       files, space.files);
    return 0;
}

/* Direct I/O asks for whole device blocks. */
static int check_alignment(const struct plan *p, uint32_t alignment, struct err *e)
{
    if (p->data.chunk_bytes % alignment != 0)
        return err_say(e,
                       "-s (--size): direct I/O on %s asks for chunks of a multiple of %" PRIu32
                       " bytes, %" PRIu64 " is none",
                       p->directory, alignment, p->data.chunk_bytes);
    if (p->tests[TEST_IOPS] && p->iops.block_bytes % alignment != 0)
        return err_say(e,
                       "--iops-block: direct I/O on %s asks for a multiple of %" PRIu32
                       " bytes, %" PRIu64 " is none",
                       p->directory, alignment, p->iops.block_bytes);
    return 0;
}

/* One block, written through the engine: what does not work is to be known before anything else. */
static enum source_answer try_next(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    unsigned *left = context;
    if (*left == 0)
        return SOURCE_ENDED;
    --*left;
    io->kind = IO_WRITE;
    io->file = 0;
    io->offset = 0;
    io->length = BUFFER_ALIGNMENT;
    return SOURCE_READY;
}

static bool try_transferred(void *context, struct io *io)
{
    (void)context, (void)io;
    return false;
}

static int try_engine(struct run *r, int fd, struct err *e)
{
    const struct io_file file = {.fd = fd, .name = r->plan->directory};
    const struct queue_setup setup = work_queue_setup(r->plan, &file, 1, BUFFER_ALIGNMENT);
    unsigned left = 1;
    const struct io_source source = {
        .next = try_next, .transferred = try_transferred, .context = &left};
    struct queue queue;
    int rc = queue_open(&queue, &setup, e);
    if (rc == 0)
        rc = queue_run(&queue, &source, &r->samples, e);
    queue_close(&queue);
    return rc;
}

/* Whether block tests can work here: with O_DIRECT if they are to, and with that engine. */
static int check_data_file(struct run *r, struct err *e)
{
    const struct plan *p = r->plan;
    if (p->data.bytes == 0 || !plan_stores(p))
        return 0;
    int fd = scratch_make_data_file(&r->scratch, 0, e);
    if (fd < 0)
        return fd;
    uint32_t alignment = scratch_direct_alignment(fd);
    int opened = scratch_reopen(fd, O_RDWR | (p->direct ? O_DIRECT : 0), p->directory, e);
    close(fd);
    if (opened < 0)
        return opened;
    int rc = p->direct ? check_alignment(p, alignment, e) : 0;
    if (rc == 0)
        rc = try_engine(r, opened, e);
    close(opened);
    return rc;
}

static int check_engine(const struct plan *p, struct err *e)
{
    struct err reason;
    err_init(&reason);
    if (p->data.bytes == 0 || p->engine.ops->available(&reason) == 0)
        return 0;
    return err_say(e, "--engine=%s: %s", p->engine.ops->name, reason.text);
}

static size_t buffer_size(const struct plan *p)
{
    uint64_t data = p->data.bytes > 0 ? p->data.chunk_bytes : 0;
    uint64_t file =
        p->files.max_bytes < p->files.chunk_bytes ? p->files.max_bytes : p->files.chunk_bytes;
    uint64_t larger = data > file ? data : file;
    return larger < BUFFER_ALIGNMENT ? BUFFER_ALIGNMENT : (size_t)larger;
}

/* What the data files hold, as far as it is the same for all workers. */
static int make_contents(struct run *r, struct err *e)
{
    const struct plan *p = r->plan;
    pattern_init(&r->pattern, p->contents, p->compress_percent,
                 pattern_unit_for(p->data.change_bytes), p->seed);
    r->contents = (struct contents){
        .pattern = &r->pattern,
        .verify = p->verify,
        .block_bytes = p->data.change_bytes,
        .files = calloc(p->workers, sizeof *r->contents.files),
    };
    if (!r->contents.files)
        return err_system(e, ENOMEM, "memory for %u workers", p->workers);
    if (p->data.bytes == 0 || !plan_changes_blocks(p))
        return 0;
    return generations_open(&r->contents.changes,
                            p->data.chunks * (p->data.chunk_bytes / p->data.change_bytes), e);
}

static int make_worker(struct run *r, unsigned number, size_t buffer_bytes, struct err *e)
{
    const struct plan *p = r->plan;
    struct work *w = &r->work[number];
    void *buffer = NULL;
    if (posix_memalign(&buffer, BUFFER_ALIGNMENT, buffer_bytes) != 0)
        return err_system(e, ENOMEM, "buffer of %zu bytes", buffer_bytes);
    memset(buffer, 0, buffer_bytes); /* have the memory there before the clock runs */
    *w = (struct work){.plan = p,
                       .scratch = &r->scratch,
                       .contents = &r->contents,
                       .number = number,
                       .buffer = buffer,
                       .buffer_bytes = buffer_bytes,
                       .all_data = r->data};
    datafile_init(&w->data, p, number, &r->data[number], &r->contents);
    fileset_init(&w->files, p, &r->scratch, &r->pattern, number, w->buffer);
    return 0;
}

static int make_workers(struct run *r, struct err *e)
{
    unsigned count = r->plan->workers;
    size_t bytes = buffer_size(r->plan);
    r->work = calloc(count, sizeof *r->work);
    r->data = calloc(count, sizeof *r->data);
    if (!r->work || !r->data)
        return err_system(e, ENOMEM, "memory for %u workers", count);
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < count; i++)
        rc = make_worker(r, i, bytes, e);
    return rc;
}

static int start_pool(struct run *r, struct err *e)
{
    unsigned count = r->plan->workers;
    void **contexts = calloc(count, sizeof *contexts);
    if (!contexts)
        return err_system(e, ENOMEM, "memory for %u workers", count);
    for (unsigned i = 0; i < count; i++)
        contexts[i] = &r->work[i];
    int rc = pool_start(&r->pool, count, contexts, e);
    free(contexts);
    return rc;
}

int run_open(struct run *r, const struct plan *p, struct dropper *dropper,
             struct coordinator *coordinator, struct err *e)
{
    *r = (struct run){
        .plan = p,
        .dropper = dropper,
        .coordinator = coordinator,
        .progress = {.quiet = p->quiet},
    };
    int rc = check_engine(p, e);
    if (rc == 0)
        rc = check_space(p, e);
    if (rc == 0)
        rc = scratch_open(&r->scratch, p->directory, e);
    if (rc != 0)
        return rc;
    rc = check_data_file(r, e);
    if (rc == 0)
        rc = make_contents(r, e);
    if (rc == 0)
        rc = make_workers(r, e);
    if (rc == 0)
        rc = start_pool(r, e);
    if (rc != 0)
        run_close(r, e);
    return rc;
}

int run_close(struct run *r, struct err *e)
{
    int rc = 0;
    pool_end(&r->pool);
    for (unsigned i = 0; r->work && i < r->plan->workers; i++) {
        struct work *w = &r->work[i];
        if (!w->buffer)
            continue; /* making the workers ended here */
        datafile_release(&w->data);
        int one = fileset_release(&w->files, e);
        rc = rc ? rc : one;
        free(w->buffer);
    }
    free(r->work);
    free(r->data);
    free(r->contents.files);
    generations_close(&r->contents.changes);
    r->work = NULL;
    int closed = scratch_close(&r->scratch, e);
    return rc ? rc : closed;
}

/* The system's caches hold what the files' own eviction cannot reach: inodes, names, block maps. */
static int drop_system_caches(struct run *r, struct err *e)
{
    if (!dropper_is_there(r->dropper) || r->plan->cache != CACHE_EVICT)
        return 0;
    if (syncfs(r->scratch.fd) != 0)
        return err_system(e, errno, "syncfs %s", r->plan->directory);
    return dropper_drop(r->dropper, e);
}

/* All that is not timed: when it returns 0, the phase may begin. */
static int prepare_phase(struct run *r, const struct workload *workload, struct err *e)
{
    memset(&r->samples, 0, sizeof r->samples);
    memset(&r->findings, 0, sizeof r->findings);
    for (unsigned i = 0; i < r->plan->workers; i++) {
        memset(&r->work[i].samples, 0, sizeof r->work[i].samples);
        memset(&r->work[i].findings, 0, sizeof r->work[i].findings);
    }
    int rc = pool_prepare(&r->pool, &workload->job, e);
    if (rc == 0 && workload->reads)
        rc = drop_system_caches(r, e);
    if (rc == 0 && workload->forked)
        rc = seekers_start(&r->seekers, r->plan, r->work, e);
    if (rc == 0 && r->coordinator->kind == COORDINATE_PROMPT)
        progress_break(&r->progress); /* the prompt has a line of its own */
    return rc == 0 ? coordinate_wait(r->coordinator, workload->title, e) : rc;
}

static int work_with_pool(struct run *r, struct job_times *times, struct err *e)
{
    int rc = pool_work(&r->pool, times, e);
    for (unsigned i = 0; i < r->plan->workers; i++) {
        samples_merge(&r->samples, &r->work[i].samples);
        findings_merge(&r->findings, &r->work[i].findings);
    }
    return rc;
}

/* The seekers seek, then the workers make durable what was changed, and close. */
static int work_with_seekers(struct run *r, struct job_times *times, struct err *e)
{
    struct job_times closing;
    int rc = seekers_work(r->seekers, times, &r->samples, &r->findings, e);
    if (rc == 0)
        rc = pool_work(&r->pool, &closing, e);
    if (rc == 0) { /* the time until the parent saw that the last seeker had ended is not theirs */
        times->end_ns += closing.end_ns - closing.start_ns;
        times->cpu_ns += closing.cpu_ns;
    }
    return rc;
}

static uint64_t chunk_of(const struct plan *p, enum test_id test)
{
    bool moves_data = p->files.max_bytes > 0 && test != TEST_SEQ_DEL && test != TEST_RAN_DEL;
    if (test >= TEST_FIRST_METADATA)
        return moves_data ? p->files.chunk_bytes : 0;
    if (test == TEST_PUTC || test == TEST_GETC)
        return PERCHAR_STRETCH;
    return test == TEST_IOPS ? p->iops.block_bytes : p->data.chunk_bytes;
}

/* Of the settings, what the test went by. */
static void describe_test(const struct plan *p, enum test_id test, struct test_result *result)
{
    bool block = test < TEST_FIRST_METADATA && test != TEST_PUTC && test != TEST_GETC;
    result->workers = test == TEST_SEEKS ? p->data.seekers : p->workers;
    result->engine = block ? p->engine.ops->name : "sync";
    result->iodepth = block ? p->engine.depth : 1;
    result->direct = block && p->direct;
    result->chunk_bytes = chunk_of(p, test);
}

static void record(const struct run *r, const struct job_times *times, struct test_result *result)
{
    const struct histogram *h = &r->samples.latencies;
    *result = (struct test_result){
        .measured = true,
        .ops = h->count,
        .bytes = r->samples.bytes,
        .elapsed_ns = times->end_ns - times->start_ns,
        .cpu_ns = times->cpu_ns,
        .verified_bytes = r->findings.checked_bytes,
        .damaged = r->findings.damaged,
        .latency_ns =
            {
                .min = histogram_minimum(h),
                .mean = (uint64_t)histogram_mean(h),
                .p50 = histogram_percentile(h, 50),
                .p90 = histogram_percentile(h, 90),
                .p95 = histogram_percentile(h, 95),
                .p99 = histogram_percentile(h, 99),
                .p99_9 = histogram_percentile(h, 99.9),
                .p99_99 = histogram_percentile(h, 99.99),
                .max = h->maximum,
            },
    };
}

/* Names the first damaged places of a phase. */
static void tell_damage(struct run *r, enum test_id test)
{
    const struct findings *f = &r->findings;
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

static int run_phase(struct run *r, enum test_id test, struct test_result *result, struct err *e)
{
    const struct workload *workload = workload_of(test);
    struct job_times times;
    progress_begin(&r->progress, workload->title);
    int rc = prepare_phase(r, workload, e);
    if (rc == 0)
        rc = workload->forked ? work_with_seekers(r, &times, e) : work_with_pool(r, &times, e);
    seekers_release(r->seekers);
    r->seekers = NULL;
    for (unsigned i = 0; i < r->plan->workers; i++)
        work_release(&r->work[i]);
    if (rc != 0) {
        progress_break(&r->progress);
        return rc;
    }
    progress_done(&r->progress);
    tell_damage(r, test);
    record(r, &times, result);
    describe_test(r->plan, test, result);
    return 0;
}

/* The settings that the reports show. */
static void describe(const struct plan *p, struct result *result)
{
    static const char *const verify_names[] = {
        [VERIFY_STAMP] = "stamp", [VERIFY_FULL] = "full", [VERIFY_OFF] = "off"};
    *result = (struct result){
        .version = PACKAGE_VERSION,
        .label = p->label,
        .concurrency = p->workers,
        .seed = p->seed,
        .start_time = time(NULL),
        .host = {.directory = p->directory},
        .preset = p->preset,
        .direct = p->direct,
        .sync = p->sync,
        .data = p->contents_name,
        .verify = verify_names[p->verify],
        .cache = p->cache == CACHE_EVICT ? "evict" : "keep",
        .data_bytes = p->data.bytes,
        .chunk_bytes = p->data.chunk_bytes,
        .seeks = p->data.seeks,
        .seekers = p->data.seekers,
        .engine = p->engine.ops->name,
        .iodepth = p->engine.depth,
        .iops_block_bytes = p->iops.block_bytes,
        .iops_write_percent = p->iops.write_percent,
        .iops_seconds = (double)p->iops.duration_ns / 1e9,
        .iops_theta = p->iops.theta,
        .files_k = p->files.count / 1024,
        .file_kind = p->files.kind,
        .file_max_bytes = p->files.max_bytes,
        .file_min_bytes = p->files.min_bytes,
        .directories = p->files.directories_given,
        .file_chunk_bytes = p->files.chunk_bytes,
    };
}

int run_once(struct run *r, struct result *result, struct err *e)
{
    int rc = 0;
    describe(r->plan, result);
    for (enum test_id test = 0; rc == 0 && test < TEST_COUNT; test++) {
        if (test == TEST_FIRST_METADATA) /* make room */
            for (unsigned i = 0; i < r->plan->workers; i++)
                datafile_release(&r->work[i].data);
        if (r->plan->tests[test])
            rc = run_phase(r, test, &result->tests[test], e);
    }
    return rc;
}
