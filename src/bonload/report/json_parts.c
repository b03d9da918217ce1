#include "bonload/report/json_parts.h"

#include "bonload/targets/target.h"
#include "report/json_latencies.h"
#include "report/json_object.h"
#include "sys/host.h"
#include "util/units.h"

json_t *json_of_latencies(const struct latencies *l, uint64_t count)
{
    json_t *object = json_object();
    put_count(&object, "count", count);
    put_latencies(&object, l);
    return object;
}

json_t *json_of_histogram(const struct histogram *h)
{
    const struct latencies l = latencies_of(h);
    return json_of_latencies(&l, h->count);
}

/* The middle of each bucket that is not empty, followed by its number of requests. */
json_t *json_of_buckets(const struct histogram *h)
{
    const struct histogram_span span = histogram_span(h->inverted_minimum, h->maximum);
    json_t *array = json_array();
    for (unsigned i = span.first; i < span.end; i++) {
        if (h->buckets[i] == 0)
            continue;
        append_value(&array, json_integer((json_int_t)histogram_middle(i)));
        append_value(&array, json_integer((json_int_t)h->buckets[i]));
    }
    return array;
}

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
        append_value(&array, json_real((double)c->points[i].at_ns / (double)BILLION));
        append_value(&array, json_real(c->points[i].rate));
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
    put_text(&object, "arrival", arrival_names[p->arrival]);
    put_real(&object, "reads_per_write", (double)p->reads_per_write / (double)BILLION);
    put_known_count(&object, "max_requests", p->max_requests < UINT64_MAX ? p->max_requests : 0);
    put_real(&object, "duration_seconds", (double)p->duration_ns / (double)BILLION);
    put_real(&object, "warmup_seconds", (double)p->warmup_ns / (double)BILLION);
    if (p->course.count > 0)
        put_value(&object, "course", json_of_course(&p->course));
    if (p->mode == MODE_SEARCH)
        put_limit(&object, p);
    put_real(&object, "timeout_seconds", (double)p->timeout_ns / (double)BILLION);
    put_fact(&object, "operations", p->settings->ops);
    put_fact(&object, "body_file", p->settings->body_file);
    put_fact(&object, "body_source", p->settings->body_source);
    put_size(&object, "least_body_bytes", p, p->least_body);
    put_size(&object, "most_body_bytes", p, p->most_body);
    put_count(&object, "fair_buckets", p->fair_buckets);
    put_flag(&object, "direct", p->direct);
    put_flag(&object, "evict", p->evict);
    put_flag(&object, "fsync", p->fsync);
    put_fact(&object, "endpoint", *p->settings->s3_endpoint ? p->settings->s3_endpoint : NULL);
    put_fact(&object, "bucket", p->settings->s3_bucket);
    put_text(&object, "verify", verify_names[p->verify]);
    put_value(&object, "seed", json_integer((json_int_t)p->seed)); /* may be negative */
    return object;
}

json_t *json_of_device(const struct backing_use *b)
{
    if (!b->is_watched)
        return json_null();
    json_t *object = json_object();
    put_fact(&object, "filesystem", b->filesystem);
    put_fact(&object, "mount_options", b->options);
    put_fact(&object, "name", b->device);
    if (b->use.known) {
        put_count(&object, "read_bytes", b->use.read_bytes);
        put_count(&object, "written_bytes", b->use.written_bytes);
        put_real(&object, "busy_percent", b->use.busy_percent);
    }
    return object;
}

void put_source(json_t **object, const struct backing_use *b, enum load_kind kind)
{
    bool is_known = backing_measured(b, kind) && b->kinds[kind].device_known;
    put_fact(object, "measured", backing_measured(b, kind));
    if (is_known)
        put_real(object, "device_percent", b->kinds[kind].moved_percent);
    else
        put_value(object, "device_percent", json_null());
}

static json_t *step_kind(const struct step_kind *k, bool is_search)
{
    json_t *object = json_object();
    put_real(&object, "load", k->load);
    put_real(&object, "offered_per_second", k->offered);
    put_real(&object, "achieved_per_second", k->achieved);
    put_count(&object, "errors", k->errors);
    put_value(&object, "latency_ns", json_of_latencies(&k->latencies, k->requests - k->errors));
    if (is_search) {
        put_count(&object, "limited_ns", k->limited_ns);
        put_text(&object, "verdict", verdict_names[k->verdict]);
    }
    return object;
}

json_t *json_of_steps(const struct result *result)
{
    json_t *array = json_array();
    bool is_search = result->plan->mode == MODE_SEARCH;
    for (size_t i = 0; i < result->steps->count; i++) {
        const struct step *s = &result->steps->list[i];
        json_t *one = json_object();
        put_real(&one, "start_seconds", (double)s->start_ns / (double)BILLION);
        put_real(&one, "seconds", (double)s->elapsed_ns / (double)BILLION);
        put_flag(&one, "confirmation", s->is_confirmation);
        if (s->kinds[LOAD_WRITE].is_there)
            put_value(&one, "writes", step_kind(&s->kinds[LOAD_WRITE], is_search));
        if (s->kinds[LOAD_READ].is_there)
            put_value(&one, "reads", step_kind(&s->kinds[LOAD_READ], is_search));
        append_value(&array, one);
    }
    return array;
}

