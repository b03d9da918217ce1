// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "bonload/report/report.h"

const double goader_percentiles[GOADER_PERCENTILES] = {30, 40, 50, 60, 70, 80, 90, 95, 99};

void report_human(const struct result *result, FILE *out)
{
    const struct plan *p = result->plan;
    const struct reasons_found *failures = &result->figures->failures;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct kind_result *k = &result->figures->kinds[kind];
        const struct tally *t = &k->tally;
        const struct histogram *h = &t->response;
        const struct search_answer *answer = &k->answer;
        const struct reason *most = NULL; /* the commonest; goader says none */
        bool is_rate = p->settings->search == SEARCH_RATE;
        uint64_t largest[TOP_TEN];
        if (tally_ended(t) == 0 && k->begun == 0)
            continue;
        fprintf(out, "\n%s\n", load_titles[kind]);
        /* what goader prints, in exactly its form */
        if (h->count > 0) {
            fprintf(out, "Average response time: %s\n",
                    units_go_duration((uint64_t)histogram_mean(h)).text);
            for (size_t i = 0; i < GOADER_PERCENTILES; i++)
                fprintf(out, "Percentile %.0f - %s\n", goader_percentiles[i],
                        units_go_duration(histogram_percentile(h, goader_percentiles[i])).text);
            fputs("TopTen latencies: ", out);
            for (unsigned i = histogram_largest(h, largest, TOP_TEN); i-- > 0;)
                fprintf(out, " %s", units_go_duration(largest[i]).text);
            fputc('\n', out);
        }
        if (p->mode == MODE_SEARCH && (p->kinds[kind].pace != PACE_FOLLOWS || !is_rate)) {
            fprintf(out, "%s with latency below %s: ", is_rate ? "Rate" : "Threads",
                    units_go_duration(p->settings->limit.nanoseconds).text);
            if (answer->found == FOUND_UNSURE && answer->load <= 0)
                fputs("not known\n", out);
            else
                fprintf(out, "%.6g%s\n", answer->load, is_rate ? "/s" : "");
        }
        fprintf(out, "Total requests: %" PRIu64 "\n", tally_ended(t));
        fprintf(out, "Total errors: %" PRIu64 "\n", t->failed.count);
        if (p->mode == MODE_RATE && p->kinds[kind].pace == PACE_RATE)
            fprintf(out, "Staggered for: %s\n", units_go_duration(k->staggered_ns).text);
        fprintf(out, "Average OP/s:  %.0f\n", floor(result_rate(k)));
        fprintf(out, "Average good OP/s:  %.0f\n", floor(result_good_rate(k)));
        /* what goader does not say: at most five lines */
        if (h->count > 0)
            fprintf(out, "Percentile 99.9 - %s\nLongest - %s\n",
                    units_go_duration(histogram_percentile(h, 99.9)).text,
                    units_go_duration(h->maximum).text);
        if (k->offered > 0)
            fprintf(out, "Offered: %.6g/s, achieved: %.6g/s, late: %" PRIu64 " requests\n",
                    k->offered, result_good_rate(k), t->late);
        if (t->bytes > 0 && k->elapsed > 0)
            fprintf(out, "Throughput: %.4g MiB/s\n", (double)t->bytes / (double)MIB / k->elapsed);
        for (size_t i = 0; i < failures->count; i++)
            if (failures->list[i].kind == kind && (!most || failures->list[i].count > most->count))
                most = &failures->list[i];
        if (most)
            fprintf(out, "Error: %" PRIu64 " x %s\n", most->count, printable(most->text).text);
    }
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
