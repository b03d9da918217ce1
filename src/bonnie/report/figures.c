// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/report/figures.h"

#include <math.h>

#include "bonnie/reports.h"

/* Smaller rates are printed with one decimal. At each limit the rounded text gets longer. */
#define SMALL_RATE  9.95
#define SMALL_SEEKS 999.95
#define SMALL_MEAN  999.95
/* Smaller latencies are in nanoseconds, because whole microseconds would hide differences. */
#define SMALL_LATENCY_NS 10000

#define NAME_COLUMNS 10

static void print_count(char text[static UNITS_TEXT], uint64_t count)
{
    snprintf(text, UNITS_TEXT, "%" PRIu64, count);
}

void figure_init(struct figure *f, const struct test_result *t, enum test_id test, double small,
                 int cpu_decimals)
{
    double rate = test_result_rate(t, test);
    *f = (struct figure){.rate = ""};
    if (!t->measured)
        return;
    if (!test_result_is_long_enough(t)) {
        strcpy(f->rate, "+++++");
        strcpy(f->cpu, "+++");
        return;
    }
    snprintf(f->rate, UNITS_TEXT, "%.*f", rate < small ? 1 : 0, rate);
    snprintf(f->cpu, UNITS_TEXT, "%.*f", cpu_decimals, test_result_cpu_percent(t));
}

void figures_init(struct figures *f, const struct result *r)
{
    const struct plan *p = r->plan;
    memset(f, 0, sizeof *f);
    sanitize_plain(f->label, p->label);
    print_count(f->concurrency, result_workers(r));
    print_count(f->seed, p->seed);
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct test_result *t = &r->tests[test];
        figure_init(&f->tests[test], t, test, test == TEST_SEEKS ? SMALL_SEEKS : SMALL_RATE, 0);
        if (t->measured)
            units_format_latency(f->tests[test].latency, t->latency_ns.max);
    }
    if (figures_any(f, 0, TEST_FIRST_METADATA)) {
        units_format_size(f->size, p->data.bytes);
        if (p->data.chunk_bytes != DEFAULT_CHUNK_BYTES)
            units_format_chunk(f->chunk, p->data.chunk_bytes);
        print_count(f->seeks, p->data.seeks);
        print_count(f->seekers, p->data.seekers);
    }
    if (!figures_any(f, TEST_FIRST_METADATA, TEST_COUNT))
        return;
    bool is_data = p->files.kind == FILES_DATA;
    print_count(f->files, p->files.count / 1024);
    if (!is_data)
        strcpy(f->file_max, p->files.kind == FILES_HARD_LINKS ? "link" : "symlink");
    if (is_data && p->files.max_bytes != 0)
        print_count(f->file_max, p->files.max_bytes);
    if (is_data && p->files.min_bytes != 0)
        print_count(f->file_min, p->files.min_bytes);
    if (is_data && p->files.chunk_bytes != DEFAULT_FILE_CHUNK_BYTES)
        print_count(f->file_chunk, p->files.chunk_bytes);
    if (p->files.directories_given > 1)
        print_count(f->directories, p->files.directories_given);
}

bool figures_any(const struct figures *f, enum test_id first, enum test_id end)
{
    for (enum test_id test = first; test < end; test++)
        if (f->tests[test].rate[0] != '\0')
            return true;
    return false;
}

/* Names the slope if the rule rejects it, and otherwise the range. */
void steady_words(struct label_text *words, const struct steady_result *s)
{
    const struct steady_fit *f = &s->fit;
    double percent = fabs(f->slope_percent);
    if (s->is_steady)
        label_add(words, "steady after round %u of %u", s->count, s->most_rounds);
    else if (percent > STEADY_SLOPE_PERCENT)
        label_add(words, "not steady after %u rounds: still %s %.1f %% a round", s->count,
                  f->slope > 0 ? "rising" : "falling", percent / (STEADY_WINDOW - 1));
    else
        label_add(words, "not steady after %u rounds: the last %d range over %.0f %% of their mean",
                  s->count, STEADY_WINDOW, f->range_percent);
    if (s->fell_in > 0)
        label_add(words, "; its speed fell in round %u", s->fell_in);
}

