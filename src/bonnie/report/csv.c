// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/report/figures.h"
#include "bonnie/reports.h"

const char *const csv_names[] = {
    [CSV_1_98] = "1.98", [CSV_1_97] = "1.97", [CSV_1_96] = "1.96", [CSV_1_03] = "1.03", NULL};

/* A CSV line of one generation of Bonnie++. Each field is in the column from which the converter of
 * that generation reads it; Bonnie++ from 1.96 on itself prints the number of directories in the
 * field for the chunk size of the metadata tests. */
struct csv_line {
    FILE *out;
    enum csv_generation generation;
    bool is_header; /* names instead of texts */
    const char *separator;
};

/* Prints a field if the line's generation has it; `first` is the first generation that has it. */
static void put_field(struct csv_line *l, enum csv_generation first, const char *name,
                      const char *suffix, const char *text)
{
    if (l->generation > first)
        return;
    fprintf(l->out, "%s%s%s", l->separator, l->is_header ? name : text, l->is_header ? suffix : "");
    l->separator = ",";
}

/* Prints a setting. 1.03 has it in the previous field, and only if it is not the default. */
static void put_part(struct csv_line *l, const char *before, const char *name, const char *text)
{
    if (l->generation != CSV_1_03)
        put_field(l, CSV_1_96, name, "", text);
    else if (*text != '\0')
        fprintf(l->out, "%s%s", before, text);
}

static int put_line(struct csv_line *l, const char *version, const struct figures *f)
{
    bool is_1_96_or_1_97 = l->generation == CSV_1_96 || l->generation == CSV_1_97;
    char number[UNITS_TEXT];
    size_t length = 0;
    put_field(l, CSV_1_96, "format_version", "", csv_names[l->generation]);
    /* MAJOR, a dot, and the other numbers without dots: readers accept one dot (3.0.0: 3.00). Lines
     * of 1.96 and 1.97 have the format once more, because their readers look for it here. */
    for (const char *at = is_1_96_or_1_97 ? csv_names[l->generation] : version;
         *at != '\0' && length + 1 < sizeof number; at++)
        if (*at != '.' || !memchr(number, '.', length))
            number[length++] = *at;
    number[length] = '\0';
    put_field(l, CSV_1_96, "bonnie_version", "", number);
    put_field(l, CSV_1_03, "name", "", f->label);
    put_field(l, CSV_1_96, "concurrency", "", f->concurrency);
    put_field(l, CSV_1_96, "seed", "", f->seed);
    put_field(l, CSV_1_03, "file_size", "", f->size);
    put_part(l, ":", "chunk_size", is_1_96_or_1_97 ? "" : f->chunk);
    put_field(l, CSV_1_98, "num_seeks", "", f->seeks);
    put_field(l, CSV_1_98, "seek_proc_count", "", f->seekers);
    for (enum test_id test = 0; test < TEST_COUNT; test = test_next_classic(test)) {
        if (test == TEST_FIRST_METADATA) {
            put_field(l, CSV_1_03, "num_files", "", f->files);
            put_part(l, ":", "max_size", f->file_max);
            put_part(l, ":", "min_size", f->file_min);
            put_part(l, "/", "num_dirs", f->directories);
            put_field(l, CSV_1_96, "file_chunk_size", "", f->file_chunk);
        }
        put_field(l, CSV_1_03, test_names[test], "", f->tests[test].rate);
        put_field(l, CSV_1_03, test_names[test], "_cpu", f->tests[test].cpu);
    }
    for (enum test_id test = 0; test < TEST_COUNT; test = test_next_classic(test))
        put_field(l, CSV_1_96, test_names[test], "_latency", f->tests[test].latency);
    fputc('\n', l->out);
    return report_end(l->out);
}

/* Names the fields if there are several lines. */
static int csv_header(FILE *out, const struct result *r)
{
    const struct figures none = {0};
    struct csv_line l = {
        .out = out, .generation = r->plan->csv, .is_header = true, .separator = ""};
    return r->plan->runs > 1 ? put_line(&l, "", &none) : 0;
}

static int csv_run(FILE *out, const struct result *r)
{
    struct figures f;
    struct csv_line l = {.out = out, .generation = r->plan->csv, .separator = ""};
    figures_init(&f, r);
    return put_line(&l, r->version, &f);
}

const struct report_ops report_csv = {
    .name = "csv", .is_of_whole_run = true, .header = csv_header, .run = csv_run};
