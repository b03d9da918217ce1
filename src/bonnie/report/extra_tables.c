#include "bonnie/report/extra_tables.h"

#include <inttypes.h>

#include "util/units.h"

#define NAME_COLUMNS 10

/*
 * Smaller latencies are printed in nanoseconds, because whole microseconds would hide differences.
 */
#define SMALL_LATENCY_NS 10000

static bool moves_data(enum test_id test)
{
    return test < TEST_FIRST_METADATA && test != TEST_SEEKS;
}

static void print_throughput(FILE *out, const struct result *r)
{
    fprintf(out, "%-*s %12s %12s\n", NAME_COLUMNS, "Throughput", "MiB/s", "MB/s");
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct test_result *t = &r->tests[test];
        double kib = test_result_kib_per_second(t);
        if (!t->measured || !moves_data(test))
            continue;
        if (test_result_is_long_enough(t))
            fprintf(out, "%-*s %12.1f %12.1f\n", NAME_COLUMNS, test_name(test), kib / 1024,
                    kib * 1024 / 1e6);
        else
            fprintf(out, "%-*s %12s %12s\n", NAME_COLUMNS, test_name(test), "+++++", "+++++");
    }
}

static void print_latency(FILE *out, uint64_t nanoseconds)
{
    char text[UNITS_TEXT];
    if (nanoseconds < SMALL_LATENCY_NS)
        snprintf(text, sizeof text, "%" PRIu64 "ns", nanoseconds);
    else
        units_format_latency(text, nanoseconds);
    fprintf(out, " %8s", text);
}

static void print_percentiles(FILE *out, const struct result *r)
{
    fprintf(out, "%-*s %8s %8s %8s %8s %8s %8s %8s\n", NAME_COLUMNS, "Latency", "50%", "90%", "95%",
            "99%", "99.9%", "99.99%", "max");
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct latencies *l = &r->tests[test].latency_ns;
        const uint64_t all[] = {l->p50, l->p90, l->p95, l->p99, l->p99_9, l->p99_99, l->max};
        if (!r->tests[test].measured)
            continue;
        fprintf(out, "%-*s", NAME_COLUMNS, test_name(test));
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            print_latency(out, all[i]);
        fputc('\n', out);
    }
}

void extra_tables(FILE *out, const struct result *r)
{
    if (r->si)
        print_throughput(out, r);
    if (r->percentiles)
        print_percentiles(out, r);
}
