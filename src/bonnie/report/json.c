// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bonnie/preset.h"
#include "bonnie/report/figures.h"
#include "bonnie/reports.h"
#include "bonnie/result.h"
#include "measure/summary.h"
#include "report/document.h"
#include "report/json_object.h"

/* Appends the rates of what was done in a time. */
static void put_rates(json_t **object, uint64_t bytes, uint64_t ops, uint64_t nanoseconds)
{
    const struct test_result t = {
        .measured = true, .bytes = bytes, .ops = ops, .elapsed_ns = nanoseconds};
    put_real(object, "bytes_per_second", test_result_kib_per_second(&t) * 1024);
    put_real(object, "ops_per_second", test_result_ops_per_second(&t));
}

static json_t *all_rounds(const struct steady_result *s)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < s->count; i++) {
        const struct round *r = &s->rounds[i];
        json_t *object = json_object();
        put_real(&object, "seconds", (double)r->end_ns / 1e9);
        put_real(&object, "elapsed_seconds", (double)r->elapsed_ns / 1e9);
        put_count(&object, "ops", r->ops);
        put_count(&object, "bytes", r->bytes);
        put_rates(&object, r->bytes, r->ops, r->elapsed_ns);
        put_count(&object, "mean_ns", r->mean_ns);
        put_count(&object, "p99_ns", r->p99_ns);
        append_value(&array, object);
    }
    return array;
}

/*
 * The rounds of a test, their fit and whether they are steady; null if the test did not have to
 * become steady.
 */
static json_t *json_of_steady(const struct steady_result *s)
{
    char reason[STEADY_TEXT];
    const double unit = s->metric == ROUND_BANDWIDTH ? KIB : 1; /* of the fit */
    if (!s->wanted)
        return json_null();
    json_t *object = json_object();
    json_t *fit = json_object(); /* of the last window; rounds are numbered from 1 */
    put_count(&fit, "first_round", s->count - STEADY_WINDOW + 1);
    put_count(&fit, "rounds", STEADY_WINDOW);
    put_real(&fit, "mean", s->fit.mean * unit);
    put_real(&fit, "range_percent", s->fit.range_percent);
    put_real(&fit, "slope", s->fit.slope * unit);
    put_real(&fit, "slope_percent", s->fit.slope_percent);
    steady_text(reason, s);
    put_flag(&object, "steady", s->is_steady);
    put_text(&object, "reason", reason);
    put_text(&object, "metric", round_metric_names[s->metric]);
    put_real(&object, "round_seconds", (double)s->round_ns / 1e9);
    put_count(&object, "max_rounds", s->most_rounds);
    put_count(&object, "precondition", s->precondition);
    put_value(&object, "fit", fit);
    put_value(&object, "rounds", all_rounds(s));
    return object;
}

static json_t *device_use(const struct device_counters *d, uint64_t elapsed_ns, const char *name)
{
    if (!d->known)
        return json_null();
    json_t *object = json_object();
    put_text(&object, "name", name);
    put_count(&object, "read_bytes", d->read_bytes);
    put_count(&object, "written_bytes", d->written_bytes);
    put_count(&object, "read_ops", d->read_ops);
    put_count(&object, "write_ops", d->write_ops);
    put_real(&object, "busy_percent", device_busy_percent(d, elapsed_ns));
    return object;
}

static json_t *cache_use(const struct cache_use *c)
{
    if (!c->known)
        return json_null();
    json_t *object = json_object();
    put_real(&object, "resident_percent_before", c->resident_percent_before);
    put_real(&object, "resident_percent_after", c->resident_percent_after);
    put_flag(&object, "system_dropped", c->system_dropped);
    return object;
}

/* The sources that counted the bytes which storage read and wrote, and what they counted. */
static json_t *json_of_evidence(const struct test_result *t)
{
    static const struct {
        const char *by, *bytes;
    } keys[WAYS] = {{"read_by", "read_bytes"}, {"written_by", "written_bytes"}};
    const uint64_t of_device[WAYS] = {t->device.read_bytes, t->device.written_bytes};
    json_t *object = json_object();
    for (enum way way = 0; way < WAYS; way++) {
        enum source by = t->moved.by[way];
        bool is_device = by == SOURCE_DEVICE || by == SOURCE_BELOW;
        if (is_device && !t->device.known)
            by = SOURCE_NONE;
        put_fact(&object, keys[way].by, source_name(by));
        if (by == SOURCE_NONE)
            put_value(&object, keys[way].bytes, json_null());
        else
            put_count(&object, keys[way].bytes, is_device ? of_device[way] : t->moved.bytes[way]);
    }
    return object;
}

