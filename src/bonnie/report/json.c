#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bonnie/report/json_test.h"
#include "bonnie/report/report.h"
#include "measure/summary.h"
#include "report/json_object.h"

/* Version of the format that share/bonnie.schema.json describes. Change both together. */
#define FORMAT_VERSION 2

/* Number of significant digits with which a number prints as the user wrote it. */
#define REAL_DIGITS 15

static json_t *json_of_host(const struct host_facts *h)
{
    json_t *object = json_object();
    put_fact(&object, "name", h->name);
    put_fact(&object, "kernel", h->kernel);
    put_fact(&object, "c_library", h->c_library);
    put_fact(&object, "cpu_model", h->cpu_model);
    put_known_count(&object, "cpus", h->cpus);
    put_known_count(&object, "ram_bytes", h->ram_bytes);
    put_fact(&object, "directory", h->directory);
    put_fact(&object, "filesystem", h->filesystem);
    put_fact(&object, "device", h->device);
    put_fact(&object, "disk_model", h->disk_model);
    put_fact(&object, "scheduler", h->scheduler);
    put_fact(&object, "mount_options", h->mount_options);
    return object;
}

static void put_io_settings(json_t **object, const struct result *r)
{
    put_count(object, "data_bytes", r->data_bytes);
    put_count(object, "chunk_bytes", r->chunk_bytes);
    put_count(object, "seeks", r->seeks);
    put_count(object, "seekers", r->seekers);
    put_text(object, "engine", r->engine);
    put_count(object, "iodepth", r->iodepth);
    put_count(object, "iops_block_bytes", r->iops_block_bytes);
    put_count(object, "iops_write_percent", r->iops_write_percent);
    put_real(object, "iops_seconds", r->iops_seconds);
    put_real(object, "iops_theta", r->iops_theta);
    put_real(object, "sequential_seconds", r->sequential_seconds);
}

static void put_file_settings(json_t **object, const struct result *r)
{
    static const char *const kinds[] = {
        [FILES_DATA] = "data",
        [FILES_HARD_LINKS] = "hard_links",
        [FILES_SYMBOLIC_LINKS] = "symbolic_links",
    };
    put_count(object, "files", r->files_k * 1024);
    put_text(object, "file_kind", kinds[r->file_kind]);
    put_count(object, "file_max_bytes", r->file_max_bytes);
    put_count(object, "file_min_bytes", r->file_min_bytes);
    put_count(object, "directories", r->directories);
    put_count(object, "file_chunk_bytes", r->file_chunk_bytes);
}

static json_t *json_of_settings(const struct result *r)
{
    json_t *object = json_object();
    put_text(&object, "preset", r->preset);
    put_count(&object, "workers", r->concurrency);
    if (r->ranks > 1)
        put_count(&object, "shift", r->shift);
    put_flag(&object, "direct", r->direct);
    put_flag(&object, "sync", r->sync);
    put_text(&object, "data", r->data);
    put_text(&object, "verify", r->verify);
    put_text(&object, "cache", r->cache);
    put_real(&object, "min_seconds", r->min_seconds);
    put_io_settings(&object, r);
    put_file_settings(&object, r);
    return object;
}

static json_t *one_run(const struct result *r)
{
    json_t *object = json_object();
    json_t *tests = json_array();
    put_time(&object, "start_time", r->start_time);
    for (enum test_id test = 0; test < TEST_COUNT; test++)
        if (r->tests[test].measured)
            append_value(&tests, json_of_test(&r->tests[test], test, r->host.device));
    put_value(&object, "tests", tests);
    return object;
}

static json_t *all_runs(const struct result runs[], size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        append_value(&array, one_run(&runs[i]));
    return array;
}

static json_t *rate_summary(const struct summary *s)
{
    json_t *object = json_object();
    json_t *interval = json_array();
    put_real(&object, "median", s->median);
    put_real(&object, "min", s->min);
    put_real(&object, "max", s->max);
    put_real(&object, "stddev", s->stddev);
    append_real(&interval, s->ci95[0]);
    append_real(&interval, s->ci95[1]);
    put_value(&object, "ci95", interval);
    return object;
}

static json_t *test_summary(const struct summary *s, enum test_id test)
{
    json_t *object = json_object();
    put_text(&object, "name", test_name(test));
    put_count(&object, "runs", s->runs);
    put_value(&object, "rate", rate_summary(s));
    return object;
}

static json_t *all_summaries(const struct result runs[], size_t count)
{
    json_t *array = json_array();
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        struct summary s;
        if (result_summarise(&s, runs, count, test) != 0)
            append_value(&array, NULL);
        else if (s.runs > 0)
            append_value(&array, test_summary(&s, test));
    }
    return array;
}

/* Takes from the first run what all runs have in common. */
static json_t *json_of_runs(const struct result runs[], size_t count)
{
    const struct result *first = &runs[0];
    json_t *object = json_object();
    put_text(&object, "format", "bonnie");
    put_count(&object, "format_version", FORMAT_VERSION);
    put_text(&object, "bonnie_version", first->version);
    put_text(&object, "label", first->label);
    put_time(&object, "start_time", first->start_time);
    put_count(&object, "seed", first->seed);
    put_value(&object, "host", json_of_host(&first->host));
    put_value(&object, "settings", json_of_settings(first));
    put_value(&object, "runs", all_runs(runs, count));
    put_value(&object, "summary", all_summaries(runs, count));
    return object;
}

/*
 * Prints the document, and replaces the line with the placeholder by the seed with all its 64 bits,
 * because jansson's integers have only 63. No other line can look like the placeholder's, because
 * no string contains a line break.
 */
static int print_with_seed(FILE *out, const char *text, uint64_t seed)
{
    static const char key[] = "\n  \"seed\": ";
    const char *number = strstr(text, key) + strlen(key);
    const char *rest = number + strspn(number, "0123456789");
    int length = (int)(number - text);
    if (fprintf(out, "%.*s%" PRIu64 "%s\n", length, text, seed, rest) < 0)
        return -errno; /* the text exceeds any buffer, so report_end() would not know the reason */

    return report_end(out);
}

static int print_object(FILE *out, const struct result runs[], size_t count)
{
    json_t *object = json_of_runs(runs, count);
    char *text =
        json_text(object, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(REAL_DIGITS));
    json_decref(object);
    if (!text)
        return -ENOMEM;
    int rc = print_with_seed(out, text, runs[0].seed);
    free(text);
    return rc;
}

/*
 * Prints one object, or an object for each row of a preset, because each row has its own settings.
 */
static int json_all(FILE *out, const struct result runs[], size_t count)
{
    int rc = 0;
    for (size_t i = 0, step; rc == 0 && i < count; i += step) {
        step = result_count_alike(&runs[i], count - i);
        rc = print_object(out, &runs[i], step);
    }
    return rc;
}

const struct report_ops report_json = {
    .name = "json",
    .help = "one JSON object of all runs, for programs",
    .all = json_all,
};
