// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/plan.h"

#include <time.h>

#include "live/monitor.h"

#define DEFAULT_ROUND_NS    (60 * BILLION)
#define DEFAULT_MAX_ROUNDS  25
#define DEFAULT_IOPS_WRITES 10
#define DEFAULT_MIN_TIME_NS (BILLION / 2)
#define PRECONDITION_CHUNK                                                                         \
    (128 * KIB) /* SNIA, Solid State Storage Performance Test Specification */
#define BRIEF_FILES_NS    (3 * BILLION)
#define BRIEF_FILE_BYTES  2048 /* ample for an inode, a name and their journal */
#define BRIEF_LEAST_FILES 256

static bool has_block_test(const bool tests[static TEST_COUNT])
{
    return tests[TEST_PUT_BLOCK] || tests[TEST_REWRITE] || tests[TEST_GET_BLOCK] ||
           tests[TEST_SEEKS] || tests[TEST_IOPS];
}

static void choose_sizes(struct plan *p, const struct settings *s, const struct host *h,
                         const struct preset_defaults *defaults)
{
    struct data_plan *d = &p->data;
    uint64_t all_ram = h->ram_bytes + h->other_ram_bytes;
    uint64_t ram = optional_or(s->ram_bytes, all_ram);
    uint64_t room = h->device_bytes > p->offset_bytes ? h->device_bytes - p->offset_bytes : 0;
    uint64_t usual = p->most_bytes > 0      ? p->most_bytes / 2
                     : defaults->data_bytes ? defaults->data_bytes
                                            : 2 * (ram ? ram : all_ram);
    usual = p->is_device ? room : round_up(usual, MIB); /* no Bonnie++ prints a size in KiB */
    d->bytes = optional_or(s->data_bytes, usual);
    if (s->data_units.given)
        d->bytes = mul_div(s->data_units.value, defaults->sizes_are_gib ? GIB : MIB, BILLION);
    if (s->data_units.given && s->data_units.value % BILLION > 0)
        d->bytes = units_round_down(d->bytes); /* only a size with a fraction is rounded */
    uint64_t chunk = p->row                                          ? p->row->chunk_bytes
                     : p->is_device && s->writes && p->steady.wanted ? PRECONDITION_CHUNK
                                                                     : defaults->chunk_bytes;
    d->chunk_bytes = optional_or(s->chunk_bytes, chunk);
    d->chunks = d->bytes / d->chunk_bytes;
    d->seeks = optional_or(s->seeks, defaults->seeks);
    d->seekers = (unsigned)optional_or(s->seekers, defaults->seekers);

    d->perchar_bytes = optional_or(s->perchar_bytes, defaults->perchar_bytes);
    d->perchar_bytes = MIN(d->perchar_bytes, d->chunks * d->chunk_bytes);
    bool is_small = d->bytes > 0 && d->bytes < 2 * ram;
    p->advise_bytes = is_small && !defaults->direct && !p->is_device ? 2 * ram : 0;

    struct files_plan *f = &p->files;
    bool links = f->kind != FILES_DATA;
    f->count = optional_or(s->files_k, defaults->files_k) * 1024;
    f->max_bytes = links ? 0 : optional_or(s->file_max_bytes, 0);
    f->min_bytes = links ? 0 : optional_or(s->file_min_bytes, 0);
    f->directories_given = MAX(1, (unsigned)optional_or(s->directories, 1)); /* "-n 0:0:0:0" */
    f->directories = MAX(f->directories_given, p->workers);
    f->chunk_bytes = optional_or(s->file_chunk_bytes, DEFAULT_FILE_CHUNK_BYTES);
    if (p->most_bytes == 0)
        return;
    /* a short look creates few files where there is little room, and not for long */
    uint64_t most = p->most_bytes / BRIEF_SHARES / BRIEF_FILE_BYTES;
    f->count = MIN(f->count, MIN(most, h->free_files / 10));
    if (p->row->tests[TEST_SEQ_CREATE].id && f->count < BRIEF_LEAST_FILES)
        p->left_out = "too few inodes are free";
}

