// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "bonnie/report/figures.h"
#include "bonnie/reports.h"
#include "report/json_object.h"
#include "util/units.h"

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
    extra_tables(out, r, 1);
    return report_end(out);
}

const struct report_ops report_gobonniego = {
    .name = "gobonniego",
    .run = gobonniego_run,
};

/*
 * Prints the object that GoBonnieGo prints: the keys of 1.0.9, its newest version, and the
 * nanoseconds that versions up to 1.0.7 had in place of seconds, in one line. What was not measured
 * is 0.
 */

static json_t *one_run(const struct result *r)
{
    const struct test_result *write = &r->tests[TEST_PUT_BLOCK];
    const struct test_result *read = &r->tests[TEST_GET_BLOCK];
    const struct test_result *iops = &r->tests[TEST_IOPS];
    json_t *object = json_object();
    put_real(&object, "write_megabytes_per_second", megabytes_per_second(write));
    put_real(&object, "read_megabytes_per_second", megabytes_per_second(read));
    put_real(&object, "iops", test_result_ops_per_second(iops));
    put_real(&object, "write_seconds", (double)write->elapsed_ns / 1e9);
    put_real(&object, "read_seconds", (double)read->elapsed_ns / 1e9);
    put_real(&object, "io_seconds", (double)iops->elapsed_ns / 1e9);
    put_time(&object, "start_time", r->start_time);
    put_count(&object, "write_bytes", write->bytes);
    put_count(&object, "write_nanoseconds", write->elapsed_ns);
    put_count(&object, "read_bytes", read->bytes);
    put_count(&object, "read_nanoseconds", read->elapsed_ns);
    put_count(&object, "io_operations", iops->ops);
    put_count(&object, "io_nanoseconds", iops->elapsed_ns);
    return object;
}

static json_t *gobonniego_document(const struct result runs[], size_t count)
{
    const struct result *first = &runs[0];
    json_t *object = json_object();
    json_t *results = json_array();
    put_text(&object, "version", first->version);
    put_time(&object, "start_time", first->start_time);
    put_text(&object, "gobonniego_directory", first->plan->settings->directory);
    put_real(&object, "disk_space_used_gib", (double)first->plan->data.bytes / (double)GIB);
    put_count(&object, "num_readers_and_writers", result_workers(first));
    put_count(&object, "physical_memory_bytes", first->plan->host->ram_bytes);
    put_real(&object, "iops_duration_seconds", (double)first->plan->iops.duration_ns / 1e9);
    for (size_t i = 0; i < count; i++)
        append_value(&results, one_run(&runs[i]));
    put_value(&object, "results", results);
    return object;
}

static int gobonniego_json_all(FILE *out, const struct result runs[], size_t count)
{
    json_t *object = gobonniego_document(runs, count);
    char *text = json_text(object, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(object);
    if (!text)
        return -ENOMEM;
    int rc = fprintf(out, "%s\n", text) < 0 ? -errno : report_end(out);
    free(text);
    return rc;
}

const struct report_ops report_gobonniego_json = {
    .name = "gobonniego_json",
    .all = gobonniego_json_all,
};
