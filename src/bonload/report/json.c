#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "bonload/report/json_parts.h"
#include "bonload/report/report.h"
#include "bonload/targets/target.h"
#include "report/json_object.h"
#include "report/json_tail.h"
#include "util/units.h"

/* Version of the format that share/bonload.schema.json describes. Change both together. */
#define FORMAT_VERSION 1

/* Number of significant digits with which a number prints as the user wrote it. */
#define REAL_DIGITS 15

/* The keys of goader, with its percentiles. */
static json_t *json_of_percentiles(const struct histogram *h)
{
    static const double list[] = {30, 40, 50, 60, 70, 80, 90, 95, 99};
    json_t *object = json_object();
    char name[16];
    for (size_t i = 0; i < sizeof list / sizeof *list && h->count > 0; i++) {
        snprintf(name, sizeof name, "%.0f", list[i]);
        put_count(&object, name, histogram_percentile(h, list[i]));
    }
    return object;
}

static json_t *top_ten(const struct kind_result *k)
{
    uint64_t values[TOP_TEN];
    json_t *array = json_array();
    for (unsigned i = histogram_largest(&k->tally->response, values, TOP_TEN); i-- > 0;)
        append_value(&array, json_integer((json_int_t)values[i]));
    return array;
}

static json_t *put_goaders(const struct kind_result *k)
{
    const struct histogram *h = &k->tally->response;
    json_t *object = json_object();
    put_count(&object, "Errors", k->total_errors);
    put_count(&object, "Done", k->total);
    put_count(&object, "AverageOps", (uint64_t)result_rate(k));
    put_count(&object, "AverageGoodOps", (uint64_t)result_good_rate(k));
    put_count(&object, "FinalSpeed", (uint64_t)k->found_load);
    put_count(&object, "AverageSpeed", (uint64_t)histogram_mean(h));
    put_value(&object, "TopTen", top_ten(k));
    put_value(&object, "Percentiles", json_of_percentiles(h));
    put_count(&object, "StaggeredFor", k->staggered_ns);
    return object;
}

static void append_reason(json_t **array, const char *what, uint64_t count)
{
    json_t *one = json_object();
    put_text(&one, "what", what);
    put_count(&one, "count", count);
    append_value(array, one);
}

static json_t *json_of_reasons(const struct reasons_found *r, enum load_kind kind)
{
    json_t *array = json_array();
    for (size_t i = 0; i < r->count; i++)
        if (r->list[i].kind == kind)
            append_reason(&array, r->list[i].text, r->list[i].count);
    if (r->others[kind] > 0)
        append_reason(&array, REASON_OTHERS, r->others[kind]);
    return array;
}

static json_t *slow_request(const struct result *result, const struct slow_result *s)
{
    json_t *object = json_object();
    put_count(&object, "latency_ns", s->response_ns);
    put_real(&object, "at_seconds", s->at_seconds);
    put_text(&object, "name", s->name);
    if (result->plan->target->ops)
        put_text(&object, "operation", result->plan->target->ops[s->op]);
    put_text(&object, "outcome", s->outcome);
    return object;
}

static json_t *json_of_slowest(const struct result *result, const struct kind_result *k)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < k->slow_count; i++)
        append_value(&array, slow_request(result, &k->slowest[i]));
    return array;
}

/* Appends the rates of a kind, and what only requests with due times have. */
static void put_rates(json_t **object, const struct kind_result *k)
{
    put_count(object, "requests", k->total);
    put_count(object, "errors", k->total_errors);
    put_count(object, "misses", k->tally->misses);
    put_count(object, "bytes", k->tally->bytes);
    put_real(object, "elapsed_seconds", k->elapsed);
    put_real(object, "achieved_per_second", result_rate(k));
    if (k->pace == PACE_RATE && k->due > 0) {
        put_real(object, "offered_per_second", k->offered);
        put_count(object, "due", k->due);
    }
    put_count(object, "late", k->tally->late);
    put_count(object, "staggered_ns", k->staggered_ns);
}

