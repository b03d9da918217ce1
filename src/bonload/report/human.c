// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bonload/report/report.h"
#include "sync/ranks.h"
#include "util/go_units.h"
#include "util/printable.h"
#include "util/units.h"

const double goader_percentiles[GOADER_PERCENTILES] = {30, 40, 50, 60, 70, 80, 90, 95, 99};

static void print_found(const struct result *result, enum load_kind kind, FILE *out)
{
    const struct plan *p = result->plan;
    const struct search_answer *answer = &result->figures->kinds[kind].answer;
    bool is_rate = p->settings->search == SEARCH_RATE;
    if (p->kinds[kind].pace == PACE_FOLLOWS && is_rate)
        return;
    fprintf(out, "%s with latency below %s: ", is_rate ? "Rate" : "Threads",
            go_duration(p->settings->limit.nanoseconds).text);
    if (answer->found == FOUND_UNSURE && answer->load <= 0)
        fputs("not known\n", out);
    else
        fprintf(out, "%.6g%s\n", answer->load, is_rate ? "/s" : "");
}

/* Prints the lines that goader prints, in exactly its form. */
static void print_goaders(const struct result *result, enum load_kind kind, FILE *out)
{
    const struct plan *p = result->plan;
    const struct kind_result *k = &result->figures->kinds[kind];
    const struct histogram *h = &k->tally.response;
    uint64_t largest[TOP_TEN];
    if (h->count > 0) {
        fprintf(out, "Average response time: %s\n", go_duration((uint64_t)histogram_mean(h)).text);
        for (size_t i = 0; i < GOADER_PERCENTILES; i++)
            fprintf(out, "Percentile %.0f - %s\n", goader_percentiles[i],
                    go_duration(histogram_percentile(h, goader_percentiles[i])).text);
        fputs("TopTen latencies: ", out);
        for (unsigned i = histogram_largest(h, largest, TOP_TEN); i-- > 0;)
            fprintf(out, " %s", go_duration(largest[i]).text);
        fputc('\n', out);
    }
    if (p->mode == MODE_SEARCH)
        print_found(result, kind, out);
    fprintf(out, "Total requests: %" PRIu64 "\n", tally_ended(&k->tally));
    fprintf(out, "Total errors: %" PRIu64 "\n", k->tally.failed.count);
    if (p->mode == MODE_RATE && p->kinds[kind].pace == PACE_RATE)
        fprintf(out, "Staggered for: %s\n", go_duration(k->staggered_ns).text);
    fprintf(out, "Average OP/s:  %.0f\n", floor(result_rate(k)));
    fprintf(out, "Average good OP/s:  %.0f\n", floor(result_good_rate(k)));
}

static void print_times(const char *title, const struct histogram *h, FILE *out)
{
    if (h->count > 0)
        fprintf(out, "%s: average %s, percentile 99 - %s\n", title,
                units_time((uint64_t)histogram_mean(h)).text,
                units_time(histogram_percentile(h, 99)).text);
}

static void print_tail(const struct tally *t, FILE *out)
{
    const struct histogram *h = &t->response;
    if (h->count == 0)
        return;
    fprintf(out, "Percentile 99.9 - %s\n", units_time(histogram_percentile(h, 99.9)).text);
    fprintf(out, "Percentile 99.99 - %s\n", units_time(histogram_percentile(h, 99.99)).text);
    fprintf(out, "Longest - %s\n", units_time(h->maximum).text);
    print_times("Service time", &t->service, out);
    print_times("First byte", &t->first_byte, out);
}

/* Prints whether successful requests achieved the offered rate, to within 0.1 %. */
static void print_rates(const struct kind_result *k, FILE *out)
{
    uint64_t ended = tally_ended(&k->tally);
    double achieved = result_good_rate(k);
    if (k->offered <= 0)
        return;
    fprintf(out, "Offered: %.6g/s, achieved: %.6g/s", k->offered, achieved);
    if (k->tally.failed.count > 0)
        fprintf(out, ", failed: %.6g/s", result_rate(k) - achieved);
    fprintf(out, "\nLate: %" PRIu64 " requests began more than 1ms late (%.4g %%)\n", k->tally.late,
            ended > 0 ? 100 * (double)k->tally.late / (double)ended : 0.);
    if (achieved < k->offered * .999)
        fprintf(out, "Shortfall: %.4g %% of the offered rate was not achieved\n",
                100 * (1 - achieved / k->offered));
    if (k->due > ended)
        fprintf(out, "Due, but not ended: %" PRIu64 " requests\n", k->due - ended);
}

