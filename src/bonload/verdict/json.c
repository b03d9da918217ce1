// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "bonload/verdict/verdict.h"
#include "report/json_object.h"

static json_t *json_of_durations(const struct duration_figures *f)
{
    json_t *object = json_object();
    put_text(&object, "name", f->name);
    put_count(&object, "count", f->count);
    put_count(&object, "p50_ns", f->times.p50);
    put_count(&object, "p99_ns", f->times.p99);
    put_count(&object, "max_ns", f->times.max);
    return object;
}

static json_t *judged_of(const struct judged_limit *j)
{
    json_t *object = json_object();
    put_text(&object, "what", j->limit->name);
    put_real(&object, "percentile", j->limit->percent);
    put_count(&object, "limit_ns", j->limit->nanoseconds);
    put_count(&object, "count", j->count);
    put_count(&object, "found_ns", j->found_ns);
    put_count(&object, "low_ns", j->low_ns);
    put_known_count(&object, "high_ns", j->high_ns == NO_UPPER_END ? 0 : j->high_ns);
    put_text(&object, "verdict", goodness_names[j->goodness]);
    put_flag(&object, "withheld", j->is_withheld);
    return object;
}

static json_t *load_of(const struct at_load *l)
{
    json_t *object = json_object();
    json_t *durations = json_array();
    json_t *judged = json_array();
    put_real(&object, "load_per_second", l->asked);
    put_count(&object, "clients", l->clients);
    put_real(&object, "offered_per_second", l->offered);
    put_real(&object, "achieved_per_second", l->achieved);
    put_count(&object, "requests", l->requests);
    put_machine(&object, &l->machine);
    append_value(&durations, json_of_durations(&l->response));
    if (l->sync.count > 0)
        append_value(&durations, json_of_durations(&l->sync));
    for (unsigned i = 0; i < PROFILE_WORKS; i++)
        if (l->works[i].count > 0)
            append_value(&durations, json_of_durations(&l->works[i]));
    for (size_t i = 0; i < l->judged_count; i++)
        append_value(&judged, judged_of(&l->judged[i]));
    put_value(&object, "durations", durations);
    put_value(&object, "judged", judged);
    return object;
}

static const char *const more_names[] = {
    [FOUND_LOAD] = "load",
    [FOUND_NONE] = "none",
    [FOUND_MOST] = "more than the limit",
    [FOUND_UNSURE] = "not finished",
};

static json_t *answer_of(const struct answer *a)
{
    json_t *object = json_object();
    json_t *loads = json_array();
    put_text(&object, "name", a->profile.name);
    put_text(&object, "program", a->profile.program);
    put_fact(&object, "source", a->profile.source);
    put_text(&object, "requests", a->profile.request);
    put_text(&object, "verdict", goodness_names[answer_goodness(a)]);
    for (size_t i = 0; i < a->load_count; i++)
        append_value(&loads, load_of(&a->loads[i]));
    put_value(&object, "loads", loads);
    if (a->is_more_sought) {
        put_text(&object, "search", more_names[a->more.found]);
        put_real(&object, "most_per_second", a->more.load);
        put_text(&object, "search_reason", found_reasons[a->more.why]);
    }
    return object;
}

int answers_put(json_t *report, const struct answer *list, size_t count, const char *directory,
                struct err *e)
{
    static const char *const durabilities[] = {[DURABILITY_OPEN] = "not ruled out",
                                               [DURABILITY_HIDDEN] = "not known",
                                               [DURABILITY_NONE] = "none"};
    json_t *object = json_object();
    json_t *profiles = json_array();
    put_text(&object, "directory", directory);
    put_text(&object, "durability", durabilities[list->durability.kind]);
    put_text(&object, "durability_of", list->durability.what);
    for (size_t i = 0; i < count; i++)
        append_value(&profiles, answer_of(&list[i]));
    put_value(&object, "profiles", profiles);
    if (object && json_object_set_new(json_object_get(report, "bonload"), "good_for", object) == 0)
        return 0;
    return err_system(e, ENOMEM, "allocate memory for the report");
}
