#include "report/json_tail.h"

static json_t *shares(const struct tail_summary *s)
{
    json_t *object = json_object();
    for (enum tail_cause cause = 0; cause < CAUSE_COUNT; cause++)
        put_real(&object, tail_cause_name(cause), tail_summary_percent(s, cause));
    return object;
}

static json_t *all_records(const struct tail_summary *s)
{
    json_t *array = json_array();
    for (size_t i = 0; i < s->examined; i++) {
        const struct tail_record *r = &s->records[i];
        json_t *object = json_object();
        put_real(&object, "seconds", (double)r->start_ns / 1e9);
        put_count(&object, "latency_ns", r->latency_ns);
        put_count(&object, "offset", r->offset);
        put_text(&object, "kind", r->writes ? "write" : "read");
        put_text(&object, "cause", tail_cause_name(r->cause));
        append_value(&array, object);
    }
    return array;
}

void put_tail(json_t **object, const struct tail_summary *s)
{
    char words[TAIL_TEXT];
    if (!s->is_wanted)
        return;
    json_t *tail = json_object();
    tail_summary_words(words, s);
    put_text(&tail, "sentence", words);
    put_flag(&tail, "traced", s->is_traced);
    put_text(&tail, "note", s->note);
    put_count(&tail, "slowest", s->slowest);
    put_count(&tail, "examined", s->examined);
    put_count(&tail, "above_ns", s->above_ns);
    put_count(&tail, "lost_events", s->lost_events);
    put_count(&tail, "lost_ops", s->lost_ops);
    put_value(&tail, "percent", shares(s));
    put_value(&tail, "operations", all_records(s));
    put_value(object, "tail", tail);
}
