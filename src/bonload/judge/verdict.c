// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/judge/verdict.h"

#include <math.h>

#include "report/json_object.h"

#define TAIL       .05             /* probability that the percentile lies beyond one end */
#define LEAST_MADE .99             /* of the requests that came due */
#define STALL_NS   (BILLION / 100) /* stalls that are always assumed, as in a search */

static const struct {
    const char *name;
    const char *key; /* in JSON */
} goodness_words[] = {
    [GOODNESS_NONE] = {"no limit is published", NULL},
    [GOODNESS_GOOD] = {"good", "good"},
    [GOODNESS_UNKNOWN] = {"not known", "not_known"},
    [GOODNESS_BAD] = {"not good", "not_good"},
};

/* Of n values, the number K above the percentile is binomially distributed. The percentile is above
 * the value of rank r + 1 only if K <= r, and below that of rank r only if K >= r. */
void interval_ranks(uint64_t n, double percent, uint64_t *upper, uint64_t *lower)
{
    double share = 1 - percent / 100;
    double all = (double)n;
    double below = 0; /* P(K < k) */
    *upper = 0;
    *lower = 0;
    for (uint64_t k = 0; k <= n; k++) {
        double some = (double)k;
        if (below >= 1 - TAIL) {
            *lower = k;
            break;
        }
        below += exp(lgamma(all + 1) - lgamma(some + 1) - lgamma(all - some + 1) +
                     some * log(share) + (all - some) * log1p(-share));
        if (below <= TAIL)
            *upper = k + 1;
    }
}

/* The value with the same share of longer ones as a rank of n, counted from 1 for the longest. */
static uint64_t value_of_rank(const struct histogram *h, uint64_t rank, uint64_t n)
{
    if (rank <= 1)
        return h->maximum;
    return histogram_at_rank(h, h->count - h->count * (rank - 1) / n);
}

struct judged_limit verdict_on(const struct gauge *g, const struct profile_limit *limit,
                               bool is_load_made, bool is_busy)
{
    const struct histogram *h = &g->durations;
    struct judged_limit j = {.limit = limit,
                             .count = h->count,
                             .high_ns = NO_UPPER_END,
                             .outlasts_load = g->outlasts_load,
                             .goodness = GOODNESS_UNKNOWN};
    if (j.count == 0)
        return j;
    j.found_ns = j.low_ns = j.high_ns = h->maximum;
    if (limit->percent < 100) {
        struct sequential_test test;
        const struct sequential_test_rules rules = {
            .limit = {.of = LIMIT_PERCENTILE,
                      .percent = limit->percent,
                      .nanoseconds = limit->nanoseconds},
            .alpha = 2 * TAIL,
            .stall_ns = STALL_NS,
            .most_ns = GAUGE_SLICES * GAUGE_SLICE_NS,
        };
        uint64_t upper;
        uint64_t lower;
        sequential_test_begin(&test, &rules);
        for (const struct gauge_slice *s = g->slices; s < g->slices + g->used; s++) {
            const struct counts ended = {.good = s->count, .above = s->above};
            sequential_test_feed(&test, &ended, GAUGE_SLICE_NS, false);
        }
        uint64_t n = (uint64_t)((double)j.count / sequential_test_design_effect(&test));
        n = n > 0 ? n : 1;
        interval_ranks(n, limit->percent, &upper, &lower);
        j.found_ns = histogram_percentile(h, limit->percent);
        j.low_ns = lower > 0 ? value_of_rank(h, lower, n) : 0;
        j.high_ns = upper > 0 ? value_of_rank(h, upper, n) : NO_UPPER_END;
    }
    if (j.outlasts_load && j.high_ns < h->maximum)
        j.high_ns = h->maximum;
    j.is_withheld = j.low_ns >= limit->nanoseconds && is_busy;
    if (j.low_ns >= limit->nanoseconds && !is_busy)
        j.goodness = GOODNESS_BAD;
    else if (j.high_ns < limit->nanoseconds && is_load_made)
        j.goodness = GOODNESS_GOOD;
    return j;
}

bool at_load_is_made(const struct at_load *l)
{
    return l->achieved >= LEAST_MADE * l->offered;
}

/* The judgement that decides, and its load: one with the worst verdict and, of several, one that
 * only others excuse, and then that nearest to its limit, or furthest above. NULL: none. */
