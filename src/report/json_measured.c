// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/json_object.h"

/* What only programs that measure print: apart, because it needs most of measure/ and tail/. */

void put_latencies(json_t **object, const struct latencies *l)
{
    PUT_COUNTS(object, {"min", l->min}, {"mean", l->mean});
    put_known_count(object, "p50", l->p50);
    put_known_count(object, "p90", l->p90);
    put_known_count(object, "p95", l->p95);
    put_known_count(object, "p99", l->p99);
    put_known_count(object, "p99_9", l->p99_9);
    put_known_count(object, "p99_99", l->p99_99);
    put_count(object, "max", l->max);
}

void put_tail(json_t **object, const struct tail_summary *s)
{
    struct label_text words = {""};
    if (!s->is_wanted)
        return;
    json_t *tail = json_object();
    json_t *shares = json_object();
    json_t *operations = json_array();
    for (enum tail_cause cause = 0; cause < CAUSE_COUNT; cause++)
        put_real(&shares, tail_causes[cause].name,
                 s->examined > 0 ? 100 * (double)s->by_cause[cause] / (double)s->examined : 0);
    for (size_t i = 0; i < s->examined; i++) {
        const struct tail_record *r = &s->records[i];
        json_t *one = json_object();
        put_real(&one, "seconds", (double)r->start_ns / 1e9);
        PUT_COUNTS(&one, {"latency_ns", r->latency_ns}, {"offset_bytes", r->offset});
        put_text(&one, "kind", r->writes ? "write" : "read");
        put_text(&one, "cause", tail_causes[r->cause].name);
        append_value(&operations, one);
    }
    tail_summary_words(&words, s, "");
    put_text(&tail, "reason", words.text);
    put_flag(&tail, "traced", s->is_traced);
    put_text(&tail, "note", s->note);
    PUT_COUNTS(&tail, {"slowest", s->slowest}, {"examined", s->examined}, {"above_ns", s->above_ns},
               {"lost_events", s->lost_events}, {"lost_ops", s->lost_ops});
    put_value(&tail, "percent", shares);
    put_value(&tail, "operations", operations);
    put_value(object, "tail", tail);
}

void put_direct(json_t **object, const struct direct_use *use)
{
    static const char *const words[] = {
        [DIRECT_NOT_KNOWN] = "not_known", [DIRECT_NO] = "no", [DIRECT_YES] = "yes"};
    put_flag(object, "direct_asked", use->asked);
    put_fact(object, "direct_seen", use->asked ? words[use->seen] : NULL);
    put_fact(object, "direct_reason", use->asked && *use->reason ? use->reason : NULL);
}

void put_durability(json_t **object, const struct durability *d)
{
    static const char *const words[] = {[DURABILITY_OPEN] = "not_ruled_out",
                                        [DURABILITY_HIDDEN] = "not_known",
                                        [DURABILITY_NONE] = "not_durable"};
    put_text(object, "durability", words[d->kind]);
    put_known(object, "durability_of", d->what);
    put_fact(object, "durability_reason", d->why);
}

void put_levels(json_t **object, const struct levels *levels)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < levels->count; i++) {
        const struct level *l = &levels->list[i];
        json_t *one = json_object();
        json_t *interval = json_array();
        PUT_COUNTS(&one, {"from_bytes", l->from.bytes}, {"to_bytes", l->to.bytes});
        PUT_REALS(&one, {"from_seconds", (double)l->from.ns / 1e9},
                  {"to_seconds", (double)l->to.ns / 1e9}, {"bytes_per_second", l->rate});
        append_real(&interval, l->ci95[0]);
        append_real(&interval, l->ci95[1]);
        put_value(&one, "ci95", interval);
        put_fact(&one, "limited_by", l->limited_by);
        append_value(&array, one);
    }
    put_value(object, "levels", array);
}

void put_others(json_t **object, const struct others *o)
{
    put_known_real(object, "others_percent", o->used_percent);
    put_known_real(object, "others_device_percent", o->device_percent);
    put_known_real(object, "stolen_percent", o->stolen_percent);
    put_known_real(object, "waited_percent", o->waited_percent);
    put_known_real(object, "throttled_percent", o->throttled_percent);
}

void put_machine(json_t **object, const struct others *o)
{
    json_t *machine = json_object();
    put_flag(&machine, "busy", others_are_busy(o));
    put_text(&machine, "words", others_words(o).text);
    put_known_count(&machine, "cpus", o->cpus);
    put_known_real(&machine, "own_percent", o->own_percent);
    put_others(&machine, o);
    put_value(object, "machine", machine);
}
