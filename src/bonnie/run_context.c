// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/run_context.h"

#include <sys/random.h>

#include "measure/clock.h"
#include "sys/limits.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/rng.h"
#include "util/shared_memory.h"

/* Each rank has a directory of its own; but where ranks read what others have written, all use the
 * first rank's. Names derive from one random number plus the rank, so each rank knows them all. */

/* A directory without a lock is checked this often, at this interval: for 200 ms. */
#define LOOKS   10
#define LOOK_NS 20000000

static int check_space(const struct plan *p, const struct scratch *s, struct err *e)
{
    struct scratch_space space;
    int rc = scratch_space(s, &space, e);
    if (rc != 0)
        return rc;
    if (space.is_read_only)
        return err_system(e, EROFS, "%s", p->directory);
    uint64_t bytes = plan_bytes_needed(p, &space);
    uint64_t files = plan_files_needed(p, space.links_are_files);
    if (space.bytes < bytes)
        return err_say(e, "%s: %s are needed, %s are free; a smaller %s needs less", p->directory,
                       units_bytes(bytes).text, units_bytes(space.bytes).text,
                       p->data.bytes >= bytes / 2 ? "-s" : "-n");
    if (space.files < files)
        return err_say(
            e, "%s: %" PRIu64 " files are needed, %" PRIu64 " can be made; a smaller -n needs less",
            p->directory, files, space.files);
    return 0;
}

/* What a meeting of all ranks about the first directory works on. */
struct visibility {
    const struct plan *plan;
    const struct ranks *ranks;
    bool all_see;   /* all ranks see the directory that rank 0 has made */
    unsigned rank;  /* the first rank that does not see it */
    unsigned shift; /* the shift for all ranks */
};

static bool take_sight(void *context, unsigned rank, struct bundle_reader *brought)
{
    struct visibility *l = context;
    bool sees;
    if (!bundle_take(brought, &sees, sizeof sees))
        return false;
    if (l->all_see && !sees)
        l->rank = rank;
    l->all_see = l->all_see && sees;
    return true;
}

/* Without --shift, it is the smallest with which most ranks read what another host wrote: 0 if
 * there is only one host, or if not all ranks see the directory. */
static void choose_shift(void *context)
{
    struct visibility *l = context;
    const struct ranks *r = l->ranks;
    unsigned most = 0;
    if (l->plan->shift.given)
        l->shift = (unsigned)l->plan->shift.value % r->count;
    else if (l->all_see)
        for (unsigned shift = 1; shift < r->count && most < r->count; shift++) {
            unsigned count = 0; /* of ranks that would read what another host wrote */
            for (unsigned i = 0; i < r->count; i++)
                count += r->cards[i].host_first != r->cards[(i + shift) % r->count].host_first;
            if (count > most)
                l->shift = shift;
            most = MAX(count, most);
        }
}

/* Makes the directory of this rank, or joins the first rank's. scratch_open() must have succeeded.
 * The shift becomes what the plan says, or leads to another host if several hosts see the same
 * directory; otherwise, and after a failure, it is 0. Refuses a shift if the ranks do not share the
 * directory, and a plan whose data for all ranks does not fit. */