bool plan_has_format(const struct plan *p, const char *name)
{
    for (size_t i = 0; i < p->format_count; i++)
        if (strcmp(p->formats[i], name) == 0)
            return true;
    return false;
}

const struct preset_defaults *plan_defaults(const struct settings *s)
{
    bool is_brief = s->operand && !s->shapes_run;
    return preset_by_name(s->preset ? s->preset : is_brief ? QUICK_PRESET : DEFAULT_PRESET);
}

/* Whether a device can have the test. */
static bool suits_device(enum test_id test, bool writes)
{
    return test < TEST_FIRST_METADATA && test != TEST_PUTC && test != TEST_GETC &&
           (writes || (test != TEST_PUT_BLOCK && test != TEST_REWRITE));
}

/* The row with that number, counted from 0, among those that can be measured; NULL: none. */
static const struct preset_row *row_of(const struct preset_defaults *defaults,
                                       const struct settings *s, const struct host *h,
                                       unsigned number)
{
    for (unsigned i = 0; i < defaults->row_count; i++) {
        const struct preset_row *row = &defaults->rows[i];
        bool suits = h->device_bytes == 0;
        for (enum test_id t = 0; t < TEST_COUNT; t++)
            suits |= row->tests[t].id && suits_device(t, s->writes) &&
                     (s->writes || row->iops_writes == 0);
        if (suits && number-- == 0)
            return row;
    }
    return NULL;
}

unsigned plan_rows(const struct settings *s, const struct host *h)
{
    unsigned count = 0;
    while (row_of(plan_defaults(s), s, h, count))
        count++;
    return count > 0 ? count : 1;
}

/* The part of --time that each test gets, which all share that can go on and have no time of their
 * own: those of the plan or, in a preset with rows, of all its rows. 0: --time is not given. */
static uint64_t share_of_time(const struct plan *p, const struct settings *s, const struct host *h)
{
    unsigned count = 0;
    for (unsigned i = 0; i < plan_rows(s, h); i++) {
        const struct preset_row *row = row_of(plan_defaults(s), s, h, i);
        for (enum test_id t = 0; t < TEST_COUNT; t++) {
            bool has_own = t == TEST_PUTC || t == TEST_GETC ||
                           (t == TEST_IOPS ? s->iops_duration_ns.given
                                           : t >= TEST_SEEKS && s->min_time_ns.given);
            bool is_run = row ? row->tests[t].id && (!p->is_device || suits_device(t, s->writes))
                              : p->tests[t];
            count += is_run && !has_own;
        }
    }
    return count > 0 ? s->time_ns.value / count : 0;
}