static json_t *all_intervals(const struct test_result *t)
{
    json_t *array = json_array();
    for (size_t i = 0; i < t->interval_count; i++) {
        const struct interval *one = &t->intervals[i];
        json_t *object = json_object();
        put_real(&object, "seconds", (double)one->end_ns / 1e9);
        put_count(&object, "ops", one->ops);
        put_count(&object, "bytes", one->bytes);
        put_count(&object, "p50_ns", one->p50_ns);
        put_count(&object, "p99_ns", one->p99_ns);
        put_count(&object, "max_ns", one->max_ns);
        append_value(&array, object);
    }
    return array;
}

static json_t *all_damage(const struct corruption_list *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; i++) {
        const struct corruption_entry *entry = &list->entries[i];
        json_t *object = json_object();
        put_count(&object, "file", entry->file);
        put_count(&object, "offset_bytes", entry->offset);
        put_text(&object, "kind", entry->kind);
        put_text(&object, "description", entry->description);
        append_value(&array, object);
    }
    return array;
}

static json_t *host_figures(const struct host_result *h)
{
    const struct test_result figures = {
        .measured = true, .elapsed_ns = h->elapsed_ns, .cpu_ns = h->cpu_ns};
    json_t *object = json_object();
    put_text(&object, "name", h->name);
    put_count(&object, "ranks", h->ranks);
    put_count(&object, "ops", h->ops);
    put_count(&object, "bytes", h->bytes);
    put_real(&object, "elapsed_seconds", (double)h->elapsed_ns / 1e9);
    put_rates(&object, h->bytes, h->ops, h->elapsed_ns);
    put_real(&object, "cpu_percent", test_result_cpu_percent(&figures));
    put_count(&object, "latency_mean_ns", h->ops > 0 ? h->latency_sum_ns / h->ops : 0);
    put_count(&object, "latency_max_ns", h->latency_max_ns);
    return object;
}

/* Appends what only a test of several ranks has. */
static void put_together(json_t **object, const struct joint_test *t)
{
    if (t->ranks < 2)
        return;
    json_t *hosts = json_array();
    for (size_t i = 0; i < t->host_count; i++)
        append_value(&hosts, host_figures(&t->hosts[i]));
    put_count(object, "ranks", t->ranks);
    put_real(object, "start_spread_seconds", (double)t->start_spread_ns / 1e9);
    put_real(object, "clock_uncertainty_seconds", (double)t->clock_uncertainty_ns / 1e9);
    put_text(object, "slowest_host", together_slowest(t)->name);
    put_value(object, "hosts", hosts);
}

/* Appends which row a test of a preset with rows is. */
static void put_row(json_t **object, const struct preset_row *row, enum test_id test)
{
    put_text(object, "row", row->tests[test].id);
    put_text(object, "title", row->tests[test].title);
}

