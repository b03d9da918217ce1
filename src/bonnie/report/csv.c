// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/report/figures.h"
#include "bonnie/reports.h"

/*
 * The CSV line in format 1.98 of Bonnie++ 2.00a, with 50 fields. Bonnie++ itself prints the number
 * of directories in the field for the chunk size of the metadata tests; here each has its own
 * field.
 */
#define FORMAT_VERSION "1.98"

static int csv_header(FILE *out)
{
    fputs("format_version,bonnie_version,name,concurrency,seed", out);
    fputs(",file_size,chunk_size,num_seeks,seek_proc_count", out);
    for (enum test_id test = 0; test < TEST_COUNT; test = test_next_classic(test)) {
        if (test == TEST_FIRST_METADATA)
            fputs(",num_files,max_size,min_size,num_dirs,file_chunk_size", out);
        fprintf(out, ",%s,%s_cpu", test_name(test), test_name(test));
    }
    for (enum test_id test = 0; test < TEST_COUNT; test = test_next_classic(test))
        fprintf(out, ",%s_latency", test_name(test));
    fputc('\n', out);
    return report_end(out);
}

static int csv_run(FILE *out, const struct result *r)
{
    struct figures f;
    figures_init(&f, r);
    fprintf(out, FORMAT_VERSION ",%s,%s,%s,%s", r->version, f.label, f.concurrency, f.seed);
    fprintf(out, ",%s,%s,%s,%s", f.size, f.chunk, f.seeks, f.seekers);
    for (enum test_id test = 0; test < TEST_COUNT; test = test_next_classic(test)) {
        if (test == TEST_FIRST_METADATA)
            fprintf(out, ",%s,%s,%s,%s,%s", f.files, f.file_max, f.file_min, f.directories,
                    f.file_chunk);
        fprintf(out, ",%s,%s", f.tests[test].rate, f.tests[test].cpu);
    }
    for (enum test_id test = 0; test < TEST_COUNT; test = test_next_classic(test))
        fprintf(out, ",%s", f.tests[test].latency);
    fputc('\n', out);
    return report_end(out);
}

const struct report_ops report_csv = {
    .name = "csv",
    .help = "one comma-separated line of 50 fields, as Bonnie++ 2.00a prints it",
    .header = csv_header,
    .run = csv_run,
};
