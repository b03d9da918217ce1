// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/report/figures.h"
#include "bonnie/reports.h"
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

/* The rounds of a test, their fit and whether they are steady; null: it did not have to be. */
static json_t *json_of_steady(const struct steady_result *s)
{
    struct label_text reason = {""};
    const double unit = s->metric == ROUND_BANDWIDTH ? KIB : 1; /* of the fit */
    if (!s->wanted)
        return json_null();
    json_t *object = json_object();
    json_t *fit = json_object(); /* of the last window; rounds are numbered from 1 */
    json_t *rounds = json_array();
    PUT_COUNTS(&fit, {"first_round", s->count - STEADY_WINDOW + 1}, {"rounds", STEADY_WINDOW});
    PUT_REALS(&fit, {"mean", s->fit.mean * unit}, {"range_percent", s->fit.range_percent},
              {"slope", s->fit.slope * unit}, {"slope_percent", s->fit.slope_percent});
    for (unsigned i = 0; i < s->count; i++) {
        const struct round *r = &s->rounds[i];
        json_t *round = json_object();
        PUT_REALS(&round, {"seconds", (double)r->end_ns / 1e9},
                  {"elapsed_seconds", (double)r->elapsed_ns / 1e9});
        PUT_COUNTS(&round, {"ops", r->ops}, {"bytes", r->bytes});
        put_rates(&round, r->bytes, r->ops, r->elapsed_ns);
        put_count(&round, "mean_ns", r->mean_ns);
        put_known_count(&round, "p99_ns", percentile_is_known(r->ops, 99) ? r->p99_ns : 0);
        append_value(&rounds, round);
    }
    steady_words(&reason, s);
    put_flag(&object, "steady", s->is_steady);
    put_text(&object, "reason", reason.text);
    put_text(&object, "metric", round_metric_names[s->metric]);
    put_real(&object, "round_seconds", (double)s->round_ns / 1e9);
    PUT_COUNTS(&object, {"max_rounds", s->most_rounds}, {"precondition", s->precondition});
    put_value(&object, "fit", fit);
    put_value(&object, "rounds", rounds);
    return object;
}

/* What the devices did meanwhile, and which sources counted the bytes of the storage. */
static void put_storage_use(json_t **object, const struct result *r, const struct test_result *t)
{
    static const struct {
        const char *by, *bytes;
    } keys[WAYS] = {{"read_by", "read_bytes"}, {"written_by", "written_bytes"}};
    const struct device_counters *d = &t->device;
    const struct cache_use *c = &t->cache;
    const uint64_t of_device[WAYS] = {d->read_bytes, d->written_bytes};
    json_t *device = json_null();
    json_t *evidence = json_object();
    json_t *cache = json_null();
    if (d->known) {
        device = json_object();
        put_text(&device, "name", r->storage->sources.devices.name);
        PUT_COUNTS(&device, {"read_bytes", d->read_bytes}, {"written_bytes", d->written_bytes},
                   {"read_ops", d->read_ops}, {"write_ops", d->write_ops});
        put_real(&device, "busy_percent", device_busy_percent(d, t->elapsed_ns));
    }
    for (enum way way = 0; way < WAYS; way++) {
        enum source by = t->moved.by[way];
        bool is_device = by == SOURCE_DEVICE || by == SOURCE_BELOW;
        if (is_device && !d->known)
            by = SOURCE_NONE;
        put_fact(&evidence, keys[way].by, source_rows[by].name);
        if (by == SOURCE_NONE)
            put_value(&evidence, keys[way].bytes, json_null());
        else
            put_count(&evidence, keys[way].bytes, is_device ? of_device[way] : t->moved.bytes[way]);
    }
    if (c->known) {
        cache = json_object();
        PUT_REALS(&cache, {"resident_percent_before", c->resident_percent_before},
                  {"resident_percent_after", c->resident_percent_after});
        put_flag(&cache, "system_dropped", c->system_dropped);
    }
    put_value(object, "device", device);
    put_value(object, "evidence", evidence);
    put_value(object, "cache", cache);
}

