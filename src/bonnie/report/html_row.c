// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/report/figures.h"
#include "bonnie/reports.h"

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
    .help = "the row of an HTML table that Tim Bray's Bonnie prints",
    .run = html_row_run,
};