static void print_throughput(const struct kind_result *k, FILE *out)
{
    if (k->tally.bytes > 0 && k->elapsed > 0)
        fprintf(out, "Throughput: %.4g MiB/s\n", (double)k->tally.bytes / (double)MIB / k->elapsed);
    if (k->tally.misses > 0)
        fprintf(out, "Misses: %" PRIu64 "\n", k->tally.misses);
}

/* Number of connections that a conclusion needs at least. */
#define RECONNECTS_LEAST 50

/*
 * Whether nearly every request needed a new connection, although fewer than a tenth as many were in
 * flight at a time: then the server does not keep connections alive. By Little's law, the mean
 * number of requests in flight is the number that begin during one request.
 */
static bool reconnects(const struct kind_result *k)
{
    const struct tally *t = &k->tally;
    double ended = (double)tally_ended(t);
    double in_flight = result_rate(k) * histogram_mean(&t->response) / (double)BILLION;
    return t->connections >= RECONNECTS_LEAST && (double)t->connections * 10 >= ended * 9 &&
           in_flight * 10 < ended;
}

/* Prints the time for making connections, which does not count as service. */
static void print_connections(const struct kind_result *k, FILE *out)
{
    const struct tally *t = &k->tally;
    if (t->connections == 0)
        return;
    fprintf(out, "New connections: %" PRIu64 ", connecting took: average %s", t->connections,
            units_time(t->connect_ns / t->connections).text);
    if (t->tls_ns > 0)
        fprintf(out, ", of which TLS %s", units_time(t->tls_ns / t->connections).text);
    fputc('\n', out);
    if (reconnects(k))
        fputs("The server closes connections after each request: every request paid for a new "
              "one.\n",
              out);
}

/* Options that the user has not given, and that would make the figure one of the device. */
static const char *option_against(const struct settings *s, enum load_kind kind)
{
    if (kind == LOAD_WRITE)
        return s->direct ? "-fsync" : s->fsync ? "-direct" : "-fsync or -direct";
    return s->direct ? "" : s->evict ? "-direct" : "-evict or -direct";
}

/* Prints where data came from or went to, and what would make it the device. */
static void print_limit(const struct result *result, enum load_kind kind, FILE *out)
{
    const struct judgement *j = &result->backing.kinds[kind];
    const char *remedy = option_against(result->plan->settings, kind);
    char sentence[LIMIT_SENTENCE];
    if (!result->backing.is_judged[kind])
        return;
    limit_sentence(sentence, j, j);
    fprintf(out, "Limited by: %s: %s", limit_name(j->by), printable(sentence).text);
    if (*remedy && (j->reason == REASON_READ_FROM_CACHE || j->reason == REASON_NOT_WRITTEN))
        fprintf(out, " %s measures the device.", remedy);
    fputc('\n', out);
    if (j->direct.asked && j->by != LIMITED_PAGE_CACHE && j->direct.seen == DIRECT_YES)
        fputs("O_DIRECT went past the page cache (seen)\n", out);
    else if (j->direct.asked && j->direct.seen == DIRECT_NOT_KNOWN)
        fprintf(out, "It is not known whether O_DIRECT went past the page cache: %s\n",
                printable(j->direct.reason).text);
}

static void print_reasons(const struct reasons_found *r, const char *title, enum load_kind kind,
                          FILE *out)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->list[i].kind == kind)
            fprintf(out, "%s: %" PRIu64 " x %s\n", title, r->list[i].count,
                    printable(r->list[i].text).text);
    if (r->others[kind] > 0)
        fprintf(out, "%s: %" PRIu64 " x " REASON_OTHERS "\n", title, r->others[kind]);
}

