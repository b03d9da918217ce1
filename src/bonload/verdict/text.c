#include "bonload/verdict/text.h"

#include <inttypes.h>
#include <string.h>

#include "util/units.h"

/* Formats a percentile as "p99", or 100 as "longest". */
#define OF_TEXT 16
static void format_of(char text[static OF_TEXT], double percent)
{
    if (percent < 100)
        snprintf(text, OF_TEXT, "p%.6g", percent);
    else
        snprintf(text, OF_TEXT, "longest");
}

/* Formats the load as "500 writes/s" or "8 clients". */
#define LOAD_TEXT 64
static void format_load(char text[static LOAD_TEXT], const struct answer *a,
                        const struct at_load *l)
{
    if (l->asked > 0)
        snprintf(text, LOAD_TEXT, "%.6g %s/s", l->asked, a->profile.request);
    else
        snprintf(text, LOAD_TEXT, "%u clients", l->clients);
}

static void print_interval(const struct judged *j, FILE *out)
{
    char low[UNITS_TEXT];
    char high[UNITS_TEXT];
    if (j->limit->percent >= 100)
        return;
    units_format_time(low, j->low_ns);
    if (j->high_ns == NO_UPPER_END) {
        fprintf(out, " (%s or more)", low);
        return;
    }
    units_format_time(high, j->high_ns);
    fprintf(out, " (%s to %s)", low, high);
}

static void print_decider(const struct answer *a, const struct judged *j, const struct at_load *l,
                          FILE *out)
{
    char of[OF_TEXT];
    char load[LOAD_TEXT];
    char found[UNITS_TEXT];
    char limit[UNITS_TEXT];
    format_of(of, j->limit->percent);
    format_load(load, a, l);
    units_format_time(found, j->found_ns);
    units_format_time(limit, j->limit->nanoseconds);
    fprintf(out, " %s %s %s", j->limit->name, of, j->count > 0 ? found : "not seen");
    if (j->goodness != GOODNESS_GOOD && j->count > 0)
        print_interval(j, out);
    fprintf(out, " at %s (%s's limit: %s).", load, a->profile.name, limit);
}

static void print_figures(const struct answer *a, FILE *out)
{
    const struct at_load *l = &a->loads[a->load_count - 1];
    char load[LOAD_TEXT];
    char sync[UNITS_TEXT];
    char p99[UNITS_TEXT];
    format_load(load, a, l);
    units_format_time(p99, l->response.p99);
    units_format_time(sync, l->sync.p99);
    fprintf(out, " %.0f %s/s at %s, p99 %s", l->achieved, a->profile.request, load, p99);
    if (l->sync.count > 0)
        fprintf(out, ", %s p99 %s", l->sync.name, sync);
    fputs("; nothing is published to judge it by.", out);
}

/*
 * Formats "stay below it". `it` is the limit that decides; if a search used another limit, the text
 * names that one.
 */
#define KEEP_TEXT (2 * UNITS_TEXT + OF_TEXT + 64)
static void format_keep(char text[static KEEP_TEXT], const struct answer *a,
                        const struct judged *decider)
{
    const struct profile_limit *sought = profile_sought_limit(&a->profile);
    bool is_decider = decider && decider->limit->on == sought->on &&
                      decider->limit->nanoseconds == sought->nanoseconds;
    char of[OF_TEXT];
    char limit[UNITS_TEXT];
    snprintf(text, KEEP_TEXT, "stay below it");
    if (is_decider)
        return;
    format_of(of, sought->percent);
    units_format_time(limit, sought->nanoseconds);
    snprintf(text, KEEP_TEXT, "keep %.40s %s below %s", sought->name, of, limit);
}

static void print_more(const struct answer *a, const struct judged *decider, FILE *out)
{
    char keep[KEEP_TEXT];
    if (a->more == MORE_NOT_SOUGHT)
        return;
    format_keep(keep, a, decider);
    switch (a->more) {
    case MORE_NOT_SOUGHT:
        break;
    case MORE_FOUND:
        fprintf(out, " Up to %.0f/s %s.", a->most, keep);
        break;
    case MORE_NONE:
        fprintf(out, " No higher load was found to %s.", keep);
        break;
    case MORE_MOST:
        fprintf(out, " %.0f/s and more %s.", a->most, keep);
        break;
    case MORE_UNSURE:
        fprintf(out, " At least %.0f/s %s; the search was not finished.", a->most, keep);
        break;
    }
}

static void print_head(const struct answer *a, FILE *out)
{
    const struct at_load *load;
    const struct judged *j = answer_decider(a, &load);
    fprintf(out, "%s: %s.", a->profile.name, goodness_names[answer_goodness(a)]);
    if (j)
        print_decider(a, j, load, out);
    else if (a->load_count > 0)
        print_figures(a, out);
    print_more(a, j, out);
    fputc('\n', out);
}

