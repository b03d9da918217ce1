// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/report/figures.h"
#include "bonnie/reports.h"

/*
 * Prints Tim Bray's table. A test that was not run leaves its column empty, so that later figures
 * stay below their headings. A figure that is too wide widens its column.
 */
#define LABEL_COLUMNS 8

static const char headings[] =
    "              -------Sequential Output-------- ---Sequential Input-- --Random--\n"
    "              -Per Char- --Block--- -Rewrite-- -Per Char- --Block--- --Seeks---\n"
    "Machine    MB K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU  /sec %CPU\n";

static int classic_run(FILE *out, const struct result *r)
{
    char label[LABEL_BYTES];
    struct classic_figures f;
    sanitize_plain(label, r->plan->label);
    label[sanitize_cut(label, LABEL_COLUMNS)] = '\0';
    figures_classic(&f, r);
    fputs(headings, out);
    fprintf(out, "%s%*s", label, (int)(LABEL_COLUMNS - sanitize_columns(label)), "");
    fprintf(out, " %4s", f.size);
    for (size_t i = 0; i < CLASSIC_TESTS; i++)
        fprintf(out, " %5s %4s", f.tests[i].rate, f.tests[i].cpu);
    fputc('\n', out);
    extra_tables(out, r, 1);
    return report_end(out);
}

const struct report_ops report_classic = {
    .name = "classic",
    .run = classic_run,
    .all = summary_table,
};

/*
 * Prints the row of an HTML table that Tim Bray's Bonnie prints: label, MB, and the pairs of
 * figures.
 */
static int html_row_run(FILE *out, const struct result *r)
{
    char label[LABEL_HTML_BYTES];
    struct classic_figures f;
    sanitize_html(label, r->plan->label);
    figures_classic(&f, r);
    fprintf(out, "<TR><TD>%s</TD><TD>%s</TD>", label, f.size);
    for (size_t i = 0; i < CLASSIC_TESTS; i++)
        fprintf(out, "<TD>%s</TD><TD>%s</TD>", f.tests[i].rate, f.tests[i].cpu);
    fputs("</TR>\n", out);
    return report_end(out);
}

const struct report_ops report_html_row = {
    .name = "html",
    .run = html_row_run,
};
