#include "bonnie/report/json_test.h"

#include "bonnie/report/json_steady.h"
#include "report/json_object.h"

static json_t *json_of_latency(const struct latencies *l)
{
    json_t *object = json_object();
    put_latencies(&object, l);
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

static json_t *json_of_interval(const struct interval *i)
{
    json_t *object = json_object();
    put_real(&object, "seconds", (double)i->end_ns / 1e9);
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
        append_value(&array, json_of_interval(&t->intervals[i]));
    return array;
}

static json_t *all_corruption(const struct corruption_list *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; i++) {
        const struct corruption_entry *entry = &list->entries[i];
        json_t *object = json_object();
        put_count(&object, "file", entry->file);
        put_count(&object, "offset", entry->offset);
        put_text(&object, "kind", entry->kind);
        put_text(&object, "description", entry->description);
        append_value(&array, object);
    }
    return array;
}

static json_t *host_figures(const struct host_result *h, enum test_id test)
{
    const struct test_result figures = {.measured = true,
                                        .ops = h->ops,
                                        .bytes = h->bytes,
                                        .elapsed_ns = h->elapsed_ns,
                                        .cpu_ns = h->cpu_ns};
    json_t *object = json_object();
    put_text(&object, "name", h->name);
    put_count(&object, "ranks", h->ranks);
    put_count(&object, "ops", h->ops);
    put_count(&object, "bytes", h->bytes);
    put_real(&object, "elapsed_seconds", (double)h->elapsed_ns / 1e9);
    put_real(&object, "rate", test_result_rate(&figures, test));
    put_real(&object, "cpu_percent", test_result_cpu_percent(&figures));
    put_count(&object, "latency_mean_ns", h->ops > 0 ? h->latency_sum_ns / h->ops : 0);
    put_count(&object, "latency_max_ns", h->latency_max_ns);
    return object;
}

/* Appends what only a test of several ranks has. */
static void put_together(json_t **object, const struct together *t, enum test_id test)
{
    if (t->ranks < 2)
        return;
    json_t *hosts = json_array();
    for (size_t i = 0; i < t->host_count; i++)
        append_value(&hosts, host_figures(&t->hosts[i], test));
    put_count(object, "ranks", t->ranks);
    put_real(object, "start_spread_seconds", (double)t->start_spread_ns / 1e9);
    put_real(object, "clock_uncertainty_seconds", (double)t->clock_uncertainty_ns / 1e9);
    put_text(object, "slowest_host", together_slowest(t)->name);
    put_value(object, "hosts", hosts);
}

json_t *json_of_test(const struct test_result *t, enum test_id test, const char *device)
{
    char sentence[VERDICT_TEXT];
    json_t *object = json_object();
    put_text(&object, "name", test_name(test));
    put_count(&object, "workers", t->workers);
    put_text(&object, "engine", t->engine);
    put_count(&object, "iodepth", t->iodepth);
    put_flag(&object, "direct", t->direct);
    put_count(&object, "chunk_bytes", t->chunk_bytes);
    put_count(&object, "ops", t->ops);
    put_count(&object, "bytes", t->bytes);
    put_real(&object, "elapsed_seconds", (double)t->elapsed_ns / 1e9);
    put_real(&object, "rate", test_result_rate(t, test));
    put_text(&object, "rate_unit", test_rate_unit(test));
    put_real(&object, "cpu_percent", test_result_cpu_percent(t));
    put_value(&object, "latency_ns", json_of_latency(&t->latency_ns));
    put_value(&object, "device", device_use(&t->device, device));
    put_value(&object, "cache", cache_use(&t->cache));
    put_count(&object, "verified_bytes", t->verified_bytes);
    put_count(&object, "corrupted", t->corrupted);
    put_value(&object, "corruption", all_corruption(&t->corruption));
    put_text(&object, "limited_by", bottleneck_name(t->verdict.least.by));
    verdict_sentence(sentence, &t->verdict);
    put_text(&object, "verdict", sentence);
    if (t->waited_for_cpu_percent >= 0)
        put_real(&object, "waited_for_cpu_percent", t->waited_for_cpu_percent);
    else
        put_value(&object, "waited_for_cpu_percent", json_null());
    put_value(&object, "steady_state", json_of_steady(&t->steady));
    put_value(&object, "intervals", all_intervals(t));
    put_tail(&object, &t->tail);
    put_together(&object, &t->together, test);
    return object;
}