static void print_kind(const struct result *result, enum load_kind kind, FILE *out)
{
    const struct kind_result *k = &result->figures->kinds[kind];
    const struct tally *t = &k->tally;
    char waits[TAIL_TEXT];
    char levels[LEVELS_TEXT];
    if (tally_ended(t) == 0 && k->begun == 0)
        return;
    fprintf(out, "\n%s\n", load_titles[kind]);
    print_goaders(result, kind, out);
    if (tally_ended(t) == 0)
        return;
    print_tail(t, out);
    print_rates(k, out);
    print_throughput(k, out);
    print_connections(k, out);
    print_limit(result, kind, out);
    levels_words(levels, &result->levels[kind], 0);
    if (levels[0] != '\0')
        fprintf(out, "Levels: %s\n", levels);
    tail_summary_words(waits, &result->tails[kind]);
    if (waits[0] != '\0')
        fprintf(out, "Tail: %s\n", waits);
    if (t->failed.count > 0)
        fprintf(out, "Failed requests took: average %s, longest %s\n",
                units_time((uint64_t)histogram_mean(&t->failed)).text,
                units_time(t->failed.maximum).text);
    print_reasons(&result->figures->failures, "Error", kind, out);
    print_reasons(&result->figures->misses, "Miss", kind, out);
}

static void print_ops(const struct result *result, FILE *out)
{
    if (result->op_count == 0)
        return;
    fprintf(out, "\n%-12s %10s %10s %10s %14s %14s\n", "Operation", "good", "misses", "errors",
            "p50", "p99");
    for (size_t i = 0; i < result->op_count; i++) {
        const struct op_tally *t = &result->figures->ops[i];
        if (t->response.count + t->errors == 0)
            continue;
        fprintf(out, "%-12s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %14s %14s\n",
                result->plan->target->ops[i], t->response.count - t->misses, t->misses, t->errors,
                units_time(histogram_percentile(&t->response, 50)).text,
                units_time(histogram_percentile(&t->response, 99)).text);
    }
}

/* `limited`: heading of the figure that a search limits; empty: other columns have it already. */
static void print_step(const struct step *step, enum load_kind kind, bool is_search,
                       const char *limited, FILE *out)
{
    const struct step_kind *k = &step->kinds[kind];
    if (!k->is_there)
        return;
    fprintf(out, "%-7s %10.6g %12.6g %12s %12s", load_titles[kind], k->load, k->achieved,
            units_time(k->latencies.p50).text, units_time(k->latencies.p99).text);
    if (!is_search)
        fprintf(out, " %10" PRIu64, k->errors);
    else if (*limited)
        fprintf(out, " %12s", units_time(k->limited_ns).text);
    if (is_search)
        fprintf(out, " %s%s", verdict_names[k->verdict],
                step->is_confirmation ? " (confirmation)" : "");
    fputc('\n', out);
}

static void print_answer(const struct result *result, enum load_kind kind, FILE *out)
{
    const struct kind_result *k = &result->figures->kinds[kind];
    const char *unit = result->plan->settings->search != SEARCH_THREADS ? "/s"
                       : k->answer.load <= 1                            ? " thread"
                                                                        : " threads";
    enum pace pace = result->plan->kinds[kind].pace;
    const char *reason = found_reasons[k->answer.why];
    if (pace == PACE_NONE || pace == PACE_FOLLOWS || k->answer.found == FOUND_LOAD)
        return;
    fprintf(out, "%s: ", load_titles[kind]);
    if (k->answer.found == FOUND_NONE)
        fprintf(out, "no load keeps the limit%s%s\n", *reason ? ": " : "", reason);
    else if (k->answer.found == FOUND_MOST)
        fprintf(out, "more than %.6g%s: the limit is -max-channels\n", k->answer.load, unit);
    else if (k->answer.load <= 0)
        fprintf(out, "no load is known to keep the limit%s%s\n", *reason ? ": " : "", reason);
    else if (*reason)
        fprintf(out, "at least %.6g%s: %s\n", k->answer.load, unit, reason);
    else
        fprintf(out, "the search was not finished: at least %.6g%s\n", k->answer.load, unit);
}

