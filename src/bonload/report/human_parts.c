#include "bonload/report/human_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/starts.h"
#include "util/units.h"

static void print_list(const struct reasons_found *r, const char *title, enum load_kind kind,
                       FILE *out)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->list[i].kind == kind)
            fprintf(out, "%s: %" PRIu64 " x %s\n", title, r->list[i].count, r->list[i].text);
    if (r->others[kind] > 0)
        fprintf(out, "%s: %" PRIu64 " x " REASON_OTHERS "\n", title, r->others[kind]);
}

void print_failures(const struct result *result, enum load_kind kind, FILE *out)
{
    const struct tally *t = result->kinds[kind].tally;
    char mean[UNITS_TEXT];
    char longest[UNITS_TEXT];
    if (t->errors > 0) {
        units_format_time(mean, t->error_ns / t->errors);
        units_format_time(longest, t->error_longest_ns);
        fprintf(out, "Failed requests took: average %s, longest %s\n", mean, longest);
    }
    print_list(&result->failures, "Error", kind, out);
    print_list(&result->misses, "Miss", kind, out);
}

void print_ops(const struct result *result, FILE *out)
{
    char p50[UNITS_TEXT];
    char p99[UNITS_TEXT];
    if (result->op_count == 0)
        return;
    fprintf(out, "\n%-12s %10s %10s %10s %14s %14s\n", "Operation", "good", "misses", "errors",
            "p50", "p99");
    for (size_t i = 0; i < result->op_count; i++) {
        const struct op_tally *t = result->ops[i].tally;
        if (t->response.count + t->errors == 0)
            continue;
        units_format_time(p50, histogram_percentile(&t->response, 50));
        units_format_time(p99, histogram_percentile(&t->response, 99));
        fprintf(out, "%-12s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %14s %14s\n",
                result->ops[i].name, t->response.count - t->misses, t->misses, t->errors, p50, p99);
    }
}

static void print_step(const struct result *result, const struct step *step, enum load_kind kind,
                       FILE *out)
{
    const struct step_kind *k = &step->kinds[kind];
    bool is_search = result->plan->mode == MODE_SEARCH;
    char limited[UNITS_TEXT];
    char p50[UNITS_TEXT];
    char p99[UNITS_TEXT];
    if (!k->is_there)
        return;
    units_format_time(limited, k->limited_ns);
    units_format_time(p50, k->latencies.p50);
    units_format_time(p99, k->latencies.p99);
    fprintf(out, "%-7s %10.6g %12.6g %12s %12s", load_titles[kind], k->load, k->achieved, p50, p99);
    if (is_search)
        fprintf(out, " %12s %s%s", limited, verdict_names[k->verdict],
                step->is_confirmation ? " (confirmation)" : "");
    else
        fprintf(out, " %10" PRIu64, k->errors);
    fputc('\n', out);
}

static void print_answer(const struct result *result, enum load_kind kind, FILE *out)
{
    const struct kind_result *k = &result->kinds[kind];
    const struct plan *p = result->plan;
    const char *unit = p->search == SEARCH_THREADS ? " threads" : "/s";
    if (!k->is_there || k->pace == PACE_FOLLOWS)
        return;
    if (k->found == FOUND_NONE)
        fprintf(out, "%s: no load keeps the limit\n", load_titles[kind]);
    else if (k->found == FOUND_MOST)
        fprintf(out, "%s: more than %.6g%s: the limit is -max-channels\n", load_titles[kind],
                k->found_load, unit);
    else if (k->found == FOUND_UNSURE && k->found_load <= 0)
        fprintf(out, "%s: no load is known to keep the limit\n", load_titles[kind]);
    else if (k->found == FOUND_UNSURE)
        fprintf(out, "%s: the search was not finished: at least %.6g%s\n", load_titles[kind],
                k->found_load, unit);
}

void print_steps(const struct result *result, FILE *out)
{
    const struct plan *p = result->plan;
    char name[LIMIT_TEXT];
    if (p->mode != MODE_SEARCH && p->mode != MODE_SWEEP)
        return;
    latency_limit_name(&p->limit, name);
    fprintf(out, "\nSteps   %10s %12s %12s %12s",
            p->mode == MODE_SEARCH && p->search == SEARCH_THREADS ? "threads" : "offered/s",
            "achieved/s", "p50", "p99");
    fprintf(out, p->mode == MODE_SEARCH ? " %12s\n" : " %10s\n",
            p->mode == MODE_SEARCH ? name : "errors");
    for (size_t i = 0; i < result->steps->count; i++)
        for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
            print_step(result, &result->steps->list[i], kind, out);
    for (enum load_kind kind = 0; p->mode == MODE_SEARCH && kind < LOAD_KINDS; kind++)
        print_answer(result, kind, out);
    if (p->mode == MODE_SEARCH)
        fprintf(out, "Figures: of the %s; all loads: %" PRIu64 " requests, %" PRIu64 " errors\n",
                result->is_of_last_load ? "last load" : "whole search",
                result->kinds[LOAD_WRITE].made + result->kinds[LOAD_READ].made,
                result->kinds[LOAD_WRITE].made_errors + result->kinds[LOAD_READ].made_errors);
}

