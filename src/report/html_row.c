#include "report/figures.h"
#include "report/report.h"

/* The row of an HTML table that Tim Bray's Bonnie prints: label, MB, then the pairs of figures. */
static int run(FILE *out, const struct result *r)
{
    char label[LABEL_HTML_BYTES];
    char size[UNITS_TEXT];
    label_html(label, r->label);
    figure_classic_size(size, r);
    fprintf(out, "<TR><TD>%s</TD><TD>%s</TD>", label, size);
    for (enum test_id test = 0; test < TEST_FIRST_METADATA; test = test_next_classic(test)) {
        struct figure f;
        figure_classic(&f, r, test);
        fprintf(out, "<TD>%s</TD><TD>%s</TD>", f.rate, f.cpu);
    }
    fputs("</TR>\n", out);
    return report_end(out);
}

const struct report_ops report_html_row = {
    .name = "html",
    .help = "the row of an HTML table that Tim Bray's Bonnie prints",
    .run = run,
};