/* Refuses options that the preset's rows or the place, a device or none, decide. */
static int check_given(const struct plan *p, const struct settings *s, const struct host *h,
                       const struct preset_defaults *defaults, struct err *e)
{
    bool is_fixed = s->workers.given || s->workers_auto || s->iodepth.given || s->tests_given ||
                    s->chunk_bytes.given || s->iops_block_bytes.given || s->iops_writes.given;
    const char *of_devices = s->writes               ? "--write"
                             : p->is_confirmed       ? "--yes"
                             : s->offset_bytes.given ? "--offset"
                                                     : NULL;
    uint64_t end;
    if (p->is_brief && s->shapes_run)
        return err_say(e,
                       "--preset=%s decides by itself what it measures; only options of the "
                       "report, -d, -u, -g, -z, --data, --verify and --cache can be given",
                       defaults->name);
    if (p->is_brief && !p->is_device && !s->gives_size && p->most_bytes < BRIEF_LEAST_BYTES)
        return err_say(e,
                       "%s: %s are free, and a short look writes at most a tenth of that, which is "
                       "too little to measure; -s MIB measures with as much as you allow",
                       p->directory, units_bytes(h->free_bytes).text);
    if (defaults->rows && is_fixed)
        return err_say(
            e,
            "--preset=%s fixes -c, --iodepth, --tests, --iops-block, --iops-writes and the "
            "CHUNK of -s; these cannot be given",
            defaults->name);
    if (!p->is_device && of_devices)
        return err_say(e, "%s: %s is not a block device", of_devices, p->directory);
    for (enum test_id t = 0; p->is_device && s->tests_given && t < TEST_COUNT; t++)
        if (s->tests[t] && !suits_device(t, s->writes))
            return err_say(e, "--tests: %s %s", test_names[t],
                           suits_device(t, true)
                               ? "writes; a device needs --write --yes for that"
                               : "needs a directory; a device has put_block, rewrite, get_block, "
                                 "seeks and iops");
    if (p->reads_only && s->iops_writes.value > 0)
        return err_say(e, "--iops-writes: a device needs --write --yes for that");
    if (s->data_units.given && s->data_units.value > 0 && p->data.bytes == 0)
        return err_say(e, "--size: at least 1 KiB is needed");
    if (p->is_device && (__builtin_add_overflow(p->data.bytes, p->offset_bytes, &end) ||
                         p->data.bytes == 0 || end > h->device_bytes))
        return err_say(e, "--size, --offset: %s has only %" PRIu64 " bytes", p->directory,
                       h->device_bytes);
    if (p->data.bytes > MAX_DATA_BYTES)
        return err_say(e, "--size: %" PRIu64 " GiB are more than 1024t", p->data.bytes / GIB);
    return 0;
}

static int choose_tests(struct plan *p, const struct settings *s,
                        const struct preset_defaults *defaults, struct err *e)
{
    bool any = false;
    for (enum test_id t = 0; t < TEST_COUNT; t++) {
        bool is_perchar = t == TEST_PUTC || t == TEST_GETC;
        bool usual = p->row ? p->row->tests[t].id != NULL : defaults->tests[t];
        bool has_work = t >= TEST_FIRST_METADATA ? p->files.count > 0
                        : is_perchar             ? p->data.bytes > 0 && p->data.perchar_bytes > 0
                                                 : p->data.bytes > 0;
        p->tests[t] = (s->tests_given ? s->tests[t] : usual) && !(s->fast && is_perchar) &&
                      has_work && (!p->is_device || suits_device(t, !p->reads_only));
        any = any || p->tests[t];
    }
    /* Sizes that no test uses stay unchecked. */
    if (!plan_has_test(p, TEST_FIRST_METADATA, TEST_COUNT))
        p->files.count = p->files.min_bytes = p->files.max_bytes = 0;
    if (!plan_has_test(p, 0, TEST_FIRST_METADATA)) {
        p->data.bytes = p->data.chunks = p->data.perchar_bytes = 0;
        p->advise_bytes = 0;
    }
    return any ? 0 : err_say(e, "nothing to do: -s, -n, -f and --tests leave no test to run");
}

/* Plans the rounds, when the tests and --time are planned. Refuses options of --steady-state
 * without it, what cannot go with it, and it or --explain-tail if no chosen test can have it. */
