// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/report/figures.h"
#include "bonnie/reports.h"

/* Prints the rows of KDiskMark and CrystalDiskMark, each of its median run. MB are 10^6 bytes. */

#define NAME_COLUMNS 12

/* The run with the median rate; of an even number of runs, the slower of the middle two. */
static const struct result *median_run(const struct result runs[], size_t count, enum test_id test)
{
    for (size_t i = 0; i < count; i++) {
        double rate = test_result_rate(&runs[i].tests[test], test);
        size_t below = 0;
        for (size_t other = 0; other < count; other++) {
            double its = test_result_rate(&runs[other].tests[test], test);
            below += its < rate || (its == rate && other < i);
        }
        if (below == (count - 1) / 2)
            return &runs[i];
    }
    return &runs[0];
}

static void print_test(FILE *out, const struct result *r, enum test_id test, const char *name)
{
    const struct test_result *t = &r->tests[test];
    bool writes = test == TEST_IOPS ? r->plan->iops.write_percent > 0 : test == TEST_PUT_BLOCK;
    fprintf(out, "%-*s %-5s", NAME_COLUMNS, name, writes ? "write" : "read");
    if (!test_result_is_long_enough(t)) {
        fprintf(out, " %9s %8s %3s\n", "+++++", "+++++", "+++");
        return;
    }
    fprintf(out, " %9.2f %8.0f %3.0f", test_result_kib_per_second(t) * 1024 / 1e6,
            test_result_ops_per_second(t), test_result_cpu_percent(t));
    const uint64_t latencies[] = {t->latency_ns.mean, t->latency_ns.p99, t->latency_ns.max};
    for (size_t i = 0; i < COUNT_OF(latencies); i++) {
        char text[UNITS_TEXT];
        units_format_latency(text, latencies[i]);
        fprintf(out, " %8s", latencies[i] > 0 ? text : "-");
    }
    fprintf(out, "  %s%s\n", limit_text(t->verdict.least.by),
            t->direct.asked ? "" : ", without O_DIRECT");
}

static int diskmark_all(FILE *out, const struct result runs[], size_t count)
{
    static const enum test_id order[] = {TEST_GET_BLOCK, TEST_PUT_BLOCK, TEST_IOPS};
    const char *before = "";
    struct label_text direct = {""};
    char version[NAME_COLUMNS + 7];
    snprintf(version, sizeof version, "Version %s", runs[0].version);
    fprintf(out, "%-*s %9s %8s %3s %8s %8s %8s  %s\n", (int)sizeof version - 1, version, "MB/s",
            "/sec", "%CP", "mean", "p99", "max", "limited by");
    for (size_t i = 0, step; i < count; i += step) {
        const char *row = runs[i].plan->row ? runs[i].plan->row->name : "";
        const char *name = strcmp(row, before) != 0 ? row : ""; /* once above all its lines */
        step = result_count_alike(&runs[i], count - i);
        for (size_t k = 0; k < COUNT_OF(order); k++) {
            size_t known = step; /* a signal may have ended the last run before this test */
            while (known > 0 && !runs[i + known - 1].tests[order[k]].measured)
                known--;
            if (known == 0)
                continue;
            print_test(out, median_run(&runs[i], known, order[k]), order[k], name);
            name = "";
        }
        before = row;
    }
    direct_words(&direct, runs, count);
    label_print(out, "", &direct);
    return extra_tables(out, runs, count);
}

const struct report_ops report_diskmark = {.name = "diskmark", .all = diskmark_all};