static const struct judged_limit *answer_decider(const struct answer *a,
                                                 const struct at_load **load)
{
    const struct judged_limit *decider = NULL;
    double nearest = 0;
    *load = NULL;
    for (size_t i = 0; i < a->load_count; i++) {
        for (size_t k = 0; k < a->loads[i].judged_count; k++) {
            const struct judged_limit *j = &a->loads[i].judged[k];
            double nearness = (double)j->found_ns / (double)j->limit->nanoseconds;
            bool is_as_bad = decider && j->goodness == decider->goodness;
            if (decider && j->goodness < decider->goodness)
                continue;
            if (is_as_bad && j->is_withheld <= decider->is_withheld &&
                (j->is_withheld < decider->is_withheld || nearness <= nearest))
                continue;
            decider = j;
            nearest = nearness;
            *load = &a->loads[i];
        }
    }
    return decider;
}

bool answer_is_certain(const struct answer *a)
{
    return a->profile.limits[0].name && a->durability.kind == DURABILITY_NONE;
}

enum goodness answer_goodness(const struct answer *a)
{
    const struct at_load *load;
    const struct judged_limit *j = answer_decider(a, &load);
    if (answer_is_certain(a))
        return GOODNESS_BAD;
    if (j)
        return j->goodness;
    return a->profile.limits[0].name ? GOODNESS_UNKNOWN : GOODNESS_NONE;
}

#define NOTHING_SURVIVES "nothing written here survives a crash (%s)."

/* "p99", or "max" for 100. */
static struct label_text percentile_words(double percent)
{
    struct label_text w = {"max"};
    if (percent < 100)
        snprintf(w.text, sizeof w.text, "p%.6g", percent);
    return w;
}

/* The load that was achieved: "8 clients", "500 writes/s", "161 of 500 writes/s" (161 of 500/s). */
static struct label_text load_words(const struct answer *a, const struct at_load *l, bool in_table)
{
    struct label_text w = {""};
    const struct units_text made = units_scaled(l->achieved, UNITS_COUNT);
    if (l->asked <= 0)
        label_add(&w, "%u client%s", l->clients, l->clients == 1 ? "" : "s");
    else if (at_load_is_made(l))
        label_add(&w, "%.6g %.32s/s", l->asked, a->profile.request);
    else
        label_add(&w, "%.12s of %.6g%s%.32s/s", made.text, l->asked, in_table ? "" : " ",
                  in_table ? "" : a->profile.request);
    return w;
}

/* "2.67 ms to 9.10 ms", "2.67 ms or more", "up to 9.10 ms", or "-" where no end is known. */
static struct label_text interval_words(const struct judged_limit *j)
{
    uint64_t limit_ns = j->limit->nanoseconds;
    bool has_high = j->high_ns != NO_UPPER_END;
    struct label_text w = {""};
    if (j->limit->percent >= 100 || j->count == 0)
        return w;
    if (j->low_ns > 0)
        label_add(&w, "%s %s", units_time_beside(j->low_ns, limit_ns).text,
                  has_high ? "to " : "or more");
    else
        label_add(&w, "%s", has_high ? "up to " : "-");
    label_add(&w, "%s", has_high ? units_time_beside(j->high_ns, limit_ns).text : "");
    return w;
}

