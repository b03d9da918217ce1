#include <math.h>

#include "bonload/report/report.h"
#include "util/units.h"

/*
 * Writes the layout of HdrHistogram's percentile files (by Gil Tene), which existing plotters read.
 */

/* The standard deviation, computed from the middles of the buckets. */
static double deviation_of(const struct histogram *h)
{
    const struct histogram_span span = histogram_span(h->inverted_minimum, h->maximum);
    double mean = histogram_mean(h);
    double squares = 0;
    for (unsigned i = span.first; i < span.end; i++)
        squares += pow((double)histogram_middle(i) - mean, 2) * (double)h->buckets[i];
    return h->count > 0 ? sqrt(squares / (double)h->count) : 0;
}

static void print_line(double value, uint64_t seen, uint64_t count, FILE *out)
{
    double share = (double)seen / (double)count;
    fprintf(out, "%12.6f %2.12f %10.0f", value / (double)MILLION, share, (double)seen);
    if (seen < count)
        fprintf(out, " %14.2f", 1 / (1 - share));
    fputc('\n', out);
}

void report_hgrm(const struct histogram *h, FILE *out)
{
    const struct histogram_span span = histogram_span(h->inverted_minimum, h->maximum);
    uint64_t seen = 0;
    fputs("       Value     Percentile TotalCount 1/(1-Percentile)\n\n", out);
    for (unsigned i = span.first; i < span.end; i++) {
        if (h->buckets[i] == 0)
            continue;
        seen += h->buckets[i];
        uint64_t middle = histogram_middle(i);
        print_line((double)(middle < h->maximum ? middle : h->maximum), seen, h->count, out);
    }
    fprintf(out, "#[Mean    = %12.6f, StdDeviation   = %12.6f]\n",
            histogram_mean(h) / (double)MILLION, deviation_of(h) / (double)MILLION);
    fprintf(out, "#[Max     = %12.6f, Total count    = %12.0f]\n",
            (double)h->maximum / (double)MILLION, (double)h->count);
    fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n",
            HISTOGRAM_TOP_BITS - HISTOGRAM_SUB_BITS + 1, HISTOGRAM_SUB);
}