static int choose_steady(struct plan *p, const struct settings *s, struct err *e)
{
    const bool *tests = p->tests;
    const char *alone = s->round_ns.given       ? "--round-time"
                        : s->precondition.given ? "--precondition"
                        : s->most_rounds.given  ? "--max-rounds"
                        : s->require_steady     ? "--require-steady"
                                                : NULL;
    bool steady = p->steady.wanted;
    p->steady.round_ns = optional_or(s->round_ns, DEFAULT_ROUND_NS);
    p->steady.precondition =
        (unsigned)optional_or(s->precondition, p->is_device && s->writes ? 2 : 0);
    p->steady.most_rounds = (unsigned)optional_or(s->most_rounds, DEFAULT_MAX_ROUNDS);
    if (p->reads_only && p->steady.precondition > 0)
        return err_say(e, "--precondition writes; a device needs --write --yes for that");
    if (!steady && alone)
        return err_say(e, "%s: there are no rounds without --steady-state", alone);
    if (steady && p->time_ns > 0)
        return err_say(e, "--time cannot be combined with --steady-state, which ends tests "
                          "when they are steady; --round-time is the time of a round");
    if (steady && !has_block_test(tests))
        return err_say(e, "--steady-state: only put_block, rewrite, get_block, seeks and iops "
                          "can become steady, and none of them will run");
    if (steady && p->explains_tail)
        return err_say(e, "--explain-tail cannot be combined with --steady-state");
    if (p->explains_tail && !tests[TEST_PUT_BLOCK] && !tests[TEST_REWRITE] &&
        !tests[TEST_GET_BLOCK] && !tests[TEST_IOPS])
        return err_say(e, "--explain-tail: only put_block, rewrite, get_block and iops can be "
                          "explained, and none of them will run");
    return 0;
}

/* Chooses the engine with that name or, if it is NULL in a short look, one that keeps several
 * operations in flight, if any does so here. libaio needs O_DIRECT for that. */
static int choose_engine(struct plan *p, const char *name, uint64_t depth, struct err *e)
{
    static const char *const queues[] = {"libaio", "io_uring"};
    for (size_t i = p->direct ? 0 : 1; i < 2 && !name && p->is_brief && !p->row->sync; i++)
        if (engine_check(engine_by_name(queues[i]), NULL) == 0)
            name = queues[i];
    if (!name && p->is_brief && depth > 1) {
        if (p->tests[TEST_IOPS])
            p->left_out = p->direct ? "neither libaio nor io_uring works here"
                                    : "it needs O_DIRECT or io_uring, and neither works here";
        depth = 1;
    }
    int rc = engine_choose(name, depth, &p->engine.ops, &p->engine.depth, e);
    if (!(p->engine.ops->capabilities & ENGINE_STORES) || p->reads_only)
        p->verify = VERIFY_OFF; /* no chosen test writes data that could be verified */
    return rc;
}

void plan_forgo_direct(struct plan *p)
{
    p->direct = false;
    if (p->is_brief)
        choose_engine(p, NULL, p->row->iodepth, NULL);
}