static int make_directories(struct run_context *r, struct err *e)
{
    const struct plan *p = r->plan;
    struct scratch *s = &r->scratch;
    struct coordinator *c = r->coordinator;
    uint64_t number = r->numbers.directories;
    struct visibility l = {.plan = p, .ranks = &c->ranks, .all_see = true};
    int rc = p->rank == 0 ? scratch_make(s, rng_mix(number), e) : 0;
    if (rc != 0 || p->ranks == 1)
        return rc;
    rc = coordinator_share(c, "Making a directory", NULL, 0, e);
    char name[PRIVATE_NAME_SIZE];
    private_name(name, rng_mix(number));
    int fd = rc == 0 && p->rank > 0 ? directory_open(s->parent_fd, name) : -1;
    bool sees = p->rank == 0 || fd >= 0;
    descriptor_close(&fd);
    struct meeting m = {.name = "Looking for the directory",
                        .take = take_sight,
                        .decide = choose_shift,
                        .context = &l,
                        .answer = &l.shift,
                        .answer_bytes = sizeof l.shift};
    if (rc == 0) {
        bundle_put(&m.mine, &sees, sizeof sees);
        rc = coordinator_meet(c, &m, e);
    }
    if (rc == 0 && p->rank == 0 && !l.all_see && l.shift > 0)
        rc = err_say(e,
                     "--shift: rank %u on %s does not see what rank 0 makes in %s: the ranks do "
                     "not share one directory",
                     l.rank, l.ranks->cards[l.rank].host, p->directory);
    if (rc == 0 && p->rank == 0 && l.all_see) { /* is there room for the data of all ranks? */
        struct plan all = *plan_whole(p);
        all.files.directories = plan_all_directories(p);
        all.workers *= p->ranks;
        rc = check_space(&all, s, e);
    }
    if (rc == 0) /* if rank 0 has refused, no rank goes on */
        rc = coordinator_share(c, "Making a directory", NULL, 0, e);
    if (rc == 0 && p->rank > 0)
        rc = l.shift > 0 ? scratch_join(s, rng_mix(number), e)
                         : scratch_make(s, rng_mix(number + p->rank), e);
    if (rc == 0)
        r->shift = l.shift;
    return rc;
}

/* Reports, after a signal and when this rank has cleaned up, the directories that killed ranks
 * after this one have left, and the host of the first of them. Only the rank before a row of killed
 * ranks does so, so that each directory is reported once. A rank that ends gives up the lock just
 * before it removes its directory, so a directory without a lock must stay for LOOKS looks. That
 * takes much less than the second after which Open MPI kills the others when one was killed. */
static void report_abandoned(const struct run_context *r)
{
    const struct plan *p = r->plan;
    for (unsigned i = 1; i < p->ranks; i++) {
        char name[PRIVATE_NAME_SIZE];
        char text[PATH_MAX + PRIVATE_NAME_SIZE + RANK_HOST_SIZE + 80];
        unsigned rank = (p->rank + i) % p->ranks;
        uint64_t number = rng_mix(r->numbers.directories + rank);
        for (unsigned look = 0; look < LOOKS; look++) {
            if (look > 0)
                clock_sleep(LOOK_NS);
            if (!scratch_is_abandoned(p->directory, number, name))
                return;
        }
        bool is_next = i == 1; /* a rank knows only the host of the next rank */
        snprintf(text, sizeof text,
                 "rank %u%s%s was killed and has left %s/%s; --cleanup removes it", rank,
                 is_next ? " on " : "", is_next ? r->next_host : "", p->directory, name);
        stop_message(text);
    }
}

/* Writes and reads one block through the engine, so that problems show before the run. */
struct trial {
    size_t bytes;
    bool reads_only; /* what is there is not the run's own */
    bool is_done;
};

static enum source_answer try_next(void *context, struct io *io, uint64_t now_ns)
{
    (void)now_ns;
    struct trial *trial = context;
    if (trial->is_done)
        return SOURCE_ENDED;
    trial->is_done = true;
    io->kind = trial->reads_only ? IO_READ : IO_WRITE;
    io->file = 0;
    io->offset = 0;
    io->length = trial->bytes;
    return SOURCE_READY;
}

static enum transfer_answer try_transferred(void *context, struct io *io)
{
    (void)context;
    if (io->kind == IO_READ)
        return OPERATION_ENDED;
    io->kind = IO_READ;
    return OPERATION_CONTINUES;
}

static int try_engine(struct run_context *r, int fd, uint32_t alignment, struct err *e)
{
    const struct io_file file = {
        .fd = fd, .name = r->plan->directory, .base = r->plan->offset_bytes};
    struct trial trial = {.bytes = MAX(alignment, QUEUE_ALIGNMENT),
                          .reads_only = r->plan->is_device};
    const struct io_queue_setup setup = work_queue_setup(r->plan, &file, 1, trial.bytes);
    const struct io_source source = {
        .next = try_next, .transferred = try_transferred, .context = &trial};
    bool polls = strcmp(setup.engine->name, "io_uring") == 0 && setup.options->uring.iopoll;
    struct io_queue queue;
    struct err reason = {0};
    int rc = io_queue_open(&queue, &setup, &reason);
    if (rc == 0)
        rc = io_queue_run(&queue, &source, r->total, &reason);
    io_queue_close(&queue);
    if (trial.reads_only && trial.is_done && (rc == -EIO || rc == -ENODATA))
        return 0; /* a bad block is no reason not to measure the others */
    if (rc != 0 && rc != -EINTR && polls)
        return err_say(e, "--uring=iopoll needs -D and a device that can be polled: %s",
                       reason.text);
    err_append(e, &reason);
    return rc;
}

