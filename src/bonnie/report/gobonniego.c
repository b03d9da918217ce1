// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/report/figures.h"
#include "bonnie/reports.h"

/* Prints the three figures of GoBonnieGo in its own format. MB are 10^6 bytes. */

static double megabytes_per_second(const struct test_result *t)
{
    return test_result_kib_per_second(t) * 1024 / 1e6;
}

static int gobonniego_run(FILE *out, const struct result *r)
{
    const struct test_result *write = &r->tests[TEST_PUT_BLOCK];
    const struct test_result *read = &r->tests[TEST_GET_BLOCK];
    const struct test_result *iops = &r->tests[TEST_IOPS];
    if (write->measured)
        fprintf(out, "Sequential Write MB/s: %.2f\n", megabytes_per_second(write));
    if (read->measured)
        fprintf(out, "Sequential Read MB/s: %.2f\n", megabytes_per_second(read));
    if (iops->measured)
        fprintf(out, "IOPS: %.0f\n", test_result_ops_per_second(iops));
    extra_tables(out, r);
    return report_end(out);
}

const struct report_ops report_gobonniego = {
    .name = "gobonniego",
    .help = "the three figures of GoBonnieGo",
    .run = gobonniego_run,
};