static json_t *slice_kind(const struct slice_kind *k)
{
    json_t *object = json_object();
    put_count(&object, "ended", k->good + k->errors);
    put_count(&object, "errors", k->errors);
    put_count(&object, "bytes", k->bytes);
    put_count(&object, "p50_ns", k->p50_ns);
    put_count(&object, "p99_ns", k->p99_ns);
    put_count(&object, "max_ns", k->max_ns);
    return object;
}

static double json_seconds(const struct series *s, size_t i)
{
    uint64_t begin = i > 0 ? s->slices[i - 1].end_ns : 0;
    return (double)(s->slices[i].end_ns - begin) / (double)BILLION;
}

json_t *json_of_intervals(const struct series *s)
{
    json_t *array = json_array();
    for (size_t i = 0; i < s->count; i++) {
        json_t *one = json_object();
        put_real(&one, "seconds", json_seconds(s, i));
        put_value(&one, "writes", slice_kind(&s->slices[i].kinds[LOAD_WRITE]));
        put_value(&one, "reads", slice_kind(&s->slices[i].kinds[LOAD_READ]));
        append_value(&array, one);
    }
    return array;
}

/* Each bin that is not empty: its index, followed by its number of requests. */
static json_t *json_of_heat(const struct slice_kind *k)
{
    json_t *array = json_array();
    for (unsigned bin = 0; bin < HEAT_BINS; bin++) {
        if (k->heat[bin] == 0)
            continue;
        append_value(&array, json_integer(bin));
        append_value(&array, json_integer(k->heat[bin]));
    }
    return array;
}

static json_t *timeline_slice(const struct series *s, size_t i)
{
    static const char *const names[] = {[LOAD_WRITE] = "writes", [LOAD_READ] = "reads"};
    json_t *object = json_object();
    put_real(&object, "seconds", json_seconds(s, i));
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct slice_kind *k = &s->slices[i].kinds[kind];
        json_t *one = json_object();
        put_count(&one, "ended", k->good + k->errors);
        put_count(&one, "errors", k->errors);
        put_value(&one, "heat", json_of_heat(k));
        put_value(&object, names[kind], one);
    }
    return object;
}

json_t *json_of_timeline(const struct series *s)
{
    json_t *object = json_object();
    json_t *edges = json_array();
    json_t *slices = json_array();
    for (unsigned bin = 0; bin < HEAT_BINS; bin++)
        append_value(&edges, json_integer((json_int_t)heat_edge(bin)));
    for (size_t i = 0; i < s->count; i++)
        append_value(&slices, timeline_slice(s, i));
    put_value(&object, "edges_ns", edges);
    put_value(&object, "slices", slices);
    return object;
}

static json_t *host_kind(const struct host_kind *k, double seconds)
{
    json_t *object = json_object();
    put_count(&object, "requests", k->requests);
    put_count(&object, "errors", k->errors);
    put_count(&object, "bytes", k->bytes);
    put_real(&object, "achieved_per_second", seconds > 0 ? (double)k->requests / seconds : 0);
    put_count(&object, "latency_mean_ns", k->good > 0 ? k->latency_sum_ns / k->good : 0);
    put_count(&object, "latency_max_ns", k->latency_max_ns);
    return object;
}

static json_t *host_figures(const struct host_result *h)
{
    double seconds = (double)(h->span.last_end - h->span.first_start) / (double)BILLION;
    json_t *object = json_object();
    put_text(&object, "name", h->name);
    put_count(&object, "ranks", h->ranks);
    put_real(&object, "elapsed_seconds", seconds);
    put_real(&object, "cpu_seconds", h->cpu_seconds);
    put_value(&object, "writes", host_kind(&h->kinds[LOAD_WRITE], seconds));
    put_value(&object, "reads", host_kind(&h->kinds[LOAD_READ], seconds));
    return object;
}

void put_together(json_t **object, const struct together *t)
{
    if (t->ranks < 2)
        return;
    json_t *hosts = json_array();
    for (unsigned i = 0; i < t->ranks; i++)
        if (t->hosts[i].ranks > 0)
            append_value(&hosts, host_figures(&t->hosts[i]));
    put_count(object, "ranks", t->ranks);
    put_real(object, "start_spread_seconds", (double)t->start_spread_ns / (double)BILLION);
    put_real(object, "clock_uncertainty_seconds",
             (double)t->clock_uncertainty_ns / (double)BILLION);
    put_text(object, "slowest_host", together_slowest(t)->name);
    put_value(object, "hosts", hosts);
}
