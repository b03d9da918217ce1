// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "bonload/verdict/verdict.h"
#include "util/units.h"

/* The argument is `what` of a struct durability. */
#define NOTHING_SURVIVES "nothing written here survives a crash (%s).\n"

/* A few words that are returned by value, so they can be an argument of printf(). */
struct words {
    char text[64];
};

/* "p99", or "longest" for 100. */
static struct words percentile_words(double percent)
{
    struct words w = {"longest"};
    if (percent < 100)
        snprintf(w.text, sizeof w.text, "p%.6g", percent);
    return w;
}

/* A rate per second, "0.5" or "2000000". */
static struct words rate_words(double rate)
{
    struct words w;
    snprintf(w.text, sizeof w.text, rate < 1e6 ? "%.6g" : "%.0f", rate);
    return w;
}

/* The load that was achieved: "500 writes/s", "161 of 500 writes/s" or "8 clients". */
static struct words load_words(const struct answer *a, const struct at_load *l)
{
    struct words w;
    if (l->asked <= 0)
        snprintf(w.text, sizeof w.text, "%u clients", l->clients);
    else if (at_load_is_made(l))
        snprintf(w.text, sizeof w.text, "%.20s %.32s/s", rate_words(l->asked).text,
                 a->profile.request);
    else
        snprintf(w.text, sizeof w.text, "%.12s of %.12s %.32s/s", rate_words(l->achieved).text,
                 rate_words(l->asked).text, a->profile.request);
    return w;
}

static struct machine_words {
    char text[BUSY_TEXT];
} machine_words(const struct at_load *l)
{
    struct machine_words w;
    busy_words(w.text, &l->machine);
    return w;
}

static void print_interval(const struct judged_limit *j, FILE *out)
{
    if (j->limit->percent >= 100)
        return;
    fprintf(out, " (%s ", units_time_beside(j->low_ns, j->limit->nanoseconds).text);
    if (j->high_ns == NO_UPPER_END)
        fputs("or more)", out);
    else
        fprintf(out, "to %s)", units_time_beside(j->high_ns, j->limit->nanoseconds).text);
}

/* Work beside the requests is judged over all loads, so an earlier one may have been disturbed. */
static const struct at_load *busy_load(const struct answer *a, const struct at_load *l)
{
    for (size_t i = 0; !busy_is(&l->machine) && i < a->load_count; i++)
        l = &a->loads[i];
    return l;
}

static void print_decider(const struct answer *a, const struct judged_limit *j,
                          const struct at_load *l, FILE *out)
{
    fprintf(out, " %s %s %s", j->limit->name, percentile_words(j->limit->percent).text,
            j->count > 0 ? units_time_beside(j->found_ns, j->limit->nanoseconds).text : "not seen");
    if (j->goodness != GOODNESS_GOOD && j->count > 0)
        print_interval(j, out);
    fprintf(out, " at %s (%s's limit: %s).", load_words(a, l).text, a->profile.name,
            units_time(j->limit->nanoseconds).text);
    if (j->outlasts_load)
        fputs(" One above it outlasted the load.", out);
    if (!at_load_is_made(l))
        fputs(" The load asked for was not made.", out);
    if (j->is_withheld)
        fprintf(out, " The machine was %s.", machine_words(busy_load(a, l)).text);
}

static void print_figures(const struct answer *a, FILE *out)
{
    const struct at_load *l = &a->loads[a->load_count - 1];
    if (l->asked <= 0)
        fprintf(out, " %.0f %s/s at", l->achieved, a->profile.request);
    fprintf(out, " %s, p99 %s", load_words(a, l).text, units_time(l->response.times.p99).text);
    if (l->sync.count > 0)
        fprintf(out, ", %s p99 %s", l->sync.name, units_time(l->sync.times.p99).text);
    fputs("; nothing is published to judge it by. One run does not compare two disks; bon_ab does.",
          out);
}

/*
 * Prints what the search has found. `decider` is the judgement that decides; if the search used
 * another limit, names that one.
 */
static void print_more(const struct answer *a, const struct judged_limit *decider, FILE *out)
{
    const struct profile_limit *sought = profile_sought_limit(&a->profile);
    if (a->more.load <= 0) /* also after FOUND_UNSURE */
        fputs(" No higher load was found to ", out);
    else if (a->more.found == FOUND_MOST)
        fprintf(out, " %.0f/s and more ", a->more.load);
    else
        fprintf(out, " %s %.0f/s ", a->more.found == FOUND_UNSURE ? "At least" : "Up to",
                a->more.load);
    if (decider && decider->limit->on == sought->on &&
        decider->limit->nanoseconds == sought->nanoseconds)
        fputs("stay below it", out);
    else
        fprintf(out, "keep %.40s %s below %s", sought->name, percentile_words(sought->percent).text,
                units_time(sought->nanoseconds).text);
    const char *reason = found_reasons[a->more.why];
    if (a->more.found == FOUND_UNSURE && !*reason)
        reason = "the search was not finished";
    fprintf(out, "%s%s.", *reason ? "; " : "", reason);
}