/* Checks that block tests work here, with the engine and, if they use it, with O_DIRECT. If only
 * the preset wants that, and it does not work, the plan does without. */
static int check_data_file(struct run_context *r, struct plan *p, struct err *e)
{
    uint64_t offset = p->offset_bytes;
    const char *name = p->directory;
    bool is_named = false;
    int fd = -1;
    if (p->data.bytes == 0 || !plan_stores(p))
        return 0;
    if (!r->device)
        fd = scratch_make_data_file(&r->scratch, p->first_worker, &is_named, e);
    if (!r->device && fd < 0)
        return fd;
    int rc = 0;
    bool again;
    do {
        int flags = (p->reads_only ? O_RDONLY : O_RDWR) | (p->direct ? O_DIRECT : 0);
        int opened = r->device ? scratch_reopen(r->device->fd, flags, r->device->name, e)
                               : scratch_reopen_data_file(is_named ? &r->scratch : NULL,
                                                          p->first_worker, fd, flags, name, e);
        rc = opened < 0 ? opened : 0;
        uint32_t alignment = rc == 0 ? scratch_direct_alignment(opened) : 1;
        if (rc == 0 && offset % alignment != 0)
            rc = err_say(e, "--offset: a multiple of %" PRIu32 " bytes is needed on %s", alignment,
                         name);
        if (rc == 0 && p->direct && p->data.chunk_bytes % alignment != 0)
            rc = err_say(e,
                         "--size: direct I/O on %s needs chunks that are a multiple of %" PRIu32
                         " bytes, which %" PRIu64 " is not",
                         name, alignment, p->data.chunk_bytes);
        if (rc == 0 && p->direct && p->tests[TEST_IOPS] && p->iops.block_bytes % alignment != 0)
            rc = err_say(e,
                         "--iops-block: direct I/O on %s needs a multiple of %" PRIu32
                         " bytes, which %" PRIu64 " is not",
                         name, alignment, p->iops.block_bytes);
        if (rc == 0)
            rc = try_engine(r, opened, alignment, e);
        if (rc == 0 && p->direct) /* on a device in the middle, which a filesystem has less often in
                                     memory than its start */
            direct_see(&r->storage.direct, opened, r->device ? offset + p->data.bytes / 2 : 0,
                       &r->storage.sources);
        if (opened >= 0)
            close(opened);
        again = rc == -EINVAL && p->direct && p->may_forgo_direct;
        if (again) {
            err_init(e);
            plan_forgo_direct(p);
        }
    } while (again);
    if (is_named)
        scratch_remove_data_file(&r->scratch, p->first_worker, e);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* Open descriptors: per worker, its data file twice and a ring of io_uring, or a directory twice
 * and a file in it; in all, streams, sockets, pipes and the like. */
#define DESCRIPTORS_PER_WORKER 3
#define DESCRIPTORS_IN_ALL     20
/* Missing data files are filled in pieces of this size. */
#define FILL_BYTES 262144

static void init_file_set(struct run_context *r, struct work *w)
{
    const struct plan *p = r->plan;
    const struct file_set_setup setup = {
        .scratch = &r->scratch,
        .pattern = &r->pattern,
        .kind = p->files.kind,
        .count = plan_whole(p)->files.count,
        .directories = plan_all_directories(p),
        .workers = p->workers * p->ranks,
        .workers_here = p->workers,
        .number = p->first_worker + w->number,
        .min_bytes = p->files.min_bytes,
        .max_bytes = p->files.max_bytes,
        .chunk_bytes = p->files.chunk_bytes,
        .sync = p->sync,
        .buffer = w->buffer,
    };
    file_set_init(&w->files, &setup);
}

/* The files of a worker that are set aside while it works on those of another rank. */
struct lent_files {
    bool has_data; /* the worker has the data file of another rank */
    int fd;
    bool has_files; /* the worker has the metadata files of another rank */
    struct file_set files;
};

/* Makes what the workers share, the workers with their files and buffers, and their threads. */
static int make_workers(struct run_context *r, struct err *e)
{
    const struct plan *p = r->plan;
    const struct data_plan *d = &p->data;
    unsigned count = p->workers;
    unsigned places = MAX(count, d->seekers);
    size_t bytes = (size_t)MIN(p->files.max_bytes, p->files.chunk_bytes);
    if (d->bytes > 0 && bytes < FILL_BYTES)
        bytes = FILL_BYTES;
    bytes = MAX(bytes, QUEUE_ALIGNMENT);
    void **contexts = calloc(count, sizeof *contexts);
    r->work = calloc(count, sizeof *r->work);
    r->data = calloc(count, sizeof *r->data);
    r->lent = r->shift > 0 ? calloc(count, sizeof *r->lent) : NULL;
    pattern_init(&r->pattern, p->contents, p->compress_percent, pattern_unit_for(d->change_bytes),
                 p->seed, r->numbers.first_run);
    r->contents = (struct contents){
        .pattern = &r->pattern,
        .verify = p->verify,
        .block_bytes = d->change_bytes,
        .first_number = p->first_worker,
        .files = calloc(count, sizeof *r->contents.files),
    };
    bool has_all = contexts && r->work && r->data && r->contents.files && (r->lent || !r->shift);
    int rc = has_all ? 0 : err_system(e, ENOMEM, "allocate memory for %u workers", count);
    bool changes_blocks =
        p->tests[TEST_SEEKS] || (p->tests[TEST_IOPS] && p->iops.write_percent > 0);
    /* a later row of a preset may change blocks */
    if (rc == 0 && d->bytes > 0 && !p->reads_only && (changes_blocks || p->row))
        rc = generations_open(&r->contents.changes, d->chunks * (d->chunk_bytes / d->change_bytes),
                              e);
    if (rc == 0)
        rc = shared_stats_open(&r->stats, places, e);
    if (rc == 0)
        rc = shared_memory_map((void **)&r->corruption, places * sizeof *r->corruption, e);
    if (rc == 0 && p->explains_tail)
        rc = examiner_make_boxes(&r->slow, count, e);
    for (unsigned i = 0; rc == 0 && i < count; i++) {
        struct work *w = &r->work[i];
        uint64_t start = 0;
        void *buffer = NULL;
        if (posix_memalign(&buffer, QUEUE_ALIGNMENT, bytes) != 0) {
            rc = err_system(e, ENOMEM, "allocate a buffer of %zu bytes", bytes);
            break;
        }
        memset(buffer, 0, bytes); /* lets the system allocate the memory before any clock runs */
        ASSUME(contexts);
        contexts[i] = w;
        *w = (struct work){
            .plan = p,
            .scratch = &r->scratch,
            .contents = &r->contents,
            .number = i,
            .buffer = buffer,
            .buffer_bytes = bytes,
            .stats = &r->stats.workers[i],
            .slow = r->slow ? &r->slow[i] : NULL,
            .corruption = &r->corruption[i],
            .all_data = r->data,
            .data = {.fd = -1,
                     .number = i,
                     .file = &r->data[i],
                     .contents = &r->contents,
                     .sync = p->sync,
                     .direct = p->direct,
                     .keeps_name = r->shift > 0,
                     .device = r->device},
        };
        if (d->chunks > 0) {
            struct partition chunks = partition_of(d->chunks, count, i);
            start = chunks.first * d->chunk_bytes;
            w->data.bytes = chunks.count * d->chunk_bytes;
            /* in proportion to the file's size, so that all parts fit and add up */
            uint64_t end = mul_div(d->perchar_bytes, chunks.first + chunks.count, d->chunks);
            w->perchar_bytes = end - mul_div(d->perchar_bytes, chunks.first, d->chunks);
        }
        if (r->device)
            snprintf(w->data.name, sizeof w->data.name, "%s", p->directory);
        else
            snprintf(w->data.name, sizeof w->data.name, "data file %u in %s", p->first_worker + i,
                     p->directory);
        r->data[i] = (struct io_file){
            .fd = -1,
            .name = w->data.name,
            .base = r->device ? p->offset_bytes + start : 0,
        };
        r->contents.files[i].start = start;
        init_file_set(r, w);
    }
    if (rc == 0)
        rc = thread_pool_start(&r->pool, count, contexts, r->poller, e);
    free(contexts);
    return rc;
}

int run_context_check_limits(const struct plan *p, struct err *e)
{
    const struct data_plan *d = &p->data;
    uint64_t most = plan_has_test(p, TEST_FIRST_METADATA, TEST_COUNT) ? p->files.max_bytes : 0;
    uint64_t data = 0;
    if (!p->is_device && plan_has_test(p, 0, TEST_FIRST_METADATA))
        data = plan_stores(p) ? partition_of(d->chunks, p->workers, 0).count * d->chunk_bytes
                              : d->perchar_bytes / p->workers;
    int rc = limits_descriptors(DESCRIPTORS_IN_ALL + DESCRIPTORS_PER_WORKER * p->workers +
                                    (p->explains_tail ? tail_trace_descriptors() : 0),
                                "--concurrency", p->workers, "workers", e);
    if (rc == 0)
        rc = limits_file(MAX(data, most), e);
    /* a single worker is the main thread */
    uint64_t tasks = (p->workers > 1 ? p->workers : 0) + (p->tests[TEST_SEEKS] ? d->seekers : 0) +
                     p->explains_tail;
    return rc == 0 ? limits_tasks(tasks, e) : rc;
}

int run_context_open(struct run_context *r, struct plan *p, struct block_device *device,
                     struct helpers *helpers, struct coordinator *coordinator, struct err *e)
{
    *r = (struct run_context){
        .plan = p,
        .host = p->host,
        .device = device,
        .storage.device = device,
        .scratch = {.parent_fd = -1, .fd = -1, .owner_fd = -1},
        .helpers = helpers,
        .coordinator = coordinator,
        .of_ranks = {.poll = coordinator_poll, .context = coordinator},
        .poller = p->ranks > 1 ? &r->of_ranks : NULL,
    };
    const char *path = p->directory;
    char mine[RANK_HOST_SIZE] = "";
    const struct parcel host = {.to = (p->rank + p->ranks - 1) % p->ranks,
                                .from = (p->rank + 1) % p->ranks,
                                .sent = mine,
                                .got = r->next_host,
                                .bytes = sizeof mine};
    snprintf(mine, sizeof mine, "%.*s", RANK_HOST_SIZE - 1, r->host->name);
    progress_lines_init(&r->progress, p->quiet);
    if (p->is_bonniexx)
        r->progress.is_live = r->progress.has_colour = false;
    coordinator->break_line = progress_lines_break;
    coordinator->line = &r->progress;
    /* the device; or the user's directory, and then the private one in it */
    int rc = device ? block_device_open(device, p->is_confirmed, e)
                    : scratch_open(&r->scratch, path, PATH_FAILS, p->trusts_directory, e);
    if (rc == -ENOENT && !device && p->makes_directory) {
        err_init(e);
        rc = scratch_open(&r->scratch, path, PATH_MAKES, p->trusts_directory, e);
        /* a misspelt name may lead to another filesystem than meant */
        if (rc == 0 && p->rank == 0) {
            struct mount_info mount = {0};
            struct device_set devices;
            mount_info_find(&mount, r->scratch.parent_fd);
            device_find(&devices, &mount);
            message("made %s, on the filesystem %s%s%s", path, mount.filesystem,
                    devices.count > 0 ? " of " : "", devices.name);
        }
    }
    if (rc == 0 && p->data.bytes > 0)
        rc = engine_check(p->engine.ops, e);
    if (rc == 0 && !device)
        rc = check_space(p, &r->scratch, e);
    /* the run's stamps differ from those of others with the same seed */
    if (rc == 0 && getrandom(&r->numbers, sizeof r->numbers, 0) != (ssize_t)sizeof r->numbers)
        rc = err_system(e, errno, "draw random numbers for the run");
    if (rc == 0)
        rc = coordinator_share(coordinator, "Starting", &r->numbers, sizeof r->numbers, e);
    if (rc == 0 && p->ranks > 1)
        rc = coordinator->ops->exchange(coordinator, &host, e);
    if (rc == 0 && !device) /* no rank writes anything before all have their directories */
        rc = make_directories(r, e);
    if (rc == 0) {
        sources_find(&r->storage.sources, device ? device->fd : r->scratch.fd);
        device_models(&r->storage.sources.devices, r->storage.models);
        facts_look(&r->storage.facts, &r->storage.sources.mount, &r->storage.sources.devices,
                   false);
        io_limit_find(&r->limit, &r->storage.sources.devices, 0);
        r->total = calloc(1, sizeof *r->total);
        rc = r->total ? check_data_file(r, p, e) : err_system(e, ENOMEM, "allocate counters");
    }
    if (rc == 0)
        rc = gathering_open(&r->gathering, coordinator, e);
    if (rc == 0)
        rc = make_workers(r, e);
    if (rc != 0)
        run_context_close(r, rc, e);
    return rc;
}

/* 2^64 divided by the golden ratio: an odd number with well-mixed bits. */
#define RANK_STEP UINT64_C(0x9e3779b97f4a7c15)

void run_context_begin_run(struct run_context *r, const struct plan *p, uint64_t index)
{
    struct work *w = &r->work[0];
    if (p != r->plan) { /* another row, whose only worker goes on */
        r->plan = p;
        w->plan = p;
        w->data.bytes = p->data.chunks * p->data.chunk_bytes;
        w->data.direct = p->direct;
        w->data.sync = p->sync;
        if (plan_has_test(p, TEST_FIRST_METADATA, TEST_COUNT))
            init_file_set(r, w);
    }
    uint64_t seed = rng_mix(p->seed ^ rng_mix(index | (uint64_t)p->row_number << 32));
    r->figures[0] = '\0';
    if (p->runs > 1 || p->least_ns > 0)
        snprintf(r->figures, sizeof r->figures, "  run %" PRIu64 "\n", index + 1);
    /* all rows of a preset work on the same data */
    pattern_begin_run(&r->pattern, r->numbers.first_run + (p->row ? 0 : index));
    for (unsigned i = 0; i < p->workers; i++) {
        r->work[i].seed = seed ^ p->rank * RANK_STEP; /* each rank uses other offsets */
        r->work[i].files.next_seed = seed;
    }
}

/* What a rank knows about the files of a worker. */
struct worker_state {
    uint64_t valid_bytes, generation, rewritten; /* of its data file */
    struct file_set_state files;
};

/* Gives a worker its own files back after it worked on another rank's. */
static void give_back(struct run_context *r, unsigned worker)
{
    struct lent_files *lent = r->lent ? &r->lent[worker] : NULL;
    struct work *w = &r->work[worker];
    if (lent && lent->has_data) {
        close(w->data.fd);
        w->data.fd = lent->fd;
        lent->has_data = false;
        r->contents.first_number = r->plan->first_worker;
    }
    if (lent && lent->has_files) {
        file_set_close(&w->files);
        w->files = lent->files;
        lent->has_files = false;
    }
}

/* Sends an array to the rank that borrows this rank's files, or back to the one that has lent its
 * own, and replaces it by the array that comes from the other of these two. */
static int swap(struct run_context *r, bool gives_back, void *array, size_t bytes, struct err *e)
{
    unsigned ranks = r->plan->ranks;
    unsigned lending = (r->plan->rank + r->shift) % ranks;
    unsigned borrowing = (r->plan->rank + ranks - r->shift) % ranks;
    void *got = malloc(bytes);
    if (!got)
        return err_system(e, ENOMEM, "allocate memory for what another rank has written");
    const struct parcel p = {.to = gives_back ? lending : borrowing,
                             .from = gives_back ? borrowing : lending,
                             .sent = array,
                             .got = got,
                             .bytes = bytes};
    int rc = r->coordinator->ops->exchange(r->coordinator, &p, e);
    if (rc == 0)
        memcpy(array, got, bytes);
    free(got);
    return rc;
}

/* Swaps what is known, with the numbers of changes of blocks; what is borrowed is then opened. */
int run_context_swap_files(struct run_context *r, bool has_data, bool gives_back, struct err *e)
{
    unsigned count = r->plan->workers;
    unsigned first = (r->plan->rank + r->shift) % r->plan->ranks * count;
    struct generations *g = &r->contents.changes;
    struct worker_state *states = calloc(count, sizeof *states);
    if (!states)
        return err_system(e, ENOMEM, "allocate memory for %u workers", count);
    for (unsigned i = 0; i < count; i++) {
        states[i] = (struct worker_state){.valid_bytes = r->work[i].data.valid_bytes,
                                          .generation = r->contents.files[i].generation,
                                          .rewritten = r->contents.files[i].rewritten,
                                          .files = r->work[i].files.state};
        if (gives_back)
            give_back(r, i);
    }
    int rc = swap(r, gives_back, states, count * sizeof *states, e);
    for (unsigned i = 0; rc == 0 && i < count; i++) {
        struct file_set *files = &r->work[i].files;
        struct file_set_setup setup = files->setup;
        if (has_data) {
            r->work[i].data.valid_bytes = states[i].valid_bytes;
            r->contents.files[i].generation = states[i].generation;
            r->contents.files[i].rewritten = states[i].rewritten;
        } else if (gives_back) {
            files->state.wanted = states[i].files.wanted;
            files->state.made = states[i].files.made;
        } else { /* the worker works on the files of its counterpart */
            setup.number = first + i;
            r->lent[i].files = *files;
            r->lent[i].has_files = true;
            file_set_init(files, &setup);
            rc = file_set_visit(files, &states[i].files, e);
        }
    }
    free(states);
    if (rc == 0 && has_data && g->counters)
        rc = swap(r, gives_back, (void *)g->counters, g->count * sizeof *g->counters, e);
    if (rc != 0 || gives_back || !has_data)
        return rc;
    for (unsigned i = 0; i < count; i++) {
        const struct made_name name = made_name(MADE_FILE, first + i);
        int fd = openat(r->scratch.fd, name.text, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            return err_system(e, errno, "open %s/%s/%s", r->scratch.path, r->scratch.name,
                              name.text);
        r->lent[i].has_data = true;
        r->lent[i].fd = r->work[i].data.fd;
        r->work[i].data.fd = fd;
    }
    r->contents.first_number = first;
    return 0;
}

/* r may be half open. */
int run_context_close(struct run_context *r, int result, struct err *failure)
{
    struct err left = {0};
    struct err *e = stop_signal() ? &left : failure;
    int rc = 0;
    r->coordinator->break_line = NULL;
    thread_pool_end(&r->pool);
    for (unsigned i = 0; r->work && i < r->plan->workers; i++) {
        struct work *w = &r->work[i];
        if (!w->buffer)
            continue; /* this worker was never made */
        give_back(r, i);
        data_file_release(&w->data);
        int one = file_set_release(&w->files, e);
        rc = rc ? rc : one;
        free(w->buffer);
    }
    free(r->lent);
    free(r->work);
    free(r->data);
    free(r->total);
    free(r->contents.files);
    generations_close(&r->contents.changes);
    shared_memory_unmap(r->corruption, r->stats.room * sizeof *r->corruption);
    shared_stats_close(&r->stats);
    gathering_close(&r->gathering);
    examiner_free_boxes(r->slow, r->plan->workers);
    r->work = NULL;
    if (r->shift > 0) /* the directory also has the files of other ranks */
        r->coordinator->ops->await_leaving(r->coordinator, result, e);
    int closed = scratch_close(&r->scratch, e);
    if (left.code != 0)
        stop_message(left.text);
    if (rc == 0 && closed == 0 && stop_signal() && r->progress.is_live)
        stop_message("interrupted; files removed");
    if (stop_signal())
        report_abandoned(r);
    return rc ? rc : closed;
}
