#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "bonload/report/json_parts.h"
#include "bonload/report/report.h"
#include "bonload/targets/target.h"
#include "report/json_object.h"
#include "util/units.h"

/* share/bonload.schema.json describes this format; a change of either is one of the other. */
#define FORMAT_VERSION 1

/* A decimal fraction with this number of digits is printed as it was written. */
#define REAL_DIGITS 15

/* goader's keys, with its percentiles. */
static json_t *percentiles(const struct histogram *h)
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
    json_t *array = json_array();
    for (unsigned i = 0; i < k->slow_count; i++)
        append_value(&array, json_integer((json_int_t)k->slowest[i].response_ns));
    return array;
}

static json_t *goaders(const struct result *result, const struct kind_result *k)
{
    const struct histogram *h = &k->tally->response;
    json_t *object = json_object();
    double load = result->plan->mode == MODE_SEARCH ? k->found_load : k->load;
    put_count(&object, "Errors", k->total_errors);
    put_count(&object, "Done", k->total);
    put_count(&object, "AverageOps", (uint64_t)result_rate(k));
    put_count(&object, "AverageGoodOps", (uint64_t)result_good_rate(k));
    put_count(&object, "FinalSpeed", (uint64_t)load);
    put_count(&object, "AverageSpeed", (uint64_t)histogram_mean(h));
    put_value(&object, "TopTen", top_ten(k));
    put_value(&object, "Percentiles", percentiles(h));
    put_count(&object, "StaggeredFor", k->staggered_ns);
    return object;
}

static json_t *reasons(const struct reasons_found *r, enum load_kind kind)
{
    json_t *array = json_array();
    for (size_t i = 0; i < r->count; i++) {
        if (r->list[i].kind != kind)
            continue;
        json_t *one = json_object();
        put_text(&one, "what", r->list[i].text);
        put_count(&one, "count", r->list[i].count);
        append_value(&array, one);
    }
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

static json_t *slowest(const struct result *result, const struct kind_result *k)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < k->slow_count; i++)
        append_value(&array, slow_request(result, &k->slowest[i]));
    return array;
}

/* The rates of a kind, and what an open load adds. */
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
    put_value(&object, "service_ns",
              json_of_histogram(t->service.count > 0 ? &t->service : &t->response));
    if (t->first_byte.count > 0)
        put_value(&object, "first_byte_ns", json_of_histogram(&t->first_byte));
    put_count(&object, "connections", t->connections);
    put_count(&object, "connect_mean_ns", t->connections > 0 ? t->connect_ns / t->connections : 0);
    put_count(&object, "tls_mean_ns", t->connections > 0 ? t->tls_ns / t->connections : 0);
    put_count(&object, "failed_mean_ns", t->errors > 0 ? t->error_ns / t->errors : 0);
    put_value(&object, "failures", reasons(&result->failures, kind));
    put_value(&object, "missed", reasons(&result->misses, kind));
    put_value(&object, "slowest", slowest(result, k));
    if (result->plan->mode == MODE_SEARCH && k->pace != PACE_FOLLOWS) {
        put_text(&object, "found", found_names[k->found]);
        put_real(&object, "found_load", k->found_load);
    }
    return object;
}

static json_t *operations(const struct result *result)
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

/* Everything that goader does not have. */
static json_t *ours(const struct result *result)
{
    const struct plan *p = result->plan;
    json_t *object = json_object();
    put_count(&object, "format_version", FORMAT_VERSION);
    put_text(&object, "version", PACKAGE_VERSION);
    put_value(&object, "host", json_of_host());
    put_value(&object, "settings", json_of_settings(p));
    put_real(&object, "elapsed_seconds", result->elapsed);
    put_real(&object, "cpu_seconds", result->cpu_seconds);
    put_flag(&object, "stopped", result->was_stopped);
    put_flag(&object, "bad_rate", result->is_bad_rate);
    put_count(&object, "verified_bytes", result->checked_bytes);
    put_count(&object, "damaged", result->damaged);
    if (plan_has(p, LOAD_WRITE))
        put_value(&object, "writes", kind_details(result, LOAD_WRITE));
    if (plan_has(p, LOAD_READ))
        put_value(&object, "reads", kind_details(result, LOAD_READ));
    put_value(&object, "operations", operations(result));
    put_value(&object, "steps", json_of_steps(result));
    put_value(&object, "intervals", json_of_intervals(result->intervals));
    put_value(&object, "timeline", json_of_timeline(result->timeline));
    put_together(&object, &result->together);
    return object;
}

/* goader's list of distinct errors. */
static json_t *all_failures(const struct result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->failures.count; i++)
        append_value(&array, json_string(result->failures.list[i].text));
    return array;
}

int report_json(const struct result *result, char **text, struct err *e)
{
    json_t *object = json_object();
    put_value(&object, "Writes", goaders(result, &result->kinds[LOAD_WRITE]));
    put_value(&object, "Reads", goaders(result, &result->kinds[LOAD_READ]));
    put_value(&object, "Errors", all_failures(result));
    put_value(&object, "Reports", json_array());
    put_time(&object, "StartTime", result->start_time_ns / (int64_t)BILLION);
    put_value(&object, "bonload", ours(result));
    *text = json_text(object, JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS));
    json_decref(object);
    return *text ? 0 : err_system(e, ENOMEM, "memory for the report");
}
