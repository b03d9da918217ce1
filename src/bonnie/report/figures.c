#include "bonnie/report/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Smaller rates are printed with one decimal. At each limit the rounded text gets longer. */
#define SMALL_RATE  9.95
#define SMALL_SEEKS 999.95

static void print_number(char text[static UNITS_TEXT], int decimals, double number)
{
    snprintf(text, UNITS_TEXT, "%.*f", decimals, number);
}

static void print_count(char text[static UNITS_TEXT], uint64_t count)
{
    snprintf(text, UNITS_TEXT, "%" PRIu64, count);
}

/*
 * Makes the parts of a figure that all tables have. Returns false when there is no number to print.
 */
static bool begin_figure(struct figure *f, const struct test_result *t)
{
    memset(f, 0, sizeof *f);
    if (!t->measured)
        return false;
    if (test_result_is_long_enough(t))
        return true;
    strcpy(f->rate, "+++++");
    strcpy(f->cpu, "+++");
    return false;
}

static void fill_figure(struct figure *f, const struct result *r, enum test_id test)
{
    const struct test_result *t = &r->tests[test];
    double small = test == TEST_SEEKS ? SMALL_SEEKS : SMALL_RATE;
    if (begin_figure(f, t)) {
        print_number(f->rate, test_result_rate(t, test) < small ? 1 : 0, test_result_rate(t, test));
        print_number(f->cpu, 0, test_result_cpu_percent(t));
    }
    if (t->measured)
        units_format_latency(f->latency, t->latency_ns.max);
}

static void fill_io_settings(struct figures *f, const struct result *r)
{
    units_format_size(f->size, r->data_bytes);
    if (r->chunk_bytes != DEFAULT_CHUNK_BYTES)
        units_format_chunk(f->chunk, r->chunk_bytes);
    print_count(f->seeks, r->seeks);
    print_count(f->seekers, r->seekers);
}

static void fill_data_sizes(struct figures *f, const struct result *r)
{
    if (r->file_max_bytes != 0)
        print_count(f->file_max, r->file_max_bytes);
    if (r->file_min_bytes != 0)
        print_count(f->file_min, r->file_min_bytes);
    if (r->file_chunk_bytes != DEFAULT_FILE_CHUNK_BYTES)
        print_count(f->file_chunk, r->file_chunk_bytes);
}

static void fill_file_settings(struct figures *f, const struct result *r)
{
    print_count(f->files, r->files_k);
    if (r->file_kind == FILES_HARD_LINKS)
        strcpy(f->file_max, "link");
    else if (r->file_kind == FILES_SYMBOLIC_LINKS)
        strcpy(f->file_max, "symlink");
    else
        fill_data_sizes(f, r);
    if (r->directories > 1)
        print_count(f->directories, r->directories);
}

static void fill_iops(struct figures *f, const struct result *r)
{
    const struct latencies *latency = &r->tests[TEST_IOPS].latency_ns;
    units_format_chunk(f->iops_block, r->iops_block_bytes);
    print_count(f->iops_writes, r->iops_write_percent);
    units_format_latency(f->iops_p50, latency->p50);
    units_format_latency(f->iops_p99, latency->p99);
    units_format_latency(f->iops_p99_9, latency->p99_9);
}

void figures_init(struct figures *f, const struct result *r)
{
    memset(f, 0, sizeof *f);
    sanitize_plain(f->label, r->label);
    print_count(f->concurrency, r->concurrency);
    print_count(f->seed, r->seed);
    for (enum test_id test = 0; test < TEST_COUNT; test++)
        fill_figure(&f->tests[test], r, test);
    if (figures_any(f, 0, TEST_FIRST_METADATA))
        fill_io_settings(f, r);
    if (figures_any(f, TEST_IOPS, TEST_IOPS + 1))
        fill_iops(f, r);
    if (figures_any(f, TEST_FIRST_METADATA, TEST_COUNT))
        fill_file_settings(f, r);
}

bool figures_any(const struct figures *f, enum test_id first, enum test_id end)
{
    for (enum test_id test = first; test < end; test++) {
        if (f->tests[test].rate[0] != '\0')
            return true;
    }
    return false;
}

static void fill_classic(struct figure *f, const struct result *r, enum test_id test)
{
    const struct test_result *t = &r->tests[test];
    if (!begin_figure(f, t))
        return;
    print_number(f->rate, test_counts_operations(test) ? 1 : 0, test_result_rate(t, test));
    print_number(f->cpu, 1, test_result_cpu_percent(t));
}

void figures_classic(struct classic_figures *f, const struct result *r)
{
    struct figure *next = f->tests;
    print_count(f->size, (r->data_bytes + MIB / 2) / MIB);
    for (enum test_id test = 0; test < TEST_FIRST_METADATA; test = test_next_classic(test))
        fill_classic(next++, r, test);
}
