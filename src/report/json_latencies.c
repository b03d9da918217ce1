#include "report/json_latencies.h"

#include "report/json_object.h"

void put_latencies(json_t **object, const struct latencies *l)
{
    put_count(object, "min", l->min);
    put_count(object, "mean", l->mean);
    put_count(object, "p50", l->p50);
    put_count(object, "p90", l->p90);
    put_count(object, "p95", l->p95);
    put_count(object, "p99", l->p99);
    put_count(object, "p99_9", l->p99_9);
    put_count(object, "p99_99", l->p99_99);
    put_count(object, "max", l->max);
}
