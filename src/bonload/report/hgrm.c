// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "bonload/report/report.h"
#include "util/units.h"

/* The layout is that of HdrHistogram's percentile files (by Gil Tene), which plotters read. */
void report_hgrm(const struct histogram *h, FILE *out)
{
    const struct histogram_span span = histogram_span(h->inverted_minimum, h->maximum);
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
