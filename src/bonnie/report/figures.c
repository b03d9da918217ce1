// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/report/figures.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bonnie/reports.h"
#include "measure/summary.h"

/* Smaller rates are printed with one decimal. At each limit the rounded text gets longer. */
#define SMALL_RATE 9.95

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
    units_format_size(f->size, r->plan->data.bytes);
    if (r->plan->data.chunk_bytes != DEFAULT_CHUNK_BYTES)
        units_format_chunk(f->chunk, r->plan->data.chunk_bytes);
    print_count(f->seeks, r->plan->data.seeks);
    print_count(f->seekers, r->plan->data.seekers);
}

static void fill_file_settings(struct figures *f, const struct result *r)
{
    const struct files_plan *p = &r->plan->files;
    bool is_data = p->kind == FILES_DATA;
    print_count(f->files, p->count / 1024);
    if (!is_data)
        strcpy(f->file_max, p->kind == FILES_HARD_LINKS ? "link" : "symlink");
    if (is_data && p->max_bytes != 0)
        print_count(f->file_max, p->max_bytes);
    if (is_data && p->min_bytes != 0)
        print_count(f->file_min, p->min_bytes);
    if (is_data && p->chunk_bytes != DEFAULT_FILE_CHUNK_BYTES)
        print_count(f->file_chunk, p->chunk_bytes);
    if (p->directories_given > 1)
        print_count(f->directories, p->directories_given);
}

static void fill_iops(struct figures *f, const struct result *r)
{
    const struct latencies *latency = &r->tests[TEST_IOPS].latency_ns;
    units_format_chunk(f->iops_block, r->plan->iops.block_bytes);
    print_count(f->iops_writes, r->plan->iops.write_percent);
    units_format_latency(f->iops_p50, latency->p50);
    units_format_latency(f->iops_p99, latency->p99);
    units_format_latency(f->iops_p99_9, latency->p99_9);
}