/* One test of one run. Of a row, it has what the settings of all rows cannot say, too. */
static json_t *json_of_test(const struct result *r, enum test_id test)
{
    const struct test_result *t = &r->tests[test];
    const char *device = r->storage->sources.devices.name;
    char sentence[LIMIT_SENTENCE];
    json_t *object = json_object();
    json_t *latency = json_object();
    put_text(&object, "name", test_names[test]);
    if (r->plan->row) {
        put_row(&object, r->plan->row, test);
        put_flag(&object, "sync", r->plan->sync);
    }
    if (r->plan->row && test == TEST_IOPS)
        put_count(&object, "write_percent", r->plan->iops.write_percent);
    put_count(&object, "workers", t->workers);
    put_text(&object, "engine", t->engine);
    put_count(&object, "iodepth", t->iodepth);
    put_direct(&object, &t->direct);
    put_count(&object, "chunk_bytes", t->chunk_bytes);
    put_count(&object, "ops", t->ops);
    put_count(&object, "bytes", t->bytes);
    put_real(&object, "elapsed_seconds", (double)t->elapsed_ns / 1e9);
    put_rates(&object, t->bytes, t->ops, t->elapsed_ns);
    put_real(&object, "cpu_percent", test_result_cpu_percent(t));
    put_latencies(&latency, &t->latency_ns);
    put_value(&object, "latency_ns", latency);
    put_value(&object, "device", device_use(&t->device, t->elapsed_ns, device));
    put_value(&object, "evidence", json_of_evidence(t));
    put_value(&object, "cache", cache_use(&t->cache));
    put_count(&object, "verified_bytes", t->verified_bytes);
    put_count(&object, "damaged", t->corrupted);
    put_value(&object, "damage", all_damage(&t->corruption));
    const struct judgement *j = &t->verdict.least;
    limit_sentence(sentence, j, j);
    put_text(&object, "limited_by", limit_name(j->by));
    put_text(&object, "reason", sentence);
    put_others(&object, &j->others);
    put_count(&object, "queue_asked", (uint64_t)t->workers * t->iodepth);
    put_known_real(&object, "queue_seen", j->device_known ? j->in_flight : -1);
    put_value(&object, "steady_state", json_of_steady(&t->steady));
    put_levels(&object, &t->levels);
    put_value(&object, "intervals", all_intervals(t));
    put_tail(&object, &t->tail);
    put_together(&object, &t->together);
    return object;
}

static json_t *json_of_settings(const struct result *r)
{
    static const char *const kinds[] = {
        [FILES_DATA] = "data",
        [FILES_HARD_LINKS] = "hard_links",
        [FILES_SYMBOLIC_LINKS] = "symbolic_links",
    };
    const struct plan *p = r->plan;
    json_t *object = json_object();
    put_text(&object, "directory", p->settings->directory);
    put_text(&object, "preset", p->preset->name);
    put_count(&object, "concurrency", result_workers(r));
    if (r->ranks > 1)
        put_count(&object, "shift", r->shift);
    if (p->is_device) {
        put_flag(&object, "write", !p->reads_only);
        put_count(&object, "offset_bytes", p->settings->offset_bytes.value);
    }
    put_flag(&object, "direct", p->direct);
    put_flag(&object, "sync", p->sync);
    put_count(&object, "seed", p->seed);
    put_text(&object, "data", p->contents_name);
    put_text(&object, "verify", verify_names[p->verify]);
    put_text(&object, "cache", cache_names[p->settings->cache]);
    put_real(&object, "min_time_seconds", (double)p->min_time_ns / 1e9);
    put_count(&object, "size_bytes", p->data.bytes);
    put_count(&object, "chunk_bytes", p->data.chunk_bytes);
    put_count(&object, "seeks", p->data.seeks);
    put_count(&object, "seekers", p->data.seekers);
    put_text(&object, "engine", p->engine.ops->name);
    put_count(&object, "iodepth", p->engine.depth);
    put_count(&object, "iops_block_bytes", p->iops.block_bytes);
    put_count(&object, "iops_writes_percent", p->iops.write_percent);
    put_real(&object, "iops_duration_seconds", (double)p->iops.duration_ns / 1e9);
    put_real(&object, "iops_theta", p->settings->iops_theta);
    put_real(&object, "time_seconds", (double)p->time_ns / 1e9);
    put_count(&object, "files", p->files.count);
    put_text(&object, "file_kind", kinds[p->files.kind]);
    put_count(&object, "file_max_bytes", p->files.max_bytes);
    put_count(&object, "file_min_bytes", p->files.min_bytes);
    put_count(&object, "directories", p->files.directories_given);
    put_count(&object, "file_chunk_bytes", p->files.chunk_bytes);
    return object;
}

