#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Direct I/O asks for chunks of whole device blocks, and for a filesystem that has it. */
static int check_direct(const struct run *r, struct err *e)
{
    const struct plan *p = r->plan;
    if (!p->direct || p->data.bytes == 0)
        return 0;
    int fd = scratch_make_data_file(&r->scratch, 0, e);
    if (fd < 0)
        return fd;
    uint32_t alignment = scratch_direct_alignment(fd);
    int direct = scratch_reopen(fd, O_RDONLY | O_DIRECT, p->directory, e);
    close(fd);
    if (direct < 0)
        return direct;
    close(direct);
    if (p->data.chunk_bytes % alignment != 0)
        return err_say(e,
                       "-s (--size): direct I/O on %s asks for chunks of a multiple of %" PRIu32
                       " bytes, %" PRIu64 " is none",
                       p->directory, alignment, p->data.chunk_bytes);
    return 0;
}

static size_t buffer_size(const struct plan *p)
{
    uint64_t data = p->data.bytes > 0 ? p->data.chunk_bytes : 0;
    uint64_t file =
        p->files.max_bytes < p->files.chunk_bytes ? p->files.max_bytes : p->files.chunk_bytes;
    uint64_t larger = data > file ? data : file;
    return larger < PATTERN_BLOCK ? PATTERN_BLOCK : (size_t)larger;
}

static int make_work(struct run *r, struct err *e)
{
    const struct plan *p = r->plan;
    size_t bytes = buffer_size(p);
    r->work = calloc(p->workers, sizeof *r->work);
    if (!r->work)
        return err_system(e, ENOMEM, "memory for %u workers", p->workers);
    for (unsigned i = 0; i < p->workers; i++) {
        struct work *w = &r->work[i];
        void *buffer = NULL;
        if (posix_memalign(&buffer, BUFFER_ALIGNMENT, bytes) != 0)
            return err_system(e, ENOMEM, "buffer of %zu bytes", bytes);
        *w = (struct work){.plan = p,
                           .scratch = &r->scratch,
                           .pattern = &r->pattern,
                           .buffer = buffer,
                           .buffer_bytes = bytes};
        memset(buffer, 0, bytes); /* have the memory there before the clock runs */
        datafile_init(&w->data, p, i);
        fileset_init(&w->files, p, &r->scratch, &r->pattern, i, w->buffer);
    }
    return 0;
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
    pattern_init(&r->pattern, p->contents, p->seed);
    int rc = check_space(p, e);
    if (rc == 0)
        rc = scratch_open(&r->scratch, p->directory, e);
    if (rc != 0)
        return rc;
    rc = check_direct(r, e);
    if (rc == 0)
        rc = make_work(r, e);
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
    for (unsigned i = 0; i < r->plan->workers; i++)
        r->work[i].samples = (struct samples){0};
    int rc = pool_prepare(&r->pool, &workload->job, e);
    if (rc == 0 && workload->reads)
        rc = drop_system_caches(r, e);
    if (rc == 0 && workload->forked)
        rc = seekers_start(&r->seekers, r->plan, r->work, e);
    if (rc == 0 && r->coordinator->kind == COORDINATE_PROMPT)
        progress_break(&r->progress); /* the prompt has a line of its own */
    return rc == 0 ? coordinate_wait(r->coordinator, workload->title, e) : rc;
}

static int work_with_pool(struct run *r, struct job_times *times, struct samples *samples,
                          struct err *e)
{
    int rc = pool_work(&r->pool, times, e);
    for (unsigned i = 0; i < r->plan->workers; i++)
        samples_merge(samples, &r->work[i].samples);
    return rc;
}

/* The seekers seek, then the workers make durable what was changed, and close. */
static int work_with_seekers(struct run *r, struct job_times *times, struct samples *samples,
                             struct err *e)
{
    struct job_times closing;
    int rc = seekers_work(r->seekers, times, samples, e);
    if (rc == 0)
        rc = pool_work(&r->pool, &closing, e);
    if (rc == 0) { /* the time until the parent saw that the last seeker had ended is not theirs */
        times->end_ns += closing.end_ns - closing.start_ns;
        times->cpu_ns += closing.cpu_ns;
    }
    return rc;
}

static int run_phase(struct run *r, const struct workload *workload, struct test_result *result,
                     struct err *e)
{
    struct job_times times;
    struct samples samples = {0};
    progress_begin(&r->progress, workload->title);
    int rc = prepare_phase(r, workload, e);
    if (rc == 0)
        rc = workload->forked ? work_with_seekers(r, &times, &samples, e)
                              : work_with_pool(r, &times, &samples, e);
    seekers_release(r->seekers);
    r->seekers = NULL;
    if (rc != 0) {
        progress_break(&r->progress);
        return rc;
    }
    progress_done(&r->progress);
    *result = (struct test_result){
        .measured = true,
        .ops = samples.ops,
        .bytes = samples.bytes,
        .elapsed_ns = times.end_ns - times.start_ns,
        .cpu_ns = times.cpu_ns,
        .latency_max_ns = samples.latency_max_ns,
    };
    return 0;
}

/* The settings that the reports show. */
static void describe(const struct plan *p, struct result *result)
{
    *result = (struct result){
        .version = PACKAGE_VERSION,
        .label = p->label,
        .concurrency = p->workers,
        .seed = p->seed,
        .data_bytes = p->data.bytes,
        .chunk_bytes = p->data.chunk_bytes,
        .seeks = p->data.seeks,
        .seekers = p->data.seekers,
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
            rc = run_phase(r, workload_of(test), &result->tests[test], e);
    }
    return rc;
}