enum direct_seen direct_words(struct label_text *words, const struct result runs[], size_t count)
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
    if (!last || (seen == DIRECT_YES && was_cached))
        return seen;
    label_add(words, "%s", beginnings[seen]);
    for (size_t i = 0; seen != DIRECT_YES && i < count * TEST_COUNT; i++) {
        const struct direct_use *d = &runs[i / TEST_COUNT].tests[i % TEST_COUNT].direct;
        if (d->asked && d->seen == seen && *d->reason && !strstr(words->text, d->reason))
            label_add(words, "%s %s", strchr(words->text, ':') ? ";" : ":", d->reason);
    }
    if (seen != DIRECT_YES)
        label_add(words, ".");
    return seen;
}

int summary_table(FILE *out, const struct result runs[], size_t count)
{
    int rc = 0;
    if (count < 2)
        return 0;
    fprintf(out, "%-10s %7s %11s %11s %11s  %-5s %10s\n", "Summary", "runs", "median", "min", "max",
            "unit", "+- 95%");
    for (enum test_id test = 0; rc == 0 && test < TEST_COUNT; test++) {
        struct summary s;
        bool is_short = false; /* a run was; as in the table of a single one, there is no figure */
        rc = result_summarise(&s, runs, count, test);
        if (rc != 0 || s.runs == 0)
            continue;
        for (size_t i = 0; i < count; i++)
            is_short |=
                runs[i].tests[test].measured && !test_result_is_long_enough(&runs[i].tests[test]);
        fprintf(out, "%-10s %7zu", test_names[test], s.runs);
        const double rates[] = {s.median, s.min, s.max};
        for (size_t i = 0; i < COUNT_OF(rates); i++)
            if (is_short)
                fprintf(out, " %11s", "+++++");
            else
                fprintf(out, " %11.*f", rates[i] < SMALL_MEAN ? 1 : 0, rates[i]);
        fprintf(out, "  %-*s", is_short ? 0 : 5, test_rate_unit(test));
        if (!is_short && s.runs > 1)
            fprintf(out, " %9s%%",
                    units_beside(summary_half_width_percent(&s), 1, SUMMARY_WIDE_PERCENT).text);
        fputs(!is_short && summary_varies(&s) ? "  varies\n" : "\n", out);
    }
    int written = report_end(out);
    return rc ? rc : written;
}

int extra_tables(FILE *out, const struct result runs[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct result *r = &runs[i];
        const struct plan *p = r->plan;
        char label[LABEL_BYTES];
        sanitize_plain(label, p->label);
        if (p->row && (p->si || p->percentiles))
            fprintf(out, "%s\n", label);
        if (p->si)
            fprintf(out, "%-*s %12s %12s\n", NAME_COLUMNS, "Throughput", "MiB/s", "MB/s");
        for (enum test_id test = 0; p->si && test < TEST_FIRST_METADATA; test++) {
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
        if (p->percentiles)
            fprintf(out, "%-*s %8s %8s %8s %8s %8s %8s %8s\n", NAME_COLUMNS, "Latency", "p50",
                    "p90", "p95", "p99", "p99.9", "p99.99", "max");
        for (enum test_id test = 0; p->percentiles && test < TEST_COUNT; test++) {
            const struct latencies *l = &r->tests[test].latency_ns;
            const uint64_t all[] = {l->p50, l->p90, l->p95, l->p99, l->p99_9, l->p99_99, l->max};
            if (!r->tests[test].measured)
                continue;
            fprintf(out, "%-*s", NAME_COLUMNS, test_names[test]);
            for (size_t k = 0; k < COUNT_OF(all); k++) {
                char text[UNITS_TEXT];
                if (all[k] < SMALL_LATENCY_NS)
                    snprintf(text, sizeof text, "%" PRIu64 "ns", all[k]);
                else
                    units_format_latency(text, all[k]);
                fprintf(out, " %8s", all[k] > 0 ? text : "-");
            }
            fputc('\n', out);
        }
    }
    return report_end(out);
}
