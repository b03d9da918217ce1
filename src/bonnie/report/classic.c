// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "bonnie/report/figures.h"
#include "bonnie/reports.h"

/* Prints Tim Bray's table. A test that was not run leaves its column empty, so that later figures
 * stay below their headings. A figure that is too wide widens its column. */
#define LABEL_COLUMNS 8

static const char headings[] =
    "              -------Sequential Output-------- ---Sequential Input-- --Random--\n"
    "              -Per Char- --Block--- -Rewrite-- -Per Char- --Block--- --Seeks---\n"
    "Machine    MB K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU  /sec %CPU\n";

static uint64_t data_mib(const struct result *r)
{
    return (r->plan->data.bytes + MIB / 2) / MIB;
}

/* The figures of a test: whole KiB per second, seeks and CPU percent with one decimal. */
static struct figure figure_of(const struct result *r, enum test_id test)
{
    struct figure f;
    figure_init(&f, &r->tests[test], test, test_counts_operations(test) ? INFINITY : 0, 1);
    return f;
}

static int classic_run(FILE *out, const struct result *r)
{
    char label[LABEL_BYTES];
    sanitize_plain(label, r->plan->label);
    label[sanitize_cut(label, LABEL_COLUMNS)] = '\0';
    fputs(headings, out);
    fprintf(out, "%s%*s", label, (int)(LABEL_COLUMNS - sanitize_columns(label)), "");
    fprintf(out, " %4" PRIu64, data_mib(r));
    for (enum test_id test = 0; test < TEST_FIRST_METADATA; test = test_next_classic(test)) {
        const struct figure f = figure_of(r, test);
        fprintf(out, " %5s %4s", f.rate, f.cpu);
    }
    fputc('\n', out);
    return extra_tables(out, r, 1);
}

const struct report_ops report_classic = {
    .name = "classic", .run = classic_run, .all = summary_table};

/* Prints the HTML row of Bonnie 1.4 and 1.5: label, volumes and MB of each, pairs of figures. */
static int html_row_run(FILE *out, const struct result *r)
{
    char label[LABEL_HTML_BYTES];
    sanitize_html(label, r->plan->label);
    fprintf(out, "<TR><TD>%s</TD><TD>1 * %" PRIu64 "</TD>", label, data_mib(r));
    for (enum test_id test = 0; test < TEST_FIRST_METADATA; test = test_next_classic(test)) {
        const struct figure f = figure_of(r, test);
        fprintf(out, "<TD>%s</TD><TD>%s</TD>", f.rate, f.cpu);
    }
    fputs("</TR>\n", out);
    return report_end(out);
}

const struct report_ops report_html_row = {
    .name = "html", .is_of_whole_run = true, .run = html_row_run};