static json_t *kind_details(const struct result *result, enum load_kind kind)
{
    const struct kind_result *k = &result->kinds[kind];
    const struct tally *t = k->tally;
    json_t *object = json_object();
    put_real(&object, "load", k->load);
    put_rates(&object, k);
    put_value(&object, "latency_ns", json_of_histogram(&t->response));
    put_value(&object, "histogram", json_of_buckets(&t->response));
    put_value(&object, "service_ns", json_of_histogram(tally_service(t)));
    if (t->first_byte.count > 0)
        put_value(&object, "first_byte_ns", json_of_histogram(&t->first_byte));
    put_count(&object, "connections", t->connections);
    put_count(&object, "connect_mean_ns", t->connections > 0 ? t->connect_ns / t->connections : 0);
    put_count(&object, "tls_mean_ns", t->connections > 0 ? t->tls_ns / t->connections : 0);
    put_count(&object, "failed_mean_ns", t->errors > 0 ? t->error_ns / t->errors : 0);
    put_source(&object, &result->backing, kind);
    put_value(&object, "failures", json_of_reasons(&result->failures, kind));
    put_value(&object, "missed", json_of_reasons(&result->misses, kind));
    put_value(&object, "slowest", json_of_slowest(result, k));
    put_tail(&object, &k->tail);
    if (result->plan->mode == MODE_SEARCH && k->pace != PACE_FOLLOWS) {
        put_text(&object, "found", found_names[k->found]);
        put_real(&object, "found_load", k->found_load);
    }
    return object;
}

static json_t *json_of_ops(const struct result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->op_count; i++) {
        const struct op_tally *t = result->ops[i].tally;
        json_t *one = json_object();
        put_text(&one, "name", result->ops[i].name);
        put_count(&one, "requests", t->response.count + t->errors);
        put_count(&one, "misses", t->misses);
        put_count(&one, "errors", t->errors);
        put_value(&one, "latency_ns", json_of_histogram(&t->response));
        append_value(&array, one);
    }
    return array;
}

/* Appends everything that goader's report does not have. */
static json_t *put_ours(const struct result *result)
{
    const struct plan *p = result->plan;
    json_t *object = json_object();
    put_count(&object, "format_version", FORMAT_VERSION);
    put_text(&object, "version", PACKAGE_VERSION);
    put_value(&object, "host", json_of_host());
    put_value(&object, "settings", json_of_settings(p));
    put_real(&object, "elapsed_seconds", result->elapsed);
    put_real(&object, "cpu_seconds", result->cpu_seconds);
    if (p->mode == MODE_SEARCH)
        put_text(&object, "figures_of", result->is_of_last_load ? "last load" : "whole search");
    put_flag(&object, "stopped", result->was_stopped);
    put_flag(&object, "bad_rate", result->is_bad_rate);
    put_flag(&object, "above", result->is_above);
    put_value(&object, "device", json_of_device(&result->backing));
    put_count(&object, "verified_bytes", result->checked_bytes);
    put_count(&object, "damaged", result->damaged);
    if (plan_has(p, LOAD_WRITE))
        put_value(&object, "writes", kind_details(result, LOAD_WRITE));
    if (plan_has(p, LOAD_READ))
        put_value(&object, "reads", kind_details(result, LOAD_READ));
    put_value(&object, "operations", json_of_ops(result));
    put_value(&object, "steps", json_of_steps(result));
    put_value(&object, "intervals", json_of_intervals(result->intervals));
    put_value(&object, "timeline", json_of_timeline(result->timeline));
    put_together(&object, &result->together);
    return object;
}

/* Why the run ended, in goader's words. */
static json_t *reports(const struct result *result)
{
    json_t *array = json_array();
    if (result->was_stopped)
        append_value(&array, json_string("Stopped by user"));
    else if (result->is_exhausted)
        append_value(&array, json_string("Maximum requests count"));
    return array;
}

/* The errors in goader's form, each only once. */
static json_t *all_failures(const struct result *result)
{
    json_t *array = json_array();
    if (result->is_bad_rate)
        append_value(&array, json_string("Could not sustain given rate"));
    for (size_t i = 0; i < result->failures.count; i++)
        append_value(&array, json_string(result->failures.list[i].text));
    return array;
}

json_t *report_object(const struct result *result)
{
    json_t *object = json_object();
    put_value(&object, "Writes", put_goaders(&result->kinds[LOAD_WRITE]));
    put_value(&object, "Reads", put_goaders(&result->kinds[LOAD_READ]));
    put_value(&object, "Errors", all_failures(result));
    put_value(&object, "Reports", reports(result));
    put_time(&object, "StartTime", result->start_time_ns / (int64_t)BILLION);
    put_value(&object, "bonload", put_ours(result));
    return object;
}

int report_json(const json_t *object, char **text, struct err *e)
{
    *text = json_text(object, JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS));
    return *text ? 0 : err_system(e, ENOMEM, "memory for the report");
}