void figures_init(struct figures *f, const struct result *r)
{
    memset(f, 0, sizeof *f);
    sanitize_plain(f->label, r->plan->label);
    print_count(f->concurrency, result_workers(r));
    print_count(f->seed, r->plan->seed);
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

void figures_classic(struct classic_figures *f, const struct result *r)
{
    struct figure *next = f->tests;
    print_count(f->size, (r->plan->data.bytes + MIB / 2) / MIB);
    for (enum test_id test = 0; test < TEST_FIRST_METADATA;
         test = test_next_classic(test), next++) {
        const struct test_result *t = &r->tests[test];
        if (!begin_figure(next, t))
            continue;
        print_number(next->rate, test_counts_operations(test) ? 1 : 0, test_result_rate(t, test));
        print_number(next->cpu, 1, test_result_cpu_percent(t));
    }
}

/* Names the slope if the rule rejects it, and otherwise the range. */
void steady_text(char text[static STEADY_TEXT], const struct steady_result *s)
{
    const struct steady_fit *f = &s->fit;
    double percent = fabs(f->slope_percent) / (STEADY_WINDOW - 1);
    int used;
    if (s->is_steady)
        used = snprintf(text, STEADY_TEXT, "steady after round %u of %u", s->count, s->most_rounds);
    else if (fabs(f->slope_percent) > STEADY_SLOPE_PERCENT)
        used = snprintf(text, STEADY_TEXT, "not steady after %u rounds: still %s %.1f %% a round",
                        s->count, f->slope > 0 ? "rising" : "falling", percent);
    else
        used = snprintf(text, STEADY_TEXT,
                        "not steady after %u rounds: the last %d range over %.0f %% of their mean",
                        s->count, STEADY_WINDOW, f->range_percent);
    if (s->fell_in > 0)
        snprintf(text + used, STEADY_TEXT - (size_t)used, "; its speed fell in round %u",
                 s->fell_in);
}

/* Smaller rates are printed with one decimal. At this limit the rounded text gets longer. */
#define SMALL_MEAN 999.95

/*
 * Whether all runs of the test were long enough. As in the table of a single run, a test that was
 * too short has no figure.
 */
enum direct_seen direct_text(char text[static DIRECT_TEXT], const struct result runs[],
                             size_t count)
{
    static const char *const beginnings[] = {
        [DIRECT_NOT_KNOWN] = "It is not known whether O_DIRECT went past the page cache",
        [DIRECT_NO] = "O_DIRECT was not direct",
        [DIRECT_YES] = "O_DIRECT went past the page cache (seen).",
    };
    enum direct_seen seen = DIRECT_YES;
    const struct direct_use *last = NULL;
    bool was_cached = false;
    for (size_t i = 0; i < count * TEST_COUNT; i++) {
        const struct test_result *t = &runs[i / TEST_COUNT].tests[i % TEST_COUNT];
        if (!t->direct.asked)
            continue;
        last = &t->direct;
        was_cached |= t->verdict.is_known && t->verdict.least.by == LIMITED_PAGE_CACHE;
        seen = seen == DIRECT_YES || last->seen == DIRECT_NO ? last->seen : seen;
    }
    text[0] = '\0';
    if (!last || (seen == DIRECT_YES && was_cached))
        return seen;
    size_t used = (size_t)snprintf(text, DIRECT_TEXT, "%s", beginnings[seen]);
    for (size_t i = 0; seen != DIRECT_YES && i < count * TEST_COUNT; i++) {
        const struct direct_use *d = &runs[i / TEST_COUNT].tests[i % TEST_COUNT].direct;
        if (d->asked && d->seen == seen && *d->reason && !strstr(text, d->reason))
            used += (size_t)snprintf(text + used, DIRECT_TEXT - used, "%s %s",
                                     strchr(text, ':') ? ";" : ":", d->reason);
    }
    if (seen != DIRECT_YES)
        snprintf(text + used, DIRECT_TEXT - used, ".");
    return seen;
}

static bool is_long_enough(const struct result runs[], size_t count, enum test_id test)
{
    for (size_t i = 0; i < count; i++) {
        const struct test_result *t = &runs[i].tests[test];
        if (t->measured && !test_result_is_long_enough(t))
            return false;
    }
    return true;
}

static void print_rate(FILE *out, double rate)
{
    fprintf(out, " %11.*f", rate < SMALL_MEAN ? 1 : 0, rate);
}

static void print_figures(FILE *out, const struct summary *s, const char *unit)
{
    print_rate(out, s->median);
    print_rate(out, s->min);
    print_rate(out, s->max);
    fprintf(out, "  %-5s", unit);
    if (s->runs > 1)
        fprintf(out, " %9s%%",
                units_beside(summary_half_width_percent(s), 1, SUMMARY_WIDE_PERCENT).text);
    fputs(summary_varies(s) ? "  varies\n" : "\n", out);
}

static int print_test(FILE *out, const struct result runs[], size_t count, enum test_id test)
{
    struct summary s;
    int rc = result_summarise(&s, runs, count, test);
    if (rc != 0 || s.runs == 0)
        return rc;
    fprintf(out, "%-10s %7zu", test_names[test], s.runs);
    if (is_long_enough(runs, count, test))
        print_figures(out, &s, test_rate_unit(test));
    else
        fprintf(out, " %11s %11s %11s  %s\n", "+++++", "+++++", "+++++", test_rate_unit(test));
    return 0;
}

int summary_table(FILE *out, const struct result runs[], size_t count)
{
    if (count < 2)
        return 0;
    fprintf(out, "%-10s %7s %11s %11s %11s  %-5s %10s\n", "Summary", "runs", "median", "min", "max",
            "unit", "+- 95%");
    int rc = 0;
    for (enum test_id test = 0; rc == 0 && test < TEST_COUNT; test++)
        rc = print_test(out, runs, count, test);
    int written = report_end(out);
    return rc ? rc : written;
}

#define NAME_COLUMNS 10

/*
 * Smaller latencies are printed in nanoseconds, because whole microseconds would hide differences.
 */
#define SMALL_LATENCY_NS 10000

static void print_throughput(FILE *out, const struct result *r)
{
    fprintf(out, "%-*s %12s %12s\n", NAME_COLUMNS, "Throughput", "MiB/s", "MB/s");
    for (enum test_id test = 0; test < TEST_FIRST_METADATA; test++) {
        const struct test_result *t = &r->tests[test];
        double kib = test_result_kib_per_second(t);
        if (!t->measured || test == TEST_SEEKS)
            continue;
        if (test_result_is_long_enough(t))
            fprintf(out, "%-*s %12.1f %12.1f\n", NAME_COLUMNS, test_names[test], kib / 1024,
                    kib * 1024 / 1e6);
        else
            fprintf(out, "%-*s %12s %12s\n", NAME_COLUMNS, test_names[test], "+++++", "+++++");
    }
}

static void print_latency(FILE *out, uint64_t nanoseconds)
{
    char text[UNITS_TEXT];
    if (nanoseconds < SMALL_LATENCY_NS)
        snprintf(text, sizeof text, "%" PRIu64 "ns", nanoseconds);
    else
        units_format_latency(text, nanoseconds);
    fprintf(out, " %8s", text);
}

static void print_percentiles(FILE *out, const struct result *r)
{
    fprintf(out, "%-*s %8s %8s %8s %8s %8s %8s %8s\n", NAME_COLUMNS, "Latency", "50%", "90%", "95%",
            "99%", "99.9%", "99.99%", "max");
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct latencies *l = &r->tests[test].latency_ns;
        const uint64_t all[] = {l->p50, l->p90, l->p95, l->p99, l->p99_9, l->p99_99, l->max};
        if (!r->tests[test].measured)
            continue;
        fprintf(out, "%-*s", NAME_COLUMNS, test_names[test]);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            print_latency(out, all[i]);
        fputc('\n', out);
    }
}

void extra_tables(FILE *out, const struct result runs[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct settings *s = runs[i].plan->settings;
        char label[LABEL_BYTES];
        sanitize_plain(label, runs[i].plan->label);
        if (runs[i].plan->row && (s->si || s->percentiles))
            fprintf(out, "%s\n", label);
        if (s->si)
            print_throughput(out, &runs[i]);
        if (s->percentiles)
            print_percentiles(out, &runs[i]);
    }
}