/* The verdict, what decides it, and what the search for a higher load has found. */
static struct label_text sentence_of(const struct answer *a)
{
    struct label_text s = {""};
    const struct at_load *l;
    const struct judged_limit *j = answer_decider(a, &l);
    const struct durability *d = &a->durability;
    enum goodness goodness = answer_goodness(a);
    bool is_certain = answer_is_certain(a);
    if (d->kind == DURABILITY_NONE && !is_certain)
        label_add(&s, "%s: " NOTHING_SURVIVES " ", a->profile.name, d->what);
    label_add(&s, "%s: %s", a->profile.name, goodness_words[goodness].name);
    if (is_certain) {
        label_add(&s, ": " NOTHING_SURVIVES, d->what);
    } else if (j) {
        label_add(&s, ": ");
        const double share = j->limit->percent / 100;
        const uint64_t needed = share < 1 ? (uint64_t)ceil(log(TAIL) / log(share)) : 1;
        bool is_unknown = j->goodness == GOODNESS_UNKNOWN && !j->is_withheld;
        bool is_seen = percentile_is_known(j->count, j->limit->percent);
        if (is_unknown && j->count < needed)
            label_add_seen(&s, j->count, j->limit->name, needed);
        else
            label_add(
                &s, "%s %s %s%s at %s, limit %s", j->limit->name,
                percentile_words(j->limit->percent).text, is_seen ? "" : "above ",
                units_time_beside(is_seen ? j->found_ns : j->low_ns, j->limit->nanoseconds).text,
                load_words(a, l, false).text, units_time(j->limit->nanoseconds).text);
        if (is_unknown && j->count >= needed)
            label_add(&s, "%s",
                      j->outlasts_load ? "; one that took longer had not ended when the load did"
                      : j->high_ns < j->limit->nanoseconds ? "; the load asked for was not made"
                                                           : "; the interval includes the limit");
        /* work beside the requests is judged over all loads, of which an earlier may be the busy */
        for (size_t i = 0; !others_are_busy(&l->machine) && i < a->load_count; i++)
            l = &a->loads[i];
        if (j->is_withheld)
            label_add(&s, "; the machine was %s", others_words(&l->machine).text);
    } else if (a->load_count > 0) {
        l = &a->loads[a->load_count - 1];
        const struct units_text made = units_scaled(l->achieved, UNITS_COUNT);
        label_add(&s, ": %s %s/s at %s, p99 %s", made.text, a->profile.request,
                  load_words(a, l, false).text, units_known_time(l->durations[0].times.p99).text);
        if (l->durations[1].count > 0)
            label_add(&s, ", %s p99 %s", l->durations[1].name,
                      units_known_time(l->durations[1].times.p99).text);
    }
    if (!is_certain)
        label_add(&s, ".");
    if (!is_certain && a->is_more_sought) {
        const struct profile_limit *sought = profile_sought_limit(&a->profile);
        const struct units_text load = units_scaled(a->more.load, UNITS_COUNT);
        const char *reason = found_reasons[a->more.why];
        if (a->more.found == FOUND_UNSURE && !*reason)
            reason = "the search was not finished";
        if (a->more.load <= 0) /* also after FOUND_UNSURE */
            label_add(&s, " No higher load was found to ");
        else
            label_add(&s, " %s %s/s ", a->more.found == FOUND_LOAD ? "Up to" : "At least",
                      load.text);
        if (j && j->limit->on == sought->on && j->limit->nanoseconds == sought->nanoseconds)
            label_add(&s, "stay below it");
        else
            label_add(&s, "keep %.40s %s below %s", sought->name,
                      percentile_words(sought->percent).text, units_time(sought->nanoseconds).text);
        label_add(&s, "%s%s.", *reason ? "; " : "", reason);
    }
    return s;
}

void answers_print(const struct answer *list, size_t count, FILE *out)
{
    for (const struct answer *a = list; a < list + count; a++) {
        print_wrapped(out, 0, sentence_of(a).text);
        if (a->durability.kind == DURABILITY_HIDDEN)
            fprintf(out, "Whether it survives a crash is not known: %s cannot be seen from here.\n",
                    a->durability.why);
    }
    for (const struct answer *a = list; a < list + count; a++) {
        /* what was judged at each load, beside its limits or, without any, what was measured */
        bool has_limits = a->profile.limits[0].name;
        if (answer_is_certain(a) || a->load_count == 0)
            continue;
        if (count > 1)
            fprintf(out, "\n%s", a->profile.name);
        if (has_limits)
            fprintf(out, "\n%-22s %9s %9s  %-20s at\n", "", "limit", "found", "between");
        else
            fprintf(out, "\n%-22s %9s %9s %9s %9s  at\n", "", "number", "p50", "p99", "max");
        for (const struct at_load *l = a->loads; l < a->loads + a->load_count; l++) {
            for (size_t i = 0; has_limits && i < l->judged_count; i++) {
                const struct judged_limit *j = &l->judged[i];
                uint64_t limit_ns = j->limit->nanoseconds;
                bool is_known = percentile_is_known(j->count, j->limit->percent);
                struct label_text name = {""};
                label_add(&name, "%.40s %.16s", j->limit->name,
                          percentile_words(j->limit->percent).text);
                fprintf(out, "%-22s %9s %9s  %-20s %s\n", name.text, units_time(limit_ns).text,
                        is_known ? units_time_beside(j->found_ns, limit_ns).text : "-",
                        interval_words(j).text, load_words(a, l, true).text);
            }
            for (const struct duration_figures *f = l->durations; f < l->durations + DURATIONS; f++)
                if (!has_limits && f->count > 0)
                    fprintf(out, "%-22s %9" PRIu64 " %9s %9s %9s  %s\n", f->name, f->count,
                            units_known_time(f->times.p50).text,
                            units_known_time(f->times.p99).text, units_time(f->times.max).text,
                            load_words(a, l, true).text);
            if (!has_limits && others_are_busy(&l->machine)) {
                struct label_text text = {""};
                label_add(&text, "The machine was %s.", others_words(&l->machine).text);
                label_print(out, "", &text);
            }
        }
    }
}

void answer_complain(const struct answer *a)
{
    if (answer_goodness(a) >= GOODNESS_UNKNOWN)
        message("%s", sentence_of(a).text);
}