/* Appends what only a test of several ranks has. */
static void put_together(json_t **object, const struct joint_test *t)
{
    if (t->ranks < 2)
        return;
    json_t *hosts = json_array();
    for (size_t i = 0; i < t->host_count; i++) {
        const struct host_result *h = &t->hosts[i];
        const struct test_result figures = {
            .measured = true, .elapsed_ns = h->elapsed_ns, .cpu_ns = h->cpu_ns};
        json_t *host = json_object();
        put_text(&host, "name", h->name);
        PUT_COUNTS(&host, {"ranks", h->ranks}, {"ops", h->ops}, {"bytes", h->bytes});
        put_real(&host, "elapsed_seconds", (double)h->elapsed_ns / 1e9);
        put_rates(&host, h->bytes, h->ops, h->elapsed_ns);
        put_real(&host, "cpu_percent", test_result_cpu_percent(&figures));
        PUT_COUNTS(&host, {"latency_mean_ns", h->ops > 0 ? h->latency_sum_ns / h->ops : 0},
                   {"latency_max_ns", h->latency_max_ns});
        append_value(&hosts, host);
    }
    put_count(object, "ranks", t->ranks);
    PUT_REALS(object, {"start_spread_seconds", (double)t->start_spread_ns / 1e9},
              {"clock_uncertainty_seconds", (double)t->clock_uncertainty_ns / 1e9});
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
    char sentence[LIMIT_SENTENCE];
    json_t *object = json_object();
    json_t *latency = json_object();
    json_t *damage = json_array();
    json_t *intervals = json_array();
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
    PUT_COUNTS(&object, {"chunk_bytes", t->chunk_bytes}, {"ops", t->ops}, {"bytes", t->bytes});
    put_real(&object, "elapsed_seconds", (double)t->elapsed_ns / 1e9);
    put_rates(&object, t->bytes, t->ops, t->elapsed_ns);
    put_real(&object, "cpu_percent", test_result_cpu_percent(t));
    put_latencies(&latency, &t->latency_ns);
    put_value(&object, "latency_ns", latency);
    put_storage_use(&object, r, t);
    PUT_COUNTS(&object, {"verified_bytes", t->verified_bytes}, {"damaged", t->corrupted});
    for (size_t i = 0; i < t->corruption.count; i++) {
        const struct corruption_entry *entry = &t->corruption.entries[i];
        json_t *one = json_object();
        PUT_COUNTS(&one, {"file", entry->file}, {"offset_bytes", entry->offset});
        put_text(&one, "kind", entry->kind);
        put_text(&one, "description", entry->description);
        append_value(&damage, one);
    }
    put_value(&object, "damage", damage);
    const struct judgement *j = &t->verdict.least;
    limit_sentence(sentence, j, j);
    put_text(&object, "limited_by", limit_names[j->by]);
    put_text(&object, "reason", sentence);
    put_others(&object, &j->others);
    put_count(&object, "queue_asked", (uint64_t)t->workers * t->iodepth);
    put_known_real(&object, "queue_seen", j->device_known ? j->in_flight : -1);
    put_value(&object, "steady_state", json_of_steady(&t->steady));
    put_levels(&object, &t->levels);
    for (size_t i = 0; i < t->interval_count; i++) {
        const struct interval *n = &t->intervals[i];
        json_t *one = json_object();
        put_real(&one, "seconds", (double)n->end_ns / 1e9);
        PUT_COUNTS(&one, {"ops", n->ops}, {"bytes", n->bytes});
        put_known_count(&one, "p50_ns", n->p50_ns);
        put_known_count(&one, "p99_ns", n->p99_ns);
        put_count(&one, "max_ns", n->max_ns);
        append_value(&intervals, one);
    }
    put_value(&object, "intervals", intervals);
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
    put_text(&object, "directory", p->directory);
    put_text(&object, "preset", p->preset);
    put_count(&object, "concurrency", result_workers(r));
    if (r->ranks > 1)
        put_count(&object, "shift", r->shift);
    if (p->is_device) {
        put_flag(&object, "write", !p->reads_only);
        put_count(&object, "offset_bytes", p->offset_bytes);
    }
    put_flag(&object, "direct", p->direct);
    put_flag(&object, "sync", p->sync);
    put_count(&object, "seed", p->seed);
    put_text(&object, "data", p->contents_name);
    put_text(&object, "verify", verify_names[p->verify]);
    put_text(&object, "cache", cache_names[p->cache]);
    put_real(&object, "min_time_seconds", (double)p->min_time_ns / 1e9);
    PUT_COUNTS(&object, {"size_bytes", p->data.bytes}, {"chunk_bytes", p->data.chunk_bytes},
               {"seeks", p->data.seeks}, {"seekers", p->data.seekers});
    put_text(&object, "engine", p->engine.ops->name);
    PUT_COUNTS(&object, {"iodepth", p->engine.depth}, {"iops_block_bytes", p->iops.block_bytes},
               {"iops_writes_percent", p->iops.write_percent});
    PUT_REALS(&object, {"iops_duration_seconds", (double)p->iops.duration_ns / 1e9},
              {"iops_theta", p->iops.theta},
              {"sequential_test_seconds", (double)p->chunk_test_ns / 1e9},
              {"time_seconds", (double)p->time_ns / 1e9});
    put_count(&object, "files", p->files.count);
    put_text(&object, "file_kind", kinds[p->files.kind]);
    PUT_COUNTS(&object, {"file_max_bytes", p->files.max_bytes},
               {"file_min_bytes", p->files.min_bytes}, {"directories", p->files.directories_given},
               {"file_chunk_bytes", p->files.chunk_bytes});
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
        step = result_count_alike(&runs[i], count - i);
        if (index >= step)
            break; /* a signal ended the session in an earlier run of this row */
        const struct result *r = &runs[i + index];
        for (enum test_id test = 0; test < TEST_COUNT; test++)
            if (r->tests[test].measured)
                append_value(&tests, json_of_test(r, test));
        for (enum test_id test = 0; r->left_out[0] && test < TEST_COUNT; test++) {
            if (!r->plan->row->tests[test].id || r->tests[test].measured)
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

/* Summarises the tests of each row, or of all runs if there are no rows. */
static json_t *all_summaries(const struct result runs[], size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0, step; i < count; i += step) {
        step = result_count_alike(&runs[i], count - i);
        for (enum test_id test = 0; test < TEST_COUNT; test++) {
            bool counts = test_counts_operations(test);
            const double unit = counts ? 1 : KIB;
            struct summary s;
            if (result_summarise(&s, &runs[i], step, test) != 0)
                append_value(&array, NULL);
            else if (s.runs > 0) {
                json_t *one = json_object();
                json_t *rate = json_object();
                json_t *interval = json_array();
                append_real(&interval, s.ci95[0] * unit);
                append_real(&interval, s.ci95[1] * unit);
                PUT_REALS(&rate, {"median", s.median * unit}, {"min", s.min * unit},
                          {"max", s.max * unit}, {"stddev", s.stddev * unit});
                put_value(&rate, "ci95", interval);
                put_text(&one, "name", test_names[test]);
                if (runs[i].plan->row)
                    put_row(&one, runs[i].plan->row, test);
                put_count(&one, "runs", s.runs);
                put_value(&one, counts ? "ops_per_second" : "bytes_per_second", rate);
                append_value(&array, one);
            }
        }
    }
    return array;
}

/* Takes from the first run what all runs have in common. */
static int json_all(FILE *out, const struct result runs[], size_t count)
{
    const struct plan *p = runs[0].plan;
    const struct storage *s = runs[0].storage;
    size_t each = result_count_alike(runs, count); /* number of runs of each row */
    json_t *array = json_array();
    for (size_t i = 0; i < each; i++)
        append_value(&array, one_run(runs, count, i));
    json_t *object = document_begin(&(struct document){
        .format = "bonnie",
        .label = p->row ? p->session_label : p->label,
        .start_time = runs[0].start_time,
        .elapsed_seconds = (double)(runs[count - 1].ended_ns - runs[0].begun_ns) / 1e9,
        .host = p->host,
        .storage = storage_json(&s->sources.mount, &s->sources.devices, &s->facts),
        .settings = json_of_settings(&runs[0]),
    });
    if (runs[count - 1].ended_by)
        put_text(&object, "ended_by", runs[count - 1].ended_by);
    put_value(&object, "runs", array);
    put_value(&object, "summary", all_summaries(runs, count));
    char *text = document_end(object, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    if (!text)
        return -ENOMEM;
    int rc = fprintf(out, "%s\n", text) < 0 ? -errno : report_end(out);
    free(text);
    return rc;
}

const struct report_ops report_json = {.name = "json", .all = json_all};
