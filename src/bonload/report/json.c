// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/report/report.h"
#include "report/json_object.h"

static void put_seconds(json_t **object, const char *key, uint64_t nanoseconds)
{
    put_real(object, key, (double)nanoseconds / (double)BILLION);
}

static json_t *json_of_settings(const struct plan *p)
{
    static const char *const modes[] = {[MODE_RATE] = "rate",
                                        [MODE_THREADS] = "threads",
                                        [MODE_SEARCH] = "search",
                                        [MODE_SWEEP] = "sweep"};
    static const char *const paces[] = {[PACE_NONE] = "none",
                                        [PACE_CLOSED] = "threads",
                                        [PACE_RATE] = "rate",
                                        [PACE_FOLLOWS] = "follows"};
    const struct settings *s = p->settings;
    int64_t seed = (int64_t)p->seed;
    char text[LIMIT_SENTENCE];
    json_t *object = json_object();
    put_text(&object, "requests_engine", p->target->name);
    put_text(&object, "mode", modes[p->mode]);
    char *url = p->url ? strdup(p->url) : NULL;
    if (url)
        url_hide_signatures(url);
    put_fact(&object, "url", url);
    free(url);
    put_fact(&object, "url_source", p->url_source);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct kind_plan *k = &p->kinds[kind];
        json_t *load = json_object();
        put_text(&load, "pace", paces[k->pace]);
        put_real(&load, "per_second", (double)k->rate / (double)BILLION);
        PUT_COUNTS(&load, {"threads", k->threads}, {"channels", k->channels});
        put_value(&object, load_plurals[kind], load);
    }
    put_text(&object, "arrival", arrival_names[s->arrival]);
    put_real(&object, "rpw", (double)p->reads_per_write / (double)BILLION);
    put_known_count(&object, "max_requests", p->max_requests < UINT64_MAX ? p->max_requests : 0);
    put_seconds(&object, "duration_seconds", p->duration_ns);
    put_seconds(&object, "warmup_seconds", s->warmup_ns.value);
    if (p->curve.count > 0) {
        json_t *points = json_array(); /* the time of each in seconds, followed by the rate */
        for (size_t i = 0; i < p->curve.count; i++) {
            append_real(&points, (double)p->curve.points[i].at_ns / (double)BILLION);
            append_real(&points, p->curve.points[i].rate);
        }
        put_value(&object, "ramp", points);
    }
    if (p->mode == MODE_SEARCH) {
        put_text(&object, "max_latency_of", latency_limit_name(&s->limit).text);
        put_count(&object, "max_latency_ns", s->limit.nanoseconds);
        put_text(&object, "search", search_names[s->search]);
        put_seconds(&object, "window_seconds", s->window_ns.value);
    }
    put_real(&object, "max_errors_percent", p->max_errors);
    put_seconds(&object, "timeout_seconds", p->timeout_ns);
    put_fact(&object, "ops", s->ops);
    put_fact(&object, "body_file", s->body_file);
    bool is_made = !s->body_file; /* otherwise the body has the file's size */
    put_value(&object, "min_body_size_bytes",
              is_made ? json_integer((json_int_t)p->least_body) : json_null());
    put_value(&object, "max_body_size_bytes",
              is_made ? json_integer((json_int_t)p->most_body) : json_null());
    put_count(&object, "random_fair_buckets", p->fair_buckets);
    put_flag(&object, "direct", s->direct);
    put_flag(&object, "evict", s->evict);
    put_flag(&object, "fsync", s->fsync);
    put_known(&object, "s3_endpoint", s->s3_endpoint);
    put_fact(&object, "s3_bucket", s->s3_bucket);
    put_text(&object, "verify", verify_names[p->verify]);
    /* goader's may be any 64 bits: as a text, it is whole for those who read numbers as doubles */
    snprintf(text, sizeof text, "%" PRId64, seed);
    if (imaxabs(seed) <= (intmax_t)SEED_MAX)
        put_value(&object, "seed", json_integer(seed));
    else
        put_text(&object, "seed", text);
    return object;
}

static void append_count(json_t **array, uint64_t count)
{
    append_value(array, json_integer((json_int_t)count));
}

static json_t *json_of_latencies(const struct latencies *l, uint64_t count)
{
    json_t *object = json_object();
    put_count(&object, "count", count);
    put_latencies(&object, l);
    return object;
}

static void put_histogram(json_t **object, const char *key, const struct histogram *h)
{
    const struct latencies l = latencies_of(h);
    put_value(object, key, json_of_latencies(&l, h->count));
}

