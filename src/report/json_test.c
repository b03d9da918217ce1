#include "report/json_test.h"

#include "report/json_object.h"

#define BILLION 1e9

static json_t *latency(const struct latencies *l)
{
    json_t *object = json_object();
    put_count(&object, "min", l->min);
    put_count(&object, "mean", l->mean);
    put_count(&object, "p50", l->p50);
    put_count(&object, "p90", l->p90);
    put_count(&object, "p95", l->p95);
    put_count(&object, "p99", l->p99);
    put_count(&object, "p99_9", l->p99_9);
    put_count(&object, "p99_99", l->p99_99);
    put_count(&object, "max", l->max);
    return object;
}

static json_t *device_use(const struct device_use *d, const char *name)
{
    if (!d->known)
        return json_null();
    json_t *object = json_object();
    put_text(&object, "name", name);
    put_count(&object, "read_bytes", d->read_bytes);
    put_count(&object, "written_bytes", d->written_bytes);
    put_count(&object, "read_ops", d->read_ops);
    put_count(&object, "write_ops", d->write_ops);
    put_real(&object, "busy_percent", d->busy_percent);
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

static json_t *interval(const struct interval *i)
{
    json_t *object = json_object();
    put_real(&object, "seconds", (double)i->end_ns / BILLION);
    put_count(&object, "ops", i->ops);
    put_count(&object, "bytes", i->bytes);
    put_count(&object, "p50_ns", i->p50_ns);
    put_count(&object, "p99_ns", i->p99_ns);
    put_count(&object, "max_ns", i->max_ns);
    return object;
}

static json_t *all_intervals(const struct test_result *t)
{
    json_t *array = json_array();
    for (size_t i = 0; i < t->interval_count; i++)
        append_value(&array, interval(&t->intervals[i]));
    return array;
}

json_t *json_of_test(const struct test_result *t, enum test_id test, const char *device)
{
    json_t *object = json_object();
    put_text(&object, "name", test_name(test));
    put_count(&object, "workers", t->workers);
    put_text(&object, "engine", t->engine);
    put_count(&object, "iodepth", t->iodepth);
    put_flag(&object, "direct", t->direct);
    put_count(&object, "chunk_bytes", t->chunk_bytes);
    put_count(&object, "ops", t->ops);
    put_count(&object, "bytes", t->bytes);
    put_real(&object, "elapsed_seconds", (double)t->elapsed_ns / BILLION);
    put_real(&object, "rate", test_result_rate(t, test));
    put_text(&object, "rate_unit", test_rate_unit(test));
    put_real(&object, "cpu_percent", test_result_cpu_percent(t));
    put_value(&object, "latency_ns", latency(&t->latency_ns));
    put_value(&object, "device", device_use(&t->device, device));
    put_value(&object, "cache", cache_use(&t->cache));
    put_count(&object, "verified_bytes", t->verified_bytes);
    put_text(&object, "limited_by", limit_name(t->verdict.by));
    put_text(&object, "verdict", t->verdict.sentence);
    put_value(&object, "intervals", all_intervals(t));
    return object;
}