/* Run number `index`, with the tests of all rows. */
static json_t *one_run(const struct result runs[], size_t count, size_t index)
{
    json_t *object = json_object();
    json_t *tests = json_array();
    json_t *left_out = json_array();
    put_time(&object, "start_time", runs[index].start_time);
    for (size_t i = 0, step; i < count; i += step) {
        const struct result *r = &runs[i + index];
        step = result_count_alike(&runs[i], count - i);
        for (enum test_id test = 0; test < TEST_COUNT; test++)
            if (r->tests[test].measured)
                append_value(&tests, json_of_test(r, test));
        for (enum test_id test = 0; r->left_out[0] && test < TEST_COUNT; test++) {
            if (!r->plan->row->tests[test].id)
                continue;
            json_t *row = json_object();
            put_row(&row, r->plan->row, test);
            put_text(&row, "reason", r->left_out);
            append_value(&left_out, row);
        }
    }
    put_value(&object, "tests", tests);
    if (!left_out || json_array_size(left_out) > 0)
        put_value(&object, "left_out", left_out);
    else
        json_decref(left_out);
    return object;
}

static json_t *test_summary(const struct summary *s, const struct preset_row *row,
                            enum test_id test)
{
    bool counts = test_counts_operations(test);
    const double unit = counts ? 1 : KIB;
    json_t *object = json_object();
    json_t *rate = json_object();
    json_t *interval = json_array();
    append_real(&interval, s->ci95[0] * unit);
    append_real(&interval, s->ci95[1] * unit);
    put_real(&rate, "median", s->median * unit);
    put_real(&rate, "min", s->min * unit);
    put_real(&rate, "max", s->max * unit);
    put_real(&rate, "stddev", s->stddev * unit);
    put_value(&rate, "ci95", interval);
    put_text(&object, "name", test_names[test]);
    if (row)
        put_row(&object, row, test);
    put_count(&object, "runs", s->runs);
    put_value(&object, counts ? "ops_per_second" : "bytes_per_second", rate);
    return object;
}

/* Summarises the tests of each row, or of all runs if there are no rows. */
static json_t *all_summaries(const struct result runs[], size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0, step; i < count; i += step) {
        step = result_count_alike(&runs[i], count - i);
        for (enum test_id test = 0; test < TEST_COUNT; test++) {
            struct summary s;
            if (result_summarise(&s, &runs[i], step, test) != 0)
                append_value(&array, NULL);
            else if (s.runs > 0)
                append_value(&array, test_summary(&s, runs[i].plan->row, test));
        }
    }
    return array;
}

/* What stood in the way of the storage, before the first run and after the last. */
static json_t *all_facts(const struct facts *facts)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < facts->count; i++) {
        const struct fact *f = &facts->list[i];
        json_t *one = json_object();
        put_text(&one, "fact", f->key);
        put_text(&one, "text", f->text);
        put_known_count(&one, "link_bytes_per_second", f->bytes_per_second);
        append_value(&array, one);
    }
    return array;
}

/* Takes from the first run what all runs have in common. */
static json_t *json_of_runs(const struct result runs[], size_t count)
{
    const struct plan *p = runs[0].plan;
    const struct storage *s = runs[0].storage;
    const char *of_rows = p->settings->label ? p->settings->label : p->host->name;
    size_t each = result_count_alike(runs, count); /* number of runs of each row */
    json_t *array = json_array();
    for (size_t i = 0; i < each; i++)
        append_value(&array, one_run(runs, count, i));
    json_t *storage = storage_json(&s->sources.mount, &s->sources.devices);
    put_value(&storage, "facts", all_facts(&s->facts));
    const struct document d = {
        .format = "bonnie",
        .label = p->row ? of_rows : p->label,
        .start_time = runs[0].start_time,
        .elapsed_seconds = (double)(runs[count - 1].ended_ns - runs[0].begun_ns) / 1e9,
        .host = p->host,
        .storage = storage,
        .settings = json_of_settings(&runs[0]),
    };
    json_t *object = document_begin(&d);
    put_value(&object, "runs", array);
    put_value(&object, "summary", all_summaries(runs, count));
    return object;
}

static int json_all(FILE *out, const struct result runs[], size_t count)
{
    char *text = document_end(json_of_runs(runs, count), JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    if (!text)
        return -ENOMEM;
    int rc = fprintf(out, "%s\n", text) < 0 ? -errno : report_end(out);
    free(text);
    return rc;
}

const struct report_ops report_json = {
    .name = "json",
    .all = json_all,
};
