#include "bonnie/report/summary_table.h"

#include <string.h>

#include "bonnie/report/report.h"
#include "measure/summary.h"
#include "util/units.h"

/* Smaller rates are printed with one decimal. At this limit the rounded text gets longer. */
#define SMALL_RATE 999.95

/*
 * Whether all runs of the test were long enough. As in the table of a single run, a test that was
 * too short has no figure.
 */
static bool is_long_enough(const struct result runs[], size_t count, enum test_id test)
{
    for (size_t i = 0; i < count; i++) {
        const struct test_result *t = &runs[i].tests[test];
        if (t->measured && !test_result_is_long_enough(t))
            return false;
    }
    return true;
}

static void print_rate(FILE *out, double rate)
{
    fprintf(out, " %11.*f", rate < SMALL_RATE ? 1 : 0, rate);
}

static void print_figures(FILE *out, const struct summary *s, const char *unit)
{
    print_rate(out, s->median);
    print_rate(out, s->min);
    print_rate(out, s->max);
    fprintf(out, "  %-5s", unit);
    if (s->runs > 1)
        fprintf(out, " %9s%%",
                units_beside(summary_half_width_percent(s), 1, SUMMARY_WIDE_PERCENT).text);
    fputs(summary_varies(s) ? "  varies\n" : "\n", out);
}

static int print_test(FILE *out, const struct result runs[], size_t count, enum test_id test)
{
    struct summary s;
    int rc = result_summarise(&s, runs, count, test);
    if (rc != 0 || s.runs == 0)
        return rc;
    fprintf(out, "%-10s %7zu", test_name(test), s.runs);
    if (is_long_enough(runs, count, test))
        print_figures(out, &s, test_rate_unit(test));
    else
        fprintf(out, " %11s %11s %11s  %s\n", "+++++", "+++++", "+++++", test_rate_unit(test));
    return 0;
}

int summary_table(FILE *out, const struct result runs[], size_t count)
{
    if (count < 2)
        return 0;
    fprintf(out, "%-10s %7s %11s %11s %11s  %-5s %10s\n", "Summary", "runs", "median", "min", "max",
            "unit", "+- 95%");
    int rc = 0;
    for (enum test_id test = 0; rc == 0 && test < TEST_COUNT; test++)
        rc = print_test(out, runs, count, test);
    int written = report_end(out);
    return rc ? rc : written;
}