static json_t *json_of_reasons(const struct reasons_found *r, enum load_kind kind)
{
    json_t *array = json_array();
    for (size_t i = 0; i <= r->count; i++) { /* the last one is all others */
        const struct reason *of = i < r->count ? &r->list[i] : NULL;
        uint64_t count = !of ? r->others[kind] : of->kind == kind ? of->count : 0;
        if (count == 0)
            continue;
        json_t *one = json_object();
        put_text(&one, "what", of ? of->text : REASON_OTHERS);
        put_count(&one, "count", count);
        append_value(&array, one);
    }
    return array;
}

/* Appends a load of a kind: a rate, or a number of threads. */
static void put_amount(json_t **object, const char *what, const struct plan *p, enum load_kind kind,
                       double amount)
{
    bool is_rate = p->kinds[kind].pace == PACE_RATE;
    char key[32];
    snprintf(key, sizeof key, "%s_%s", what, is_rate ? "per_second" : "threads");
    put_real(object, key, amount);
}

static json_t *json_of_kind(const struct result *result, enum load_kind kind)
{
    const struct kind_result *k = &result->figures->kinds[kind];
    const struct tally *t = &k->tally;
    const struct kind_plan *plan = &result->plan->kinds[kind];
    const struct judgement *j = &result->backing.kinds[kind];
    const char *const *ops = result->plan->target->ops;
    bool is_judged = result->backing.is_judged[kind];
    uint64_t ended = tally_ended(t);
    char sentence[LIMIT_SENTENCE];
    json_t *object = json_object();
    json_t *slowest = json_array();
    json_t *buckets = json_array(); /* the middle of each in use, followed by its number */
    const struct histogram_range span =
        histogram_range(t->response.inverted_minimum, t->response.maximum);
    put_amount(&object, "load", result->plan, kind,
               plan->rate > 0 ? (double)plan->rate / (double)BILLION : plan->threads);
    PUT_COUNTS(&object, {"asked", k->due > ended ? k->due : ended}, {"made", t->response.count},
               {"errors", t->failed.count}, {"misses", t->misses}, {"bytes", t->bytes});
    put_real(&object, "elapsed_seconds", k->elapsed);
    put_real(&object, "made_per_second", result_good_rate(k));
    if (k->due > 0)
        put_real(&object, "asked_per_second", k->offered);
    PUT_COUNTS(&object, {"late", t->late}, {"staggered_ns", k->staggered_ns});
    put_histogram(&object, "latency_ns", &t->response);
    for (unsigned i = span.first; i < span.end; i++) {
        if (t->response.buckets[i] == 0)
            continue;
        append_count(&buckets, histogram_middle(i));
        append_count(&buckets, t->response.buckets[i]);
    }
    put_value(&object, "histogram", buckets);
    put_histogram(&object, "service_ns", tally_service(t));
    if (t->first_byte.count > 0)
        put_histogram(&object, "first_byte_ns", &t->first_byte);
    PUT_COUNTS(&object, {"connections", t->connections},
               {"connect_mean_ns", t->connections > 0 ? t->connect_ns / t->connections : 0},
               {"tls_mean_ns", t->connections > 0 ? t->tls_ns / t->connections : 0},
               {"failed_mean_ns", (uint64_t)histogram_mean(&t->failed)});
    limit_sentence(sentence, j, j);
    put_fact(&object, "limited_by", is_judged ? limit_names[j->by] : NULL);
    put_fact(&object, "reason", is_judged ? sentence : NULL);
    bool has_moved = is_judged && j->source != SOURCE_NONE && j->source != SOURCE_RESIDENT;
    put_known_real(&object, "device_percent", has_moved ? j->moved_percent : -1);
    put_direct(&object, &j->direct);
    put_value(&object, "failures", json_of_reasons(&result->figures->failures, kind));
    put_value(&object, "missed", json_of_reasons(&result->figures->misses, kind));
    for (unsigned i = 0; i < result->figures->slowest[kind].count; i++) {
        const struct slow_result *s = &result->figures->slowest[kind].list[i];
        json_t *one = json_object();
        put_count(&one, "latency_ns", s->response_ns);
        put_real(&one, "at_seconds", s->at_seconds);
        put_text(&one, "name", s->name);
        if (ops)
            put_text(&one, "operation", ops[s->op]);
        put_text(&one, "outcome", s->outcome);
        append_value(&slowest, one);
    }
    put_value(&object, "slowest", slowest);
    put_levels(&object, &result->levels[kind]);
    put_tail(&object, &result->tails[kind]);
    if (result->plan->mode == MODE_SEARCH && plan->pace != PACE_FOLLOWS) {
        put_text(&object, "found", found_names[k->answer.found]);
        put_amount(&object, "found", result->plan, kind, k->answer.load);
        put_text(&object, "found_reason", found_reasons[k->answer.why]);
    }
    return object;
}

