// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/report/figures.h"
#include "bonnie/reports.h"
#include "report/json_object.h"

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
    return extra_tables(out, r, 1);
}

const struct report_ops report_gobonniego = {.name = "gobonniego", .run = gobonniego_run};

/* Prints GoBonnieGo's object in one line: the keys of 1.0.9, its newest version, and the
 * nanoseconds that versions up to 1.0.7 had in place of seconds. What was not measured is 0. */

static int gobonniego_json_all(FILE *out, const struct result runs[], size_t count)
{
    const struct plan *p = runs[0].plan;
    json_t *object = json_object();
    json_t *results = json_array();
    put_text(&object, "version", runs[0].version);
    put_time(&object, "start_time", runs[0].start_time);
    put_text(&object, "gobonniego_directory", p->directory);
    put_real(&object, "disk_space_used_gib", (double)p->data.bytes / (double)GIB);
    PUT_COUNTS(&object, {"num_readers_and_writers", result_workers(&runs[0])},
               {"physical_memory_bytes", p->host->ram_bytes});
    put_real(&object, "iops_duration_seconds", (double)p->iops.duration_ns / 1e9);
    for (size_t i = 0; i < count; i++) {
        const struct test_result *write = &runs[i].tests[TEST_PUT_BLOCK];
        const struct test_result *read = &runs[i].tests[TEST_GET_BLOCK];
        const struct test_result *iops = &runs[i].tests[TEST_IOPS];
        json_t *one = json_object();
        PUT_REALS(&one, {"write_megabytes_per_second", megabytes_per_second(write)},
                  {"read_megabytes_per_second", megabytes_per_second(read)},
                  {"iops", test_result_ops_per_second(iops)},
                  {"write_seconds", (double)write->elapsed_ns / 1e9},
                  {"read_seconds", (double)read->elapsed_ns / 1e9},
                  {"io_seconds", (double)iops->elapsed_ns / 1e9});
        put_time(&one, "start_time", runs[i].start_time);
        PUT_COUNTS(&one, {"write_bytes", write->bytes}, {"write_nanoseconds", write->elapsed_ns},
                   {"read_bytes", read->bytes}, {"read_nanoseconds", read->elapsed_ns},
                   {"io_operations", iops->ops}, {"io_nanoseconds", iops->elapsed_ns});
        append_value(&results, one);
    }
    put_value(&object, "results", results);
    char *text = json_text(object, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(object);
    if (!text)
        return -ENOMEM;
    int rc = fprintf(out, "%s\n", text) < 0 ? -errno : report_end(out);
    free(text);
    return rc;
}

const struct report_ops report_gobonniego_json = {
    .name = "gobonniego_json", .is_of_whole_run = true, .all = gobonniego_json_all};
