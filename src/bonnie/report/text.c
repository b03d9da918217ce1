#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bonnie/report/extra_tables.h"
#include "bonnie/report/figures.h"
#include "bonnie/report/measured.h"
#include "bonnie/report/report.h"
#include "bonnie/report/summary_table.h"

/*
 * Prints Bonnie++'s table, made only from the texts of the CSV line (report/figures.h). A text that
 * is too wide for its column is not cut, but shifts the rest of the line.
 */
#define PREFIX       19 /* number of columns left of the figures */
#define PAIR_COLUMNS 8  /* number of columns of a rate and its CPU time */
#define CPU_COLUMNS  3
#define WIDTH        79 /* width of a line that has only label and settings */
#define MIN_LABEL                                                                                  \
    4 /* fewer columns of a label say nothing: then the label gets a line of its own */

/* The text of a default that result.h defines as a number. */
#define TEXT_OF(macro)    LITERAL_OF(macro)
#define LITERAL_OF(value) #value

static const char units[] = "  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP";

/* A line under construction, with ample room for the label and some twenty texts of UNITS_TEXT. */
struct line {
    char text[2048];
    size_t used;
};

static void add_text(struct line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_text(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line->text + line->used, sizeof line->text - line->used, format, arguments);
    va_end(arguments);
    line->used += strlen(line->text + line->used);
}

/* Prints the line without trailing blanks, and empties it. */
static void end_line(struct line *line, FILE *out)
{
    while (line->used > 0 && line->text[line->used - 1] == ' ')
        line->used--;
    fprintf(out, "%.*s\n", (int)line->used, line->text);
    line->used = 0;
}

/* Appends a text, cut or padded to `columns` columns. */
static void add_columns(struct line *line, const char *text, size_t columns)
{
    size_t width = sanitize_columns(text);
    int blanks = width < columns ? (int)(columns - width) : 0;
    add_text(line, "%.*s%*s", (int)sanitize_cut(text, columns), text, blanks, "");
}

/*
 * Formats a rate for the table: scales throughput, and other rates if they are wider than their
 * column.
 */
static void format_rate(char text[static UNITS_TEXT], enum test_id test, const char *rate,
                        size_t columns)
{
    bool is_number = rate[0] != '\0' && rate[0] != '+';
    bool is_speed = is_number && test < TEST_SEEKS;
    if (is_speed)
        units_format_speed(text, strtod(rate, NULL));
    else
        snprintf(text, UNITS_TEXT, "%s", rate);
    if (strlen(text) <= columns)
        return;
    if (is_speed)
        units_format_short_speed(text, strtod(rate, NULL));
    else if (is_number)
        units_format_short_count(text, strtod(rate, NULL));
}

/* Adds a rate and its CPU time. A CPU time above 999 percent takes columns from the rate. */
static void add_pair(struct line *line, enum test_id test, const struct figure *f)
{
    char rate[UNITS_TEXT];
    size_t cpu = strlen(f->cpu) > CPU_COLUMNS ? strlen(f->cpu) : CPU_COLUMNS;
    size_t room = cpu < PAIR_COLUMNS ? PAIR_COLUMNS - cpu : 0;
    format_rate(rate, test, f->rate, room);
    add_text(line, " %*s %*s", (int)room, rate, CPU_COLUMNS, f->cpu);
}

static void add_pairs(struct line *line, const struct figures *f, enum test_id first,
                      enum test_id last)
{
    for (enum test_id test = first; test <= last; test++)
        add_pair(line, test, &f->tests[test]);
}

static void print_latencies(FILE *out, const struct figures *f, enum test_id first,
                            enum test_id last)
{
    struct line line = {0};
    add_text(&line, "%-17s", "Latency");
    for (enum test_id test = first; test <= last; test++)
        add_text(&line, " %9s", f->tests[test].latency);
    end_line(&line, out);
}

/* Prints a line of headings with a text to the left of them. */
static void print_heading(FILE *out, const char *text, const char *heading)
{
    struct line line = {0};
    add_columns(&line, text, PREFIX);
    add_text(&line, " %s", heading);
    end_line(&line, out);
}

static void print_version(FILE *out, const struct result *r, const char *heading)
{
    char text[PREFIX + 1];
    snprintf(text, sizeof text, "Version %s", r->version);
    print_heading(out, text, heading);
}

/* Joins size:chunk:concurrency:seeks:seekers without defaults and trailing colons. */
static void join_size(struct line *size, const struct figures *f)
{
    const struct {
        const char *text, *is_default;
    } parts[] = {
        {f->chunk, ""}, /* empty if it is the default */
        {f->concurrency, "1"},
        {f->seeks, TEXT_OF(DEFAULT_SEEKS)},
        {f->seekers, TEXT_OF(DEFAULT_SEEKERS)},
    };
    add_text(size, "%s", f->size);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        add_text(size, ":%s", strcmp(parts[i].text, parts[i].is_default) != 0 ? parts[i].text : "");
    while (size->text[size->used - 1] == ':')
        size->text[--size->used] = '\0';
}