static json_t *json_of_steps(const struct result *result)
{
    const struct plan *p = result->plan;
    json_t *array = json_array();
    for (const struct step *s = result->steps; s < result->steps + result->step_count; s++) {
        json_t *one = json_object();
        put_seconds(&one, "start_seconds", s->start_ns);
        put_seconds(&one, "seconds", s->elapsed_ns);
        put_flag(&one, "confirmation", s->is_confirmation);
        put_machine(&one, &s->machine);
        for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
            const struct step_kind *k = &s->kinds[kind];
            uint64_t made = k->requests - k->errors;
            if (!k->is_there)
                continue;
            json_t *object = json_object();
            put_amount(&object, "load", p, kind, k->load);
            PUT_REALS(&object, {"asked_per_second", k->offered}, {"made_per_second", k->achieved});
            PUT_COUNTS(&object, {"made", made}, {"errors", k->errors});
            put_value(&object, "latency_ns", json_of_latencies(&k->latencies, made));
            if (p->mode == MODE_SEARCH) {
                put_known_count(&object, "limited_ns", k->limited_ns);
                put_text(&object, "verdict", verdict_words[k->verdict].key);
            }
            put_value(&one, load_plurals[kind], object);
        }
        append_value(&array, one);
    }
    return array;
}

/* The slices with the latencies, or the heat: the index and the number of each bin in use. */
static json_t *json_of_slices(const struct series *s, bool has_heat)
{
    json_t *array = json_array();
    uint64_t begin_ns = 0;
    for (const struct slice *slice = s->slices; slice < s->slices + s->count; slice++) {
        json_t *one = json_object();
        put_seconds(&one, "seconds", slice->end_ns - begin_ns);
        for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
            const struct slice_kind *k = &slice->kinds[kind];
            json_t *object = json_object();
            PUT_COUNTS(&object, {"made", k->good}, {"errors", k->errors});
            if (!has_heat) {
                put_count(&object, "bytes", k->bytes);
                put_known_count(&object, "p50_ns", k->p50_ns); /* 0: nothing succeeded */
                put_known_count(&object, "p99_ns", k->p99_ns);
                put_known_count(&object, "max_ns", k->max_ns);
            } else {
                json_t *heat = json_array();
                for (unsigned bin = 0; bin < HEAT_BINS; bin++) {
                    if (k->heat[bin] == 0)
                        continue;
                    append_count(&heat, bin);
                    append_count(&heat, k->heat[bin]);
                }
                put_value(&object, "heat", heat);
            }
            put_value(&one, load_plurals[kind], object);
        }
        append_value(&array, one);
        begin_ns = slice->end_ns;
    }
    return array;
}

/* Appends what only a run of several ranks has. */
static void put_together(json_t **object, const struct joint_run *t)
{
    json_t *hosts = json_array();
    for (const struct host_result *h = t->hosts; h < t->hosts + t->ranks; h++) {
        double seconds = seconds_between(h->span.first_start, h->span.last_end);
        if (h->ranks == 0)
            continue;
        json_t *host = json_object();
        put_text(&host, "name", h->name);
        put_count(&host, "ranks", h->ranks);
        PUT_REALS(&host, {"elapsed_seconds", seconds}, {"cpu_seconds", h->cpu_seconds});
        for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
            const struct counts *k = &h->kinds[kind];
            json_t *one = json_object();
            PUT_COUNTS(&one, {"made", k->good}, {"errors", k->errors}, {"bytes", k->bytes},
                       {"latency_mean_ns", k->good > 0 ? k->good_ns / k->good : 0},
                       {"latency_max_ns", h->max_ns[kind]});
            put_real(&one, "made_per_second", seconds > 0 ? (double)k->good / seconds : 0);
            put_value(&host, load_plurals[kind], one);
        }
        append_value(&hosts, host);
    }
    put_count(object, "ranks", t->ranks);
    put_seconds(object, "start_spread_seconds", t->start_spread_ns);
    put_seconds(object, "clock_uncertainty_seconds", t->clock_uncertainty_ns);
    put_text(object, "slowest_host", together_slowest(t)->name);
    put_value(object, "hosts", hosts);
}

