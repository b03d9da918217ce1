#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bonload/report/human_parts.h"
#include "bonload/report/report.h"
#include "util/go_units.h"
#include "util/units.h"

/* The percentiles and labels of goader, unchanged. */
static const double percentiles[] = {30, 40, 50, 60, 70, 80, 90, 95, 99};
#define PERCENTILES (sizeof percentiles / sizeof *percentiles)

/* Formats a duration as goader does: "537.25µs". */
static const char *format_duration(char text[static GO_UNITS_TEXT], uint64_t nanoseconds)
{
    go_format_duration(text, nanoseconds);
    return text;
}

/* Formats a duration as this suite does: "537 us". */
static const char *format_rounded(char text[static UNITS_TEXT], uint64_t nanoseconds)
{
    units_format_time(text, nanoseconds);
    return text;
}

static void print_top_ten(const struct kind_result *k, FILE *out)
{
    uint64_t values[TOP_TEN];
    char text[GO_UNITS_TEXT];
    fputs("TopTen latencies: ", out);
    for (unsigned i = histogram_largest(&k->tally->response, values, TOP_TEN); i-- > 0;)
        fprintf(out, " %s", format_duration(text, values[i]));
    fputc('\n', out);
}

static void print_found(const struct result *result, const struct kind_result *k, FILE *out)
{
    const struct plan *p = result->plan;
    char limit[GO_UNITS_TEXT];
    if (k->pace == PACE_FOLLOWS && p->search == SEARCH_RATE)
        return;
    fprintf(out, "%s with latency below %s: ", p->search == SEARCH_THREADS ? "Threads" : "Rate",
            format_duration(limit, p->limit.nanoseconds));
    if (k->found == FOUND_UNSURE && k->found_load <= 0)
        fputs("not known\n", out);
    else
        fprintf(out, "%.6g%s\n", k->found_load, p->search == SEARCH_THREADS ? "" : "/s");
}

/* Prints the lines that goader prints. */
static void print_goaders(const struct result *result, const struct kind_result *k, FILE *out)
{
    char text[GO_UNITS_TEXT];
    const struct histogram *h = &k->tally->response;
    if (h->count > 0) {
        fprintf(out, "Average response time: %s\n",
                format_duration(text, (uint64_t)histogram_mean(h)));
        for (size_t i = 0; i < PERCENTILES; i++)
            fprintf(out, "Percentile %.0f - %s\n", percentiles[i],
                    format_duration(text, histogram_percentile(h, percentiles[i])));
        print_top_ten(k, out);
    }
    if (result->plan->mode == MODE_SEARCH)
        print_found(result, k, out);
    fprintf(out, "Total requests: %" PRIu64 "\n", k->total);
    fprintf(out, "Total errors: %" PRIu64 "\n", k->total_errors);
    if (result->plan->mode == MODE_RATE && k->pace == PACE_RATE)
        fprintf(out, "Staggered for: %s\n", format_duration(text, k->staggered_ns));
    fprintf(out, "Average OP/s:  %.0f\n", floor(result_rate(k)));
    fprintf(out, "Average good OP/s:  %.0f\n", floor(result_good_rate(k)));
}

static void print_tail(const struct kind_result *k, FILE *out)
{
    char text[UNITS_TEXT];
    char p99[UNITS_TEXT];
    const struct histogram *h = &k->tally->response;
    const struct histogram *service = &k->tally->service;
    const struct histogram *first = &k->tally->first_byte;
    if (h->count == 0)
        return;
    fprintf(out, "Percentile 99.9 - %s\n", format_rounded(text, histogram_percentile(h, 99.9)));
    fprintf(out, "Percentile 99.99 - %s\n", format_rounded(text, histogram_percentile(h, 99.99)));
    fprintf(out, "Longest - %s\n", format_rounded(text, h->maximum));
    if (service->count > 0)
        fprintf(out, "Service time: average %s, percentile 99 - %s\n",
                format_rounded(text, (uint64_t)histogram_mean(service)),
                format_rounded(p99, histogram_percentile(service, 99)));
    if (first->count > 0)
        fprintf(out, "First byte: average %s, percentile 99 - %s\n",
                format_rounded(text, (uint64_t)histogram_mean(first)),
                format_rounded(p99, histogram_percentile(first, 99)));
}

/* Prints whether successful requests achieved the offered rate, to within 0.1 %. */
static void print_rates(const struct kind_result *k, FILE *out)
{
    uint64_t ended = tally_ended(k->tally);
    double achieved = result_good_rate(k);
    if (k->pace != PACE_RATE || k->offered <= 0)
        return;
    fprintf(out, "Offered: %.6g/s, achieved: %.6g/s", k->offered, achieved);
    if (k->tally->errors > 0)
        fprintf(out, ", failed: %.6g/s", result_rate(k) - achieved);
    fputc('\n', out);
    fprintf(out, "Late: %" PRIu64 " requests began more than 1ms late (%.4g %%)\n", k->tally->late,
            ended > 0 ? 100 * (double)k->tally->late / (double)ended : 0.);
    if (achieved < k->offered * .999)
        fprintf(out, "Shortfall: %.4g %% of the offered rate was not achieved\n",
                100 * (1 - achieved / k->offered));
    if (k->due > k->total)
        fprintf(out, "Due, but not ended: %" PRIu64 " requests\n", k->due - k->total);
}

static void print_throughput(const struct kind_result *k, FILE *out)
{
    if (k->tally->bytes > 0 && k->elapsed > 0)
        fprintf(out, "Throughput: %.4g MiB/s\n",
                (double)k->tally->bytes / (double)MIB / k->elapsed);
    if (k->tally->misses > 0)
        fprintf(out, "Misses: %" PRIu64 "\n", k->tally->misses);
}

/* Prints the time for making connections, which does not count as service. */
static void print_connections(const struct kind_result *k, FILE *out)
{
    const struct tally *t = k->tally;
    char connect[UNITS_TEXT];
    char tls[UNITS_TEXT];
    if (t->connections == 0)
        return;
    fprintf(out, "New connections: %" PRIu64 ", connecting took: average %s", t->connections,
            format_rounded(connect, t->connect_ns / t->connections));
    if (t->tls_ns > 0)
        fprintf(out, ", of which TLS %s", format_rounded(tls, t->tls_ns / t->connections));
    fputc('\n', out);
    if (result_reconnects(k))
        fputs("The server closes connections after each request: every request paid for a new "
              "one.\n",
              out);
}

static void print_kind(const struct result *result, enum load_kind kind, FILE *out)
{
    const struct kind_result *k = &result->kinds[kind];
    if (!k->is_there || (k->total == 0 && k->begun == 0))
        return;
    fprintf(out, "\n%s\n", load_titles[kind]);
    print_goaders(result, k, out);
    if (k->total == 0)
        return;
    print_tail(k, out);
    print_rates(k, out);
    print_throughput(k, out);
    print_connections(k, out);
    print_source(result, kind, out);
    print_waits(result, kind, out);
    print_failures(result, kind, out);
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
