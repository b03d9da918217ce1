// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "bonnie/preset.h"
#include "bonnie/report/figures.h"
#include "bonnie/reports.h"
#include "util/units.h"

/*
 * Prints the rows of KDiskMark and CrystalDiskMark: MB are 10^6 bytes. Of several runs of a row, it
 * prints the one with the median rate.
 */

#define NAME_COLUMNS 12

static unsigned count_below(const struct result runs[], size_t count, enum test_id test, size_t i)
{
    double rate = test_result_rate(&runs[i].tests[test], test);
    unsigned below = 0;
    for (size_t other = 0; other < count; other++) {
        double its = test_result_rate(&runs[other].tests[test], test);
        below += its < rate || (its == rate && other < i);
    }
    return below;
}

/* The run with the median rate; of an even number of runs, the slower of the middle two. */
static const struct result *median_run(const struct result runs[], size_t count, enum test_id test)
{
    for (size_t i = 0; i < count; i++)
        if (count_below(runs, count, test, i) == (count - 1) / 2)
            return &runs[i];
    return &runs[0];
}

static void print_latency(FILE *out, uint64_t nanoseconds)
{
    char text[UNITS_TEXT];
    units_format_latency(text, nanoseconds);
    fprintf(out, " %8s", text);
}

static void print_test(FILE *out, const struct result runs[], size_t count, enum test_id test,
                       const char *name)
{
    const struct result *r = median_run(runs, count, test);
    const struct test_result *t = &r->tests[test];
    if (!t->measured)
        return;
    bool writes = test == TEST_IOPS ? r->plan->iops.write_percent > 0 : test == TEST_PUT_BLOCK;
    fprintf(out, "%-*s %-5s", NAME_COLUMNS, name, writes ? "write" : "read");
    if (!test_result_is_long_enough(t)) {
        fprintf(out, "  %9s %8s %3s\n", "+++++", "+++++", "+++");
        return;
    }
    fprintf(out, "  %9.2f %8.0f %3.0f", test_result_kib_per_second(t) * 1024 / 1e6,
            test_result_ops_per_second(t), test_result_cpu_percent(t));
    print_latency(out, t->latency_ns.mean);
    print_latency(out, t->latency_ns.p99);
    print_latency(out, t->latency_ns.max);
    fprintf(out, "  %s%s\n", limit_name(t->verdict.least.by),
            t->direct.asked ? "" : ", without O_DIRECT");
}

static void print_heading(FILE *out, const struct result *r)
{
    char version[NAME_COLUMNS + 7];
    snprintf(version, sizeof version, "Version %s", r->version);
    fprintf(out, "%-*s  %9s %8s %3s %8s %8s %8s  %s\n", (int)sizeof version - 1, version, "MB/s",
            "/sec", "%CP", "mean", "99%", "max", "limited by");
}

/* Prints a row or a part of it under a name. Reads come above writes. */
static void print_row(FILE *out, const struct result runs[], size_t count, const char *name)
{
    static const enum test_id order[] = {TEST_GET_BLOCK, TEST_PUT_BLOCK, TEST_IOPS};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        print_test(out, runs, count, order[i], name);
        if (runs[0].tests[order[i]].measured)
            name = "";
    }
}

static int diskmark_all(FILE *out, const struct result runs[], size_t count)
{
    const char *before = "";
    char text[DIRECT_TEXT];
    print_heading(out, &runs[0]);
    for (size_t i = 0, step; i < count; i += step) {
        const char *name = runs[i].plan->row ? runs[i].plan->row->name : "";
        step = result_count_alike(&runs[i], count - i);
        print_row(out, &runs[i], step, strcmp(name, before) != 0 ? name : "");
        before = name;
    }
    direct_text(text, runs, count);
    if (*text)
        print_wrapped(out, 0, text);
    extra_tables(out, runs, count);
    return report_end(out);
}

const struct report_ops report_diskmark = {
    .name = "diskmark",
    .all = diskmark_all,
};