#define LIST_INDENT 15

void profiles_print(FILE *out)
{
    for (const struct profile *const *listed = profile_table; *listed; listed++) {
        const struct profile *p = *listed;
        fprintf(out, "%-*s%s, %s\n", LIST_INDENT, p->name, p->program,
                units_scaled((double)profile_bytes(p), UNITS_BYTES).text);
        for (unsigned i = 0; i < PROFILE_LIMITS && p->limits[i].name; i++) {
            fprintf(out, "%*s%s %s below %s", LIST_INDENT, "", p->limits[i].name,
                    percentile_words(p->limits[i].percent).text,
                    units_time(p->limits[i].nanoseconds).text);
            for (unsigned k = 0; k < PROFILE_LOADS && p->loads[k] > 0; k++)
                fprintf(out, "%s %u", k > 0 ? " and" : " at", p->loads[k]);
            fprintf(out, " %s/s\n", p->request);
        }
        fprintf(out, "%*s", LIST_INDENT, "");
        print_wrapped(out, LIST_INDENT,
                      p->source ? p->source : "nothing is published to judge it by: figures alone");
    }
}

static json_t *load_of(const struct at_load *l)
{
    json_t *object = json_object();
    json_t *durations = json_array();
    json_t *judgements = json_array();
    put_real(&object, "load_per_second", l->asked);
    put_count(&object, "clients", l->clients);
    PUT_REALS(&object, {"asked_per_second", l->offered}, {"made_per_second", l->achieved});
    PUT_COUNTS(&object, {"made", l->durations[0].count},
               {"errors", l->requests - l->durations[0].count});
    put_machine(&object, &l->machine);
    for (const struct duration_figures *f = l->durations; f < l->durations + DURATIONS; f++) {
        if (f > l->durations && f->count == 0) /* requests are always listed */
            continue;
        json_t *one = json_object();
        put_text(&one, "name", f->name);
        put_count(&one, "count", f->count);
        put_known_count(&one, "p50_ns", f->times.p50);
        put_known_count(&one, "p99_ns", f->times.p99);
        put_count(&one, "max_ns", f->times.max);
        append_value(&durations, one);
    }
    for (const struct judged_limit *j = l->judged; j < l->judged + l->judged_count; j++) {
        json_t *judged = json_object();
        put_text(&judged, "what", j->limit->name);
        put_real(&judged, "percentile", j->limit->percent);
        PUT_COUNTS(&judged, {"limit_ns", j->limit->nanoseconds}, {"count", j->count});
        put_known_count(&judged, "found_ns",
                        percentile_is_known(j->count, j->limit->percent) ? j->found_ns : 0);
        put_count(&judged, "low_ns", j->low_ns);
        put_known_count(&judged, "high_ns", j->high_ns == NO_UPPER_END ? 0 : j->high_ns);
        put_fact(&judged, "verdict", goodness_words[j->goodness].key);
        put_flag(&judged, "others_busy", j->is_withheld);
        append_value(&judgements, judged);
    }
    put_value(&object, "durations", durations);
    put_value(&object, "judged", judgements);
    return object;
}

void answers_put(json_t **report, const struct answer *list, size_t count, const char *directory)
{
    const struct answer *worst = list;
    json_t *object = json_object();
    json_t *profiles = json_array();
    put_text(&object, "directory", directory);
    put_durability(&object, &list->durability);
    for (const struct answer *a = list; a < list + count; a++) {
        json_t *one = json_object();
        json_t *loads = json_array();
        put_text(&one, "name", a->profile.name);
        put_text(&one, "program", a->profile.program);
        put_fact(&one, "source", a->profile.source);
        put_text(&one, "requests", a->profile.request);
        put_fact(&one, "verdict", goodness_words[answer_goodness(a)].key);
        put_text(&one, "reason", sentence_of(a).text);
        for (size_t i = 0; i < a->load_count; i++)
            append_value(&loads, load_of(&a->loads[i]));
        put_value(&one, "loads", loads);
        if (a->is_more_sought) {
            put_text(&one, "found", found_names[a->more.found]);
            put_real(&one, "found_per_second", a->more.load);
            put_text(&one, "found_reason", found_reasons[a->more.why]);
        }
        append_value(&profiles, one);
        if (answer_goodness(a) > answer_goodness(worst))
            worst = a;
    }
    put_value(&object, "profiles", profiles);
    put_fact(report, "verdict", goodness_words[answer_goodness(worst)].key);
    put_text(report, "reason", sentence_of(worst).text);
    put_value(report, "good_for", object);
}