json_t *report_object(const struct result *result)
{
    const struct plan *p = result->plan;
    const struct figures *f = result->figures;
    const struct backing *b = result->backing.backing;
    const struct reading *spent = &result->backing.spent;
    const struct document d = {
        .format = "bonload",
        .label = p->settings->label,
        .start_time = result->start_time_ns / (int64_t)BILLION,
        .elapsed_seconds = seconds_between(f->start_ns, f->end_ns),
        .storage =
            b ? storage_json(&b->sources.mount, &b->sources.devices, &b->facts) : json_null(),
        .settings = json_of_settings(p),
    };
    json_t *object = document_begin(&d);
    json_t *device = b && spent->device.known ? json_object() : json_null();
    json_t *operations = json_array();
    json_t *timeline = json_object();
    json_t *edges = json_array();
    put_real(&object, "cpu_seconds", f->cpu_seconds);
    if (p->mode == MODE_SEARCH)
        put_text(&object, "figures_of", result->is_of_last_load ? "last load" : "whole search");
    put_flag(&object, "stopped", f->was_stopped);
    put_flag(&object, "bad_rate", f->is_bad_rate);
    put_flag(&object, "above", result->is_above);
    put_machine(&object, &f->machine);
    if (b && spent->device.known) {
        put_text(&device, "name", b->sources.devices.name);
        PUT_COUNTS(&device, {"read_bytes", spent->device.read_bytes},
                   {"written_bytes", spent->device.written_bytes});
        put_real(&device, "busy_percent", device_busy_percent(&spent->device, spent->ns));
    }
    put_value(&object, "device", device);
    PUT_COUNTS(&object, {"verified_bytes", f->checked_bytes}, {"damaged", f->damaged});
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        if (plan_has(p, kind))
            put_value(&object, load_plurals[kind], json_of_kind(result, kind));
    for (size_t i = 0; i < result->op_count; i++) {
        const struct tally *t = &f->ops[i];
        json_t *one = json_object();
        put_text(&one, "name", p->target->ops[i]);
        PUT_COUNTS(&one, {"made", t->response.count}, {"misses", t->misses},
                   {"errors", t->failed.count});
        put_histogram(&one, "latency_ns", &t->response);
        append_value(&operations, one);
    }
    put_value(&object, "operations", operations);
    put_value(&object, "steps", json_of_steps(result));
    put_value(&object, "intervals", json_of_slices(&result->series[INTERVALS], false));
    for (unsigned bin = 0; bin < HEAT_BINS; bin++)
        append_count(&edges, (uint64_t)heat_edge(bin));
    put_value(&timeline, "edges_ns", edges);
    put_value(&timeline, "slices", json_of_slices(&result->series[TIMELINE], true));
    put_value(&object, "timeline", timeline);
    if (result->together.ranks > 1)
        put_together(&object, &result->together);
    return object;
}

json_t *goader_object(const struct result *result)
{
    json_t *object = json_object();
    json_t *errors = json_array(); /* each only once */
    json_t *reports = json_array();
    if (result->figures->is_bad_rate)
        append_value(&errors, json_string("Could not sustain given rate"));
    for (size_t i = 0; i < result->figures->failures.count; i++)
        append_value(&errors, json_string(printable(result->figures->failures.list[i].text).text));
    if (result->figures->was_stopped)
        append_value(&reports, json_string("Stopped by user"));
    else if (result->is_exhausted)
        append_value(&reports, json_string("Maximum requests count"));
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct kind_result *k = &result->figures->kinds[kind];
        const struct histogram *h = &k->tally.response;
        uint64_t largest[TOP_TEN];
        char name[16];
        json_t *one = json_object();
        json_t *top_ten = json_array();
        json_t *percentiles = json_object();
        for (unsigned i = histogram_largest(h, largest, TOP_TEN); i-- > 0;)
            append_count(&top_ten, largest[i]);
        for (size_t i = 0; i < GOADER_PERCENTILES && h->count > 0; i++) {
            snprintf(name, sizeof name, "%.0f", goader_percentiles[i]);
            put_count(&percentiles, name, histogram_percentile(h, goader_percentiles[i]));
        }
        PUT_COUNTS(&one, {"Errors", k->tally.failed.count}, {"Done", tally_ended(&k->tally)},
                   {"AverageOps", (uint64_t)result_rate(k)},
                   {"AverageGoodOps", (uint64_t)result_good_rate(k)},
                   {"FinalSpeed", (uint64_t)k->answer.load},
                   {"AverageSpeed", (uint64_t)histogram_mean(h)});
        put_value(&one, "TopTen", top_ten);
        put_value(&one, "Percentiles", percentiles);
        put_count(&one, "StaggeredFor", k->staggered_ns);
        put_value(&object, load_titles[kind], one);
    }
    put_value(&object, "Errors", errors);
    put_value(&object, "Reports", reports);
    put_time(&object, "StartTime", result->start_time_ns / (int64_t)BILLION);
    return object;
}
