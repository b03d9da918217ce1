#include "bonnie/report/json_steady.h"

#include "bonnie/report/steady_text.h"
#include "report/json_object.h"

static json_t *one_round(const struct round *r, enum round_metric metric)
{
    json_t *object = json_object();
    put_real(&object, "seconds", (double)r->end_ns / 1e9);
    put_real(&object, "elapsed_seconds", (double)r->elapsed_ns / 1e9);
    put_count(&object, "ops", r->ops);
    put_count(&object, "bytes", r->bytes);
    put_count(&object, "mean_ns", r->mean_ns);
    put_count(&object, "p99_ns", r->p99_ns);
    put_real(&object, "figure", round_figure(r, metric));
    return object;
}

static json_t *all_rounds(const struct steady_result *s)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < s->count; i++)
        append_value(&array, one_round(&s->rounds[i], s->metric));
    return array;
}

/* The fit of the last window. Rounds are numbered from 1. */
static json_t *json_of_fit(const struct steady_result *s)
{
    json_t *object = json_object();
    put_count(&object, "first_round", s->count - STEADY_WINDOW + 1);
    put_count(&object, "rounds", STEADY_WINDOW);
    put_real(&object, "mean", s->fit.mean);
    put_real(&object, "range_percent", s->fit.range_percent);
    put_real(&object, "slope", s->fit.slope);
    put_real(&object, "slope_percent", s->fit.slope_percent);
    return object;
}

json_t *json_of_steady(const struct steady_result *s)
{
    char verdict[STEADY_TEXT];
    if (!s->wanted)
        return json_null();
    json_t *object = json_object();
    steady_text(verdict, s);
    put_flag(&object, "steady", s->is_steady);
    put_text(&object, "verdict", verdict);
    put_text(&object, "metric", round_metric_names[s->metric]);
    put_text(&object, "unit", round_unit(s->metric));
    put_real(&object, "round_seconds", (double)s->round_ns / 1e9);
    put_count(&object, "max_rounds", s->most_rounds);
    put_count(&object, "precondition", s->precondition);
    put_value(&object, "fit", json_of_fit(s));
    put_value(&object, "rounds", all_rounds(s));
    return object;
}