/* Prints a row of figures: the one that the program's makers use beside the one that is judged. */
static void print_row(const struct at_load *l, const struct duration_figures *f, uint32_t on,
                      FILE *out)
{
    if (f->count == 0)
        return;
    fprintf(out, "  %-18s %9" PRIu64 " %10s %10s %10s", f->name, f->count,
            units_time(f->times.p50).text, units_time(f->times.p99).text,
            units_time(f->times.max).text);
    for (size_t i = 0; i < l->judged_count; i++) {
        const struct judged_limit *j = &l->judged[i];
        if (j->limit->on != on)
            continue;
        fprintf(out, "  %s, %s", goodness_names[j->goodness],
                percentile_words(j->limit->percent).text);
        print_interval(j, out);
        fprintf(out, ", limit %s", units_time(j->limit->nanoseconds).text);
    }
    fputc('\n', out);
}

static void print_load(const struct answer *a, const struct at_load *l, FILE *out)
{
    fprintf(out, "\n%s, %s/s achieved:\n  %-18s %9s %10s %10s %10s\n", load_words(a, l).text,
            rate_words(l->achieved).text, "", "number", "p50", "p99", "longest");
    print_row(l, &l->sync, LIMIT_ON_SYNC, out);
    for (uint32_t i = 0; i < PROFILE_WORKS; i++)
        print_row(l, &l->works[i], i, out);
    print_row(l, &l->response, PROFILE_WORKS, out); /* response times have no limit */
    fprintf(out, "  Machine: %s\n", machine_words(l).text);
}

void answer_print(const struct answer *a, FILE *out)
{
    const struct at_load *load;
    const struct judged_limit *j = answer_decider(a, &load);
    const struct durability *d = &a->durability;
    if (answer_is_certain(a)) {
        fprintf(out, "%s: %s: " NOTHING_SURVIVES, a->profile.name, goodness_names[GOODNESS_BAD],
                d->what);
        return;
    }
    if (d->kind == DURABILITY_NONE)
        fprintf(out, "%s: " NOTHING_SURVIVES, a->profile.name, d->what);
    fprintf(out, "%s: %s.", a->profile.name, goodness_names[answer_goodness(a)]);
    if (j)
        print_decider(a, j, load, out);
    else if (a->load_count > 0)
        print_figures(a, out);
    if (a->is_more_sought)
        print_more(a, j, out);
    fputc('\n', out);
    if (d->kind == DURABILITY_HIDDEN)
        fprintf(out, "Whether it survives a crash is not known: %s cannot be seen from here.\n",
                d->why);
    for (size_t i = 0; i < a->load_count; i++)
        print_load(a, &a->loads[i], out);
}

static void print_table_row(const struct answer *a, FILE *out)
{
    const struct at_load *l;
    const struct judged_limit *j = answer_decider(a, &l);
    struct words what;
    if (answer_is_certain(a)) {
        fprintf(out, "%-10s %-20s %10s %-22s %10s %10s  %s\n", a->profile.name, "-", "-",
                "durability", "-", "-", goodness_names[GOODNESS_BAD]);
        return;
    }
    if (j) {
        snprintf(what.text, sizeof what.text, "%.40s %.16s", j->limit->name,
                 percentile_words(j->limit->percent).text);
    } else {
        l = &a->loads[a->load_count - 1];
        snprintf(what.text, sizeof what.text, "%.40s p99", l->sync.name);
    }
    fprintf(out, "%-10s %-20s %10s %-22s %10s %10s  %s\n", a->profile.name, load_words(a, l).text,
            rate_words(l->achieved).text, what.text,
            units_time(j ? j->found_ns : l->sync.times.p99).text,
            j ? units_time(j->limit->nanoseconds).text : "-", goodness_names[answer_goodness(a)]);
}

void answers_print(const struct answer *list, size_t count, FILE *out)
{
    fprintf(out, "%-10s %-20s %10s %-22s %10s %10s  %s\n", "Profile", "Load", "achieved/s",
            "judged", "found", "limit", "verdict");
    for (size_t i = 0; i < count; i++)
        if (list[i].load_count > 0 || answer_is_certain(&list[i]))
            print_table_row(&list[i], out);
    for (size_t i = 0; i < count; i++) {
        fputc('\n', out);
        answer_print(&list[i], out);
    }
}

void profiles_print(FILE *out)
{
    for (const struct profile *const *listed = profile_table; *listed; listed++) {
        const struct profile *p = *listed;
        char needed[UNITS_TEXT];
        units_format_readable(needed, profile_bytes(p));
        fprintf(out, "%-10s %s, %s\n", p->name, p->program, needed);
        for (unsigned i = 0; i < PROFILE_LIMITS && p->limits[i].name; i++) {
            fprintf(out, "           %s %s below %s", p->limits[i].name,
                    percentile_words(p->limits[i].percent).text,
                    units_time(p->limits[i].nanoseconds).text);
            for (unsigned k = 0; k < PROFILE_LOADS && p->loads[k] > 0; k++)
                fprintf(out, "%s %u", k > 0 ? " and" : " at", p->loads[k]);
            fprintf(out, " %s/s\n", p->request);
        }
        fprintf(out, "           %s\n",
                p->source ? p->source : "nothing is published to judge it by: figures, no verdict");
    }
}