static void print_span(const struct span_figures *f, FILE *out)
{
    char p50[UNITS_TEXT];
    char p99[UNITS_TEXT];
    char longest[UNITS_TEXT];
    if (f->count == 0)
        return;
    units_format_time(p50, f->p50);
    units_format_time(p99, f->p99);
    units_format_time(longest, f->longest);
    fprintf(out, "  %-18s %9" PRIu64 " %10s %10s %10s", f->name, f->count, p50, p99, longest);
}

/* Prints a row of figures: that of the program's makers beside the one that is judged. */
static void print_row(const struct at_load *l, const struct span_figures *f, uint32_t on, FILE *out)
{
    char of[OF_TEXT];
    char limit[UNITS_TEXT];
    if (f->count == 0)
        return;
    print_span(f, out);
    for (size_t i = 0; i < l->judged_count; i++) {
        const struct judged *j = &l->judged[i];
        if (j->limit->on != on)
            continue;
        format_of(of, j->limit->percent);
        units_format_time(limit, j->limit->nanoseconds);
        fprintf(out, "  %s, %s", goodness_names[j->goodness], of);
        print_interval(j, out);
        fprintf(out, ", limit %s", limit);
    }
    fputc('\n', out);
}

/* Stands for a subject that has no limit. */
#define ON_NOTHING (LIMIT_ON_SYNC - 1)

static void print_load(const struct answer *a, const struct at_load *l, FILE *out)
{
    char load[LOAD_TEXT];
    format_load(load, a, l);
    fprintf(out, "\n%s, %.6g/s achieved:\n  %-18s %9s %10s %10s %10s\n", load, l->achieved, "",
            "number", "p50", "p99", "longest");
    print_row(l, &l->sync, LIMIT_ON_SYNC, out);
    for (uint32_t i = 0; i < PROFILE_WORKS; i++)
        print_row(l, &l->works[i], i, out);
    print_row(l, &l->response, ON_NOTHING, out);
}

void answer_print(const struct answer *a, FILE *out)
{
    print_head(a, out);
    for (size_t i = 0; i < a->load_count; i++)
        print_load(a, &a->loads[i], out);
}

static void print_table_row(const struct answer *a, FILE *out)
{
    const struct at_load *load;
    const struct judged *j = answer_decider(a, &load);
    const struct at_load *l = j ? load : &a->loads[a->load_count - 1];
    char at[LOAD_TEXT];
    char of[OF_TEXT] = "p99";
    char found[UNITS_TEXT];
    char limit[UNITS_TEXT] = "-";
    char what[LOAD_TEXT];
    format_load(at, a, l);
    units_format_time(found, j ? j->found_ns : l->sync.p99);
    if (j) {
        format_of(of, j->limit->percent);
        units_format_time(limit, j->limit->nanoseconds);
    }
    snprintf(what, sizeof what, "%.40s %s", j ? j->limit->name : l->sync.name, of);
    fprintf(out, "%-10s %-20s %10.6g %-22s %10s %10s  %s\n", a->profile.name, at, l->achieved, what,
            found, limit, goodness_names[answer_goodness(a)]);
}

void answers_print(const struct answer *list, size_t count, FILE *out)
{
    fprintf(out, "%-10s %-20s %10s %-22s %10s %10s  %s\n", "Profile", "Load", "achieved/s",
            "judged", "found", "limit", "verdict");
    for (size_t i = 0; i < count; i++)
        if (list[i].load_count > 0)
            print_table_row(&list[i], out);
    for (size_t i = 0; i < count; i++) {
        fputc('\n', out);
        answer_print(&list[i], out);
    }
}

static void print_profile(const struct profile *p, FILE *out)
{
    char of[OF_TEXT];
    char limit[UNITS_TEXT];
    char needed[UNITS_TEXT];
    units_format_readable(needed, profile_bytes(p));
    fprintf(out, "%-10s %s, %s\n", p->name, p->program, needed);
    for (unsigned i = 0; i < PROFILE_LIMITS && p->limits[i].name; i++) {
        format_of(of, p->limits[i].percent);
        units_format_time(limit, p->limits[i].nanoseconds);
        fprintf(out, "           %s %s below %s", p->limits[i].name, of, limit);
        for (unsigned k = 0; k < PROFILE_LOADS && p->loads[k] > 0; k++)
            fprintf(out, "%s %u", k > 0 ? " and" : " at", p->loads[k]);
        fprintf(out, " %s/s\n", p->request);
    }
    fprintf(out, "           %s\n",
            p->source ? p->source : "nothing is published to judge it by: figures, no verdict");
}

void profiles_print(FILE *out)
{
    for (const struct profile *const *p = profile_table; *p; p++)
        print_profile(*p, out);
}