static void print_steps(const struct result *result, FILE *out)
{
    const struct plan *p = result->plan;
    const struct kind_result *k = result->figures->kinds;
    bool is_search = p->mode == MODE_SEARCH;
    char name[LIMIT_SENTENCE] = "errors";
    if (!is_search && p->mode != MODE_SWEEP)
        return;
    if (is_search)
        latency_limit_name(&p->settings->limit, name);
    if (strcmp(name, "p50") == 0 || strcmp(name, "p99") == 0)
        name[0] = '\0';
    fprintf(out, "\nSteps   %10s %12s %12s %12s",
            is_search && p->settings->search == SEARCH_THREADS ? "threads" : "offered/s",
            "achieved/s", "p50", "p99");
    if (*name)
        fprintf(out, " %*s", is_search ? 12 : 10, name);
    fputc('\n', out);
    for (size_t i = 0; i < result->step_count; i++)
        for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
            print_step(&result->steps[i], kind, is_search, name, out);
    if (!is_search)
        return;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        print_answer(result, kind, out);
    fprintf(out, "Figures: of the %s; all loads: %" PRIu64 " requests, %" PRIu64 " errors\n",
            result->is_of_last_load ? "last load" : "whole search",
            k[LOAD_WRITE].made + k[LOAD_READ].made,
            k[LOAD_WRITE].made_errors + k[LOAD_READ].made_errors);
}

/* Prints how closely several ranks began together, and which host was the slowest. */
static void print_together(const struct joint_run *t, FILE *out)
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
        fprintf(out, "Slowest host: %s\n", printable(together_slowest(t)->name).text);
}

static void print_rest(const struct result *result, FILE *out)
{
    const struct figures *f = result->figures;
    uint64_t all = f->kinds[LOAD_READ].made + f->kinds[LOAD_WRITE].made;
    char machine[OTHERS_TEXT];
    fprintf(out, "\nSeed: %" PRId64 "\n", (int64_t)result->plan->seed);
    fprintf(out, "Time: %.3f s, CPU time: %.3f s", seconds_between(f->start_ns, f->end_ns),
            f->cpu_seconds);
    if (all > 0)
        fprintf(out, ", %.3f us for each request", 1e6 * f->cpu_seconds / (double)all);
    fputc('\n', out);
    others_words(machine, &f->machine);
    fprintf(out, "Machine: %s\n", machine);
    if (f->checked_bytes > 0 || f->damaged > 0)
        fprintf(out, "Verified: %" PRIu64 " bytes, damaged: %" PRIu64 " places\n", f->checked_bytes,
                f->damaged);
    print_together(&result->together, out);
    if (result->is_warmup)
        fputs("These requests are those of the warm-up, which do not count.\n", out);
    if (result->is_interim)
        fputs("The run goes on.\n", out);
    else if (f->was_stopped)
        fputs("The run was stopped by a signal.\n", out);
    else if (result->is_hopeless)
        fputs("The run was ended early: nothing had succeeded.\n", out);
    else if (result->is_above)
        fputs("The latency was above -fail-above.\n", out);
    else if (f->is_bad_rate)
        fputs(
            "The rate could not be kept: more than two seconds' worth of requests were overdue.\n",
            out);
}

void report_human(const struct result *result, FILE *out)
{
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        print_kind(result, kind, out);
    print_ops(result, out);
    print_steps(result, out);
    print_rest(result, out);
    fputc('\n', out);
}

/* The layout is that of HdrHistogram's percentile files (by Gil Tene), which plotters read. */
void report_hgrm(const struct histogram *h, FILE *out)
{
    const struct histogram_range span = histogram_range(h->inverted_minimum, h->maximum);
    double mean = histogram_mean(h);
    double squares = 0; /* sum of the squared deviations of the buckets' middles */
    uint64_t seen = 0;
    fputs("       Value     Percentile TotalCount 1/(1-Percentile)\n\n", out);
    for (unsigned i = span.first; i < span.end; i++) {
        if (h->buckets[i] == 0)
            continue;
        seen += h->buckets[i];
        double middle = (double)histogram_middle(i);
        double share = (double)seen / (double)h->count;
        squares += pow(middle - mean, 2) * (double)h->buckets[i];
        fprintf(out, "%12.6f %2.12f %10.0f", fmin(middle, (double)h->maximum) / (double)MILLION,
                share, (double)seen);
        if (seen < h->count)
            fprintf(out, " %14.2f", 1 / (1 - share));
        fputc('\n', out);
    }
    fprintf(out, "#[Mean    = %12.6f, StdDeviation   = %12.6f]\n", mean / (double)MILLION,
            h->count > 0 ? sqrt(squares / (double)h->count) / (double)MILLION : 0);
    fprintf(out, "#[Max     = %12.6f, Total count    = %12.0f]\n",
            (double)h->maximum / (double)MILLION, (double)h->count);
    fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n",
            HISTOGRAM_TOP_BITS - HISTOGRAM_SUB_BITS + 1, HISTOGRAM_SUB);
}
