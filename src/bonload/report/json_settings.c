#include "bonload/report/report.h"
#include "bonload/targets/target.h"
#include "report/json_object.h"
#include "sys/host.h"
#include "util/units.h"

json_t *json_of_host(void)
{
    struct host h;
    json_t *object = json_object();
    host_detect(&h);
    put_fact(&object, "name", h.name);
    put_fact(&object, "kernel", h.kernel[0] ? h.kernel : NULL);
    put_fact(&object, "c_library", h.c_library);
    put_fact(&object, "cpu_model", h.cpu_model[0] ? h.cpu_model : NULL);
    put_known_count(&object, "cpus", h.cpus);
    put_known_count(&object, "ram_bytes", h.ram_bytes);
    return object;
}

static void put_load(json_t **object, const char *key, const struct kind_plan *k)
{
    static const char *const paces[] = {[PACE_NONE] = "none",
                                        [PACE_CLOSED] = "threads",
                                        [PACE_RATE] = "rate",
                                        [PACE_FOLLOWS] = "follows"};
    json_t *load = json_object();
    put_text(&load, "pace", paces[k->pace]);
    put_real(&load, "per_second", (double)k->rate / (double)BILLION);
    put_count(&load, "threads", k->threads);
    put_count(&load, "channels", k->channels);
    put_value(object, key, load);
}

static void put_limit(json_t **object, const struct plan *p)
{
    char name[LIMIT_TEXT];
    json_t *limit = json_object();
    latency_limit_name(&p->limit, name);
    put_text(&limit, "of", name);
    put_count(&limit, "nanoseconds", p->limit.nanoseconds);
    put_text(&limit, "search", search_names[p->search]);
    put_count(&limit, "window_ns", p->window_ns);
    put_value(object, "limit", limit);
}

/* Each point of the course: the time in seconds, followed by the rate. */
static json_t *json_of_course(const struct course *c)
{
    json_t *array = json_array();
    for (size_t i = 0; i < c->count; i++) {
        append_real(&array, (double)c->points[i].at_ns / (double)BILLION);
        append_real(&array, c->points[i].rate);
    }
    return array;
}

/* Appends the size of bodies, unless the user gives bodies as files. */
static void put_size(json_t **object, const char *key, const struct plan *p, uint64_t bytes)
{
    if (p->settings->body_file || p->settings->body_source)
        put_value(object, key, json_null());
    else
        put_count(object, key, bytes);
}

json_t *json_of_settings(const struct plan *p)
{
    json_t *object = json_object();
    put_text(&object, "target", p->target->name);
    put_text(&object, "mode", mode_names[p->mode]);
    put_fact(&object, "url", p->url);
    put_fact(&object, "url_source", p->url_source);
    put_load(&object, "writes", &p->kinds[LOAD_WRITE]);
    put_load(&object, "reads", &p->kinds[LOAD_READ]);
    put_text(&object, "arrival", arrival_names[p->settings->arrival]);
    put_real(&object, "reads_per_write", (double)p->reads_per_write / (double)BILLION);
    put_known_count(&object, "max_requests", p->max_requests < UINT64_MAX ? p->max_requests : 0);
    put_real(&object, "duration_seconds", (double)p->duration_ns / (double)BILLION);
    put_real(&object, "warmup_seconds", (double)p->warmup_ns / (double)BILLION);
    if (p->course.count > 0)
        put_value(&object, "course", json_of_course(&p->course));
    if (p->mode == MODE_SEARCH)
        put_limit(&object, p);
    put_real(&object, "max_errors_percent", p->max_errors);
    put_real(&object, "timeout_seconds", (double)p->timeout_ns / (double)BILLION);
    put_fact(&object, "operations", p->settings->ops);
    put_fact(&object, "body_file", p->settings->body_file);
    put_fact(&object, "body_source", p->settings->body_source);
    put_size(&object, "least_body_bytes", p, p->least_body);
    put_size(&object, "most_body_bytes", p, p->most_body);
    put_count(&object, "fair_buckets", p->fair_buckets);
    put_flag(&object, "direct", p->settings->direct);
    put_flag(&object, "evict", p->settings->evict);
    put_flag(&object, "fsync", p->settings->fsync);
    put_fact(&object, "endpoint", *p->settings->s3_endpoint ? p->settings->s3_endpoint : NULL);
    put_fact(&object, "bucket", p->settings->s3_bucket);
    put_text(&object, "verify", verify_names[p->verify]);
    put_value(&object, "seed", json_integer((json_int_t)p->seed)); /* may be negative */
    return object;
}