/*
 * Adds label and size to the line. If they do not fit before the figures, prints them on a line of
 * their own.
 */
static void add_name(struct line *line, FILE *out, const struct figures *f)
{
    struct line size = {0};
    join_size(&size, f);
    size_t needed = size.used + 1; /* with the blank before it */
    bool fits = needed + MIN_LABEL <= PREFIX || needed + sanitize_columns(f->label) <= PREFIX;
    if (fits) {
        add_columns(line, f->label, PREFIX - needed);
        add_text(line, " %s", size.text);
        return;
    }
    size_t room = needed < WIDTH ? WIDTH - needed : 0;
    add_text(line, "%.*s %s", (int)sanitize_cut(f->label, room), f->label, size.text);
    end_line(line, out);
    add_columns(line, "", PREFIX);
}

static void print_io(FILE *out, const struct result *r, const struct figures *f)
{
    print_version(out, r, "------Sequential Output------ --Sequential Input- --Random-");
    print_heading(out, "", "-Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--");
    fprintf(out, "%-*s%s\n", PREFIX, "Name:Size etc", units);

    struct line line = {0};
    add_name(&line, out, f);
    add_pairs(&line, f, TEST_PUTC, TEST_SEEKS);
    end_line(&line, out);
    print_latencies(out, f, TEST_PUTC, TEST_SEEKS);
}

/* Prints a table of iops, which Bonnie++'s table and line have no place for. */
static void print_iops(FILE *out, const struct result *r, const struct figures *f)
{
    const struct figure *iops = &f->tests[TEST_IOPS];
    struct line line = {0};
    print_version(out, r, "-Random Reads and Writes- ------------Latency------------");
    print_heading(out, "", "block writes     /sec %CP     50%     99%   99.9%     max");
    add_columns(&line, f->label, PREFIX);
    add_text(&line, " %5s %5s%% %8s %3s %7s %7s %7s %7s", f->iops_block, f->iops_writes, iops->rate,
             iops->cpu, f->iops_p50, f->iops_p99, f->iops_p99_9, iops->latency);
    end_line(&line, out);
}

/* Joins files:max:min/directories:chunk without defaults. */
static void join_files(struct line *files, const struct figures *f)
{
    add_text(files, "%s", f->files);
    if (f->file_max[0] != '\0')
        add_text(files, ":%s", f->file_max);
    if (f->file_min[0] != '\0')
        add_text(files, ":%s", f->file_min);
    if (f->directories[0] != '\0' || f->file_chunk[0] != '\0')
        add_text(files, "/%s", f->directories[0] != '\0' ? f->directories : "1");
    if (f->file_chunk[0] != '\0')
        add_text(files, ":%s", f->file_chunk);
}

static void print_metadata(FILE *out, const struct result *r, const struct figures *f)
{
    print_version(out, r, "------Sequential Create------ --------Random Create--------");
    print_heading(out, f->label, "-Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--");
    const char *heading = f->file_max[0] != '\0' ? "files:max:min" : "files";
    fprintf(out, "%*s%s\n", PREFIX, heading, units);

    struct line files = {0};
    join_files(&files, f);
    struct line line = {0};
    add_text(&line, "%*s", PREFIX, files.text);
    if (line.used > PREFIX) {
        end_line(&line, out);
        add_columns(&line, "", PREFIX);
    }
    add_pairs(&line, f, TEST_SEQ_CREATE, TEST_RAN_DEL);
    end_line(&line, out);
    print_latencies(out, f, TEST_SEQ_CREATE, TEST_RAN_DEL);
}

static void print_nothing_run(FILE *out, const struct result *r, const struct figures *f)
{
    static const char note[] = "  (no test was run)";
    print_version(out, r, "");
    fprintf(out, "%.*s%s\n", (int)sanitize_cut(f->label, WIDTH - (sizeof note - 1)), f->label,
            note);
}

static int text_run(FILE *out, const struct result *r)
{
    struct figures f;
    figures_init(&f, r);
    bool io = figures_any(&f, 0, TEST_IOPS);
    bool iops = figures_any(&f, TEST_IOPS, TEST_IOPS + 1);
    bool metadata = figures_any(&f, TEST_FIRST_METADATA, TEST_COUNT);
    if (io)
        print_io(out, r, &f);
    if (iops)
        print_iops(out, r, &f);
    if (metadata)
        print_metadata(out, r, &f);
    if (!io && !iops && !metadata)
        print_nothing_run(out, r, &f);
    extra_tables(out, r);
    return report_end(out);
}

const struct report_ops report_text = {
    .name = "text",
    .help = "the table of Bonnie++, for people",
    .run = text_run,
    .notes = measured_print,
    .all = summary_table,
};
