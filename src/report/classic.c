#include "report/figures.h"
#include "report/report.h"
#include "report/summary_table.h"

/*
 * Tim Bray's table. A column is kept when a test was not run, so that the figures behind it stand
 * below their headings, and gives way when a figure is wider than it.
 */
#define LABEL_COLUMNS 8

static const char headings[] =
    "              -------Sequential Output-------- ---Sequential Input-- --Random--\n"
    "              -Per Char- --Block--- -Rewrite-- -Per Char- --Block--- --Seeks---\n"
    "Machine    MB K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU  /sec %CPU\n";

static void print_label(FILE *out, const struct result *r)
{
    char label[LABEL_BYTES];
    label_plain(label, r->label);
    label[label_cut(label, LABEL_COLUMNS)] = '\0';
    fprintf(out, "%s%*s", label, (int)(LABEL_COLUMNS - label_columns(label)), "");
}

static int run(FILE *out, const struct result *r)
{
    fputs(headings, out);
    print_label(out, r);

    char size[UNITS_TEXT];
    figure_classic_size(size, r);
    fprintf(out, " %4s", size);
    for (enum test_id test = 0; test < TEST_FIRST_METADATA; test = test_next_classic(test)) {
        struct figure f;
        figure_classic(&f, r, test);
        fprintf(out, " %5s %4s", f.rate, f.cpu);
    }
    fputc('\n', out);
    return report_end(out);
}

const struct report_ops report_classic = {
    .name = "classic",
    .help = "the table of Tim Bray's Bonnie",
    .run = run,
    .all = summary_table,
};