/* Options that the user has not given, and that would make the figure one of the device. */
static const char *option_against(const struct plan *p, enum load_kind kind)
{
    if (kind == LOAD_WRITE)
        return p->direct ? "-fsync" : p->fsync ? "-direct" : "-fsync or -direct";
    return p->direct ? "" : p->evict ? "-direct" : "-evict or -direct";
}

/* Rounds down, because the advice is for "less than 90 %". */
static void print_moved(const struct result *result, enum load_kind kind, FILE *out)
{
    const struct backing_use *b = &result->backing;
    double percent = floor(b->kinds[kind].moved_percent);
    const char *remedy = option_against(result->plan, kind);
    if (percent < 1)
        fputs(b->kinds[kind].moved_percent > 0 ? "less than 1 %" : "none", out);
    else
        fprintf(out, "%.0f %%", percent);
    fprintf(out, " of what was %s the device (%s)",
            kind == LOAD_READ ? "read came from" : "written reached", b->device);
    if (*remedy)
        fprintf(out, "; %s measures the device", remedy);
    fputc('\n', out);
}

void print_source(const struct result *result, enum load_kind kind, FILE *out)
{
    const struct backing_use *b = &result->backing;
    const struct judgement *j = &b->kinds[kind];
    const char *measured = backing_measured(b, kind);
    if (!measured)
        return;
    fprintf(out, "Measured: %s: ", measured);
    if (j->by == LIMITED_PAGE_CACHE && j->device_known)
        print_moved(result, kind, out);
    else if (j->device_known)
        fprintf(out, "%s was busy %.0f %% of the time\n", b->device, j->device_percent);
    else
        fprintf(out, "below %s there is no %s\n", b->filesystem ? b->filesystem : "this filesystem",
                j->by == LIMITED_PAGE_CACHE ? "device" : "block device to watch");
}

/* Prints how closely several ranks began together, and which host was the slowest. */
static void print_together(const struct together *t, FILE *out)
{
    char starts[STARTS_TEXT];
    unsigned hosts = 0;
    if (t->ranks < 2)
        return;
    for (unsigned i = 0; i < t->ranks; i++)
        hosts += t->hosts[i].ranks > 0;
    starts_text(starts, t->start_spread_ns, t->clock_uncertainty_ns);
    fprintf(out, "Ranks: %u on %u host%s, which began %s\n", t->ranks, hosts, hosts == 1 ? "" : "s",
            starts);
    if (hosts > 1)
        fprintf(out, "Slowest host: %s\n", together_slowest(t)->name);
}

void print_waits(const struct result *result, enum load_kind kind, FILE *out)
{
    char words[TAIL_TEXT];
    tail_summary_words(words, &result->kinds[kind].tail);
    if (words[0] != '\0')
        fprintf(out, "Tail: %s\n", words);
}

void print_rest(const struct result *result, FILE *out)
{
    uint64_t all = result->kinds[LOAD_READ].made + result->kinds[LOAD_WRITE].made;
    fprintf(out, "\nSeed: %" PRId64 "\n", (int64_t)result->plan->seed);
    fprintf(out, "Time: %.3f s, CPU time: %.3f s", result->elapsed, result->cpu_seconds);
    if (all > 0)
        fprintf(out, ", %.3f us for each request", 1e6 * result->cpu_seconds / (double)all);
    fputc('\n', out);
    if (result->checked_bytes > 0 || result->damaged > 0)
        fprintf(out, "Verified: %" PRIu64 " bytes, damaged: %" PRIu64 " places\n",
                result->checked_bytes, result->damaged);
    print_together(&result->together, out);
    if (result->is_interim)
        fputs("The run goes on.\n", out);
    else if (result->was_stopped)
        fputs("The run was stopped by a signal.\n", out);
    else if (result->is_hopeless)
        fputs("The run was ended early: nothing had succeeded.\n", out);
    else if (result->is_above)
        fputs("The latency was above -fail-above.\n", out);
    else if (result->is_bad_rate)
        fputs(
            "The rate could not be kept: more than two seconds' worth of requests were overdue.\n",
            out);
}