void plan_bound_row(struct plan *p, uint64_t left_ns, unsigned rows, uint64_t op_bytes,
                    uint64_t op_ns)
{
    const bool has_iops = p->tests[TEST_IOPS];
    const uint64_t bytes = has_iops ? p->iops.block_bytes : p->data.chunk_bytes;
    const uint64_t share_ns = left_ns / rows;
    uint64_t end_ns = bytes == op_bytes ? p->engine.depth * op_ns : 0;
    if (p->engine.depth > 1 && end_ns > share_ns / 2 && has_iops)
        p->left_out = "so many at a time would take too long";
    else if (p->engine.depth > 1 && end_ns > share_ns / 2) {
        p->engine.depth = 1;
        end_ns = op_ns;
    }
    uint64_t most_ns = share_ns > end_ns ? share_ns - end_ns : 1;
    p->chunk_test_ns = MIN(p->chunk_test_ns, most_ns);
    p->iops.duration_ns = MIN(p->iops.duration_ns, most_ns);
    p->files.most_ns = MIN(p->files.most_ns, most_ns / 2 + 1);
    p->min_time_ns = MIN(p->min_time_ns, most_ns / 2);
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Checks that the sizes fit together, on all ranks, that the buffers fit into memory, that every
 * worker's file has a block for iops, and that the contents of the files show corruption. */
static int check_sizes(const struct plan *p, const struct host *h, struct err *e)
{
    const struct data_plan *d = &p->data;
    const struct data_plan *all = &plan_whole(p)->data;
    const struct files_plan *f = &plan_whole(p)->files;
    unsigned directories = plan_all_directories(p);
    bool has_iops = p->tests[TEST_IOPS];
    uint64_t each = !p->row || !has_iops ? d->chunk_bytes : 0; /* size of a worker's buffers */
    if (has_iops && p->iops.block_bytes > each)
        each = p->iops.block_bytes;
    unsigned seekers = p->tests[TEST_SEEKS] ? d->seekers : 0;
    uint64_t buffers = p->engine.depth * (each * p->workers + d->chunk_bytes * seekers) +
                       (p->workers + seekers) * sizeof(struct worker_stats);
    uint64_t least = partition_of(d->chunks, p->workers, p->workers - 1).count * d->chunk_bytes;
    uint64_t ram = h->ram_bytes;
    if (d->bytes > 0 && ram > 0 && buffers > ram / 2)
        return err_say(e,
                       "%s: the buffers and statistics of %u worker%s and %u seekers take "
                       "%s, more than half of the %s (%s)",
                       p->is_brief ? p->directory : "--size", p->workers,
                       p->workers == 1 ? "" : "s", seekers, units_bytes(buffers).text,
                       h->ram_is_limit ? "control group's memory" : "RAM", units_bytes(ram).text);
    if (all->bytes > 0 && all->chunks < p->workers * p->ranks)
        return err_say(e,
                       "--size: %" PRIu64 " bytes are less than one chunk of %" PRIu64
                       " bytes for each of %u workers",
                       all->bytes, all->chunk_bytes, p->workers * p->ranks);
    if (has_iops && d->chunk_bytes % PATTERN_UNIT_MIN != 0)
        return err_say(e,
                       "--size: chunks of %" PRIu64 " bytes cannot be combined with iops, "
                       "which needs multiples of %d",
                       d->chunk_bytes, PATTERN_UNIT_MIN);
    if (has_iops && least < p->iops.block_bytes)
        return err_say(
            e, "--iops-block: %" PRIu64 " bytes are more than a worker's file has (%" PRIu64 ")",
            p->iops.block_bytes, least);
    if (f->min_bytes > f->max_bytes)
        return err_say(e, "--files: MIN %" PRIu64 " is larger than MAX %" PRIu64, f->min_bytes,
                       f->max_bytes);
    if (f->count > 0 && f->count < directories)
        return err_say(e, "--files: %" PRIu64 " files are fewer than %u directories", f->count,
                       directories);
    return 0;
}

int plan_make_row(struct plan *p, const struct settings *s, const struct host *h, unsigned row,
                  struct err *e)
{
    const struct preset_defaults *defaults = plan_defaults(s);
    uint64_t workers = optional_or(s->workers, defaults->every_cpu ? host_workers(h) : 1);
    *p = s->plan;
    p->host = h;
    p->preset = defaults->name;
    p->is_brief = defaults->is_brief;
    p->is_longer = p->is_brief && (s->gives_size || s->time_ns.given);
    p->makes_directory = defaults->makes_directory;
    p->offset_bytes = s->offset_bytes.value;
    p->row = row_of(defaults, s, h, row);
    p->workers = s->workers_auto ? host_workers(h) : (unsigned)workers;
    p->seed = optional_or(s->seed, (uint64_t)time(NULL));
    p->runs = optional_or(s->runs, 1);
    p->least_ns = s->seconds_ns.value;
    p->is_device = h->device_bytes > 0;
    p->reads_only = p->is_device && !s->writes;
    p->may_forgo_direct = !p->direct && !p->is_device;
    p->direct = p->direct || defaults->direct || p->is_device;
    p->time_ns = s->time_ns.value;
    p->drop_interval_ns = defaults->drop_interval_ns;
    p->csv = p->csv != CSV_NOT_GIVEN ? p->csv : CSV_1_98;
    p->ranks = 1;
    const char *label = p->label ? p->label : "";
    p->session_label = p->label || !defaults->host_name_is_label ? p->label : h->name;
    p->label = p->session_label;
    if (p->row) {
        p->row_number = (unsigned)(p->row - defaults->rows);
        /* tells its results from those of other rows */
        snprintf(p->row_label, sizeof p->row_label, "%.255s%s%s%s%s", label, *label ? " " : "",
                 p->row->name, p->row->part ? " " : "", p->row->part ? p->row->part : "");
        p->label = p->row_label;
    }
    if (p->is_brief) { /* with O_DIRECT, too, O_DSYNC flushes a device twice */
        p->sync = p->row->sync;
        p->direct = !p->row->sync;
    }
    if (p->is_brief && !p->is_device) /* on a device, whose writing was confirmed, all is used */
        p->most_bytes =
            h->filesystem_bytes > 0 ? MIN(h->free_bytes / 10, MAX_BRIEF_BYTES) : MAX_BRIEF_BYTES;
    if (p->contents == DATA_COMPRESS)
        snprintf(p->contents_name, sizeof p->contents_name, "compress=%u", p->compress_percent);
    else
        strcpy(p->contents_name, p->contents == DATA_ZERO ? "zero" : "random");
    choose_sizes(p, s, h, defaults);
    bool only_csv = s->runs.given && s->format_count == 0 && defaults->repeats_in_csv;
    bool names_formats = s->format_count > 0;
    const char *const *formats = names_formats ? s->formats : defaults->formats;
    size_t format_count = names_formats ? s->format_count : defaults->format_count;
    for (size_t i = 0; !only_csv && i < format_count; i++) {
        bool is_text = strcmp(formats[i], "text") == 0;
        p->text_is_named |= names_formats && is_text;
        p->formats[p->format_count++] = is_text ? defaults->table
                                        : defaults->json && strcmp(formats[i], "json") == 0
                                            ? defaults->json
                                            : formats[i];
    }
    if (only_csv || (s->plan.csv != CSV_NOT_GIVEN && !plan_has_format(p, "csv")))
        p->formats[p->format_count++] = "csv";
    int rc = check_given(p, s, h, defaults, e);
    if (rc == 0)
        rc = choose_tests(p, s, defaults, e);
    if (rc == 0)
        rc = choose_steady(p, s, e);
    if (rc == 0)
        rc = choose_engine(p, s->engine ? s->engine : defaults->engine,
                           optional_or(s->iodepth, p->row ? p->row->iodepth : 0), e);
    if (rc != 0)
        return rc;

    uint64_t share_ns = share_of_time(p, s, h);
    /* of a short look: repeating makes more files; in 0.5 s their figures differed by a third */
    uint64_t repeated_ns = p->most_bytes > 0 ? p->most_bytes / GIB * BILLION : DEFAULT_MIN_TIME_NS;
    p->min_time_ns = optional_or(s->min_time_ns, share_ns > 0 ? share_ns : repeated_ns);
    p->chunk_test_ns = s->time_ns.given ? share_ns : p->steady.wanted ? 0 : defaults->time_ns;
    if (p->most_bytes > 0)
        p->files.most_ns = share_ns > 0 ? share_ns : BRIEF_FILES_NS;
    uint64_t usual =
        p->row && p->row->iops_block_bytes ? p->row->iops_block_bytes : defaults->iops_block_bytes;
    uint64_t block = optional_or(s->iops_block_bytes, usual);
    unsigned writes = p->row ? p->row->iops_writes : p->reads_only ? 0 : DEFAULT_IOPS_WRITES;
    p->iops.duration_ns =
        optional_or(s->iops_duration_ns, share_ns > 0 ? share_ns : defaults->iops_ns);
    p->iops.most_ops =
        p->row && !p->is_longer ? p->most_bytes / BRIEF_SHARES * p->row->share / block : 0;
    p->iops.block_bytes = block;
    p->iops.write_percent = (unsigned)optional_or(s->iops_writes, writes);
    p->data.change_bytes = p->row
                               ? greatest_divisor(p->data.chunk_bytes, defaults->iops_block_bytes)
                           : p->tests[TEST_IOPS] ? greatest_divisor(p->data.chunk_bytes, block)
                                                 : p->data.chunk_bytes;
    rc = check_sizes(p, h, e);
    if (rc == 0 && s->seconds_ns.value > 0 && s->coordination == &coordinator_semaphores)
        rc = err_say(e, "--seconds cannot be combined with -y: every process must make the same "
                        "number of runs (-x)");
    return rc;
}

int plan_share(struct plan *share, const struct plan *whole, const struct ranks *r, struct err *e)
{
    if (whole->is_device)
        return err_say(e, "%s: several ranks cannot share a device", whole->directory);
    if (whole->row)
        return err_say(e, "--preset=%s cannot be combined with several ranks", whole->preset);
    if (whole->steady.wanted)
        return err_say(
            e, "--steady-state cannot be combined with several ranks; --time makes tests longer");
    if (whole->explains_tail)
        return err_say(e, "--explain-tail cannot be combined with several ranks");
    *share = *whole;
    share->whole = whole;
    share->ranks = r->count;
    share->rank = r->number;
    share->first_worker = r->number * whole->workers;
    unsigned workers = whole->workers * r->count;
    unsigned directories = plan_all_directories(share);
    /* equal shares of the data, so that each rank can go on with what another has written */
    struct data_plan *d = &share->data;
    d->chunks = whole->data.chunks / r->count;
    d->bytes = d->chunks * d->chunk_bytes;
    d->perchar_bytes = whole->data.perchar_bytes / r->count;
    d->perchar_bytes = MIN(d->perchar_bytes, d->bytes);
    d->seeks = partition_of(whole->data.seeks, r->count, r->number).count;
    /* a worker's directories have all its files */
    struct files_plan *f = &share->files;
    f->count = f->directories = 0;
    for (unsigned i = 0; i < share->workers; i++) {
        unsigned worker = share->first_worker + i;
        f->count += partition_of(whole->files.count, workers, worker).count;
        f->directories += (unsigned)partition_of(directories, workers, worker).count;
    }
    if (r->number > 0) { /* rank 0 alone reports and prints messages */
        share->quiet = true;
        share->verbose = 0;
        share->format_count = 0;
        share->output = NULL;
        share->advise_bytes = 0;
    }
    return check_sizes(share, whole->host, e);
}

/* Number of blocks for the private directory and the owner file. */
#define OTHER_BLOCKS 2

uint64_t plan_bytes_needed(const struct plan *p, const struct scratch_space *space)
{
    const struct files_plan *f = &p->files;
    uint64_t block = space->allocation_bytes;
    /* sizes are spread evenly, and the last block is half full on average */
    uint64_t average = f->min_bytes == f->max_bytes ? round_up(f->min_bytes, block)
                                                    : (f->min_bytes + f->max_bytes + block) / 2;
    uint64_t directories = space->file_bytes > 0 ? f->directories * block : 0;
    uint64_t files = 0;
    uint64_t data = 0;
    if (plan_has_test(p, TEST_FIRST_METADATA, TEST_COUNT) &&
        (__builtin_mul_overflow(f->count, average + space->file_bytes, &files) ||
         __builtin_add_overflow(files, directories, &files)))
        return UINT64_MAX;
    if (p->tests[TEST_PUTC] || p->tests[TEST_GETC])
        data = p->data.perchar_bytes;
    if (has_block_test(p->tests) && plan_stores(p))
        data = p->data.bytes;
    data = round_up(data, block) + (data > 0 ? p->workers * block : 0);
    /* the data files are removed before the metadata tests begin */
    return MAX(data, files) + OTHER_BLOCKS * block;
}

uint64_t plan_files_needed(const struct plan *p, bool links_are_files)
{
    if (!plan_has_test(p, TEST_FIRST_METADATA, TEST_COUNT))
        return p->workers;
    uint64_t others = p->files.directories + p->workers;
    return p->files.kind == FILES_HARD_LINKS && !links_are_files ? others : p->files.count + others;
}
