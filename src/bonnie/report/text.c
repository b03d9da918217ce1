// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bonnie/report/figures.h"
#include "bonnie/reports.h"
#include "bonnie/result.h"
#include "sync/ranks.h"
#include "util/printable.h"

/* "  page cache  seq_create  " */
#define NAME_COLUMNS 10

#define LIMIT_COLUMNS 10
#define NAMES_COLUMN  (2 + LIMIT_COLUMNS + 2)
#define TEXT_COLUMN   (NAMES_COLUMN + NAME_COLUMNS + 2)
#define PLACE_COLUMN  (2 + NAME_COLUMNS + 2)

/* Room for the names of all tests, separated by blanks. */
#define NAMES_TEXT (TEST_COUNT * (NAME_COLUMNS + 1))

/* Room for a note about tests. */
#define WORDS_TEXT 256

/* Tests that share a note, in the order of the tests. */
struct test_group {
    char names[NAMES_TEXT];
    size_t used;
    unsigned count;
};

static void group_add(struct test_group *group, enum test_id test)
{
    group->used += (size_t)snprintf(group->names + group->used, NAMES_TEXT - group->used, "%s%s",
                                    group->count > 0 ? " " : "", test_names[test]);
    group->count++;
}

/* Prints what a test found corrupted: the share of what it read, and the first places. */
static void print_corruption(FILE *out, const struct result *r)
{
    bool has_begun = false;
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct test_result *t = &r->tests[test];
        if (!t->measured || t->corrupted == 0)
            continue;
        if (!has_begun)
            fputs("What was damaged\n", out);
        has_begun = true;
        fprintf(out, "  %-*s  %" PRIu64 " %s in %" PRIu64 " bytes that were checked\n",
                NAME_COLUMNS, test_names[test], t->corrupted,
                t->corrupted == 1 ? "place" : "places", t->verified_bytes);
        for (size_t i = 0; i < t->corruption.count; i++) {
            const struct corruption_entry *entry = &t->corruption.entries[i];
            char text[CORRUPTED_PLACE_TEXT + 80];
            snprintf(text, sizeof text, "data file %" PRIu64 " at %" PRIu64 ": %s", entry->file,
                     entry->offset, entry->description);
            /* scripts take a line with a comma for the CSV line */
            for (char *comma = strchr(text, ','); comma; comma = strchr(comma, ','))
                *comma = ';';
            fprintf(out, "%*s", PLACE_COLUMN, "");
            print_wrapped(out, PLACE_COLUMN, text);
        }
    }
}

/* Prints the heading of a section before its first line. */
static void begin_section(FILE *out, bool *has_begun)
{
    if (!*has_begun)
        fputs("What was measured\n", out);
    *has_begun = true;
}

/* Prints "NAMES: WORDS" in the section. */
static void print_about(FILE *out, bool *has_begun, const char *names, const char *words)
{
    char text[NAMES_TEXT + 2 + TAIL_TEXT];
    snprintf(text, sizeof text, "%s: %s", names, words);
    begin_section(out, has_begun);
    fputs("  ", out);
    print_wrapped(out, 2, text);
}

/* Notes which tests were measured for less than --min-time. */
static void print_short(FILE *out, const struct result *r, bool *has_begun)
{
    struct test_group group = {0};
    char words[WORDS_TEXT];
    double least = 0;
    double most = 0;
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct test_result *t = &r->tests[test];
        double seconds = (double)t->elapsed_ns / 1e9;
        if (!t->measured || !t->is_short)
            continue;
        least = group.count == 0 || seconds < least ? seconds : least;
        most = seconds > most ? seconds : most;
        group_add(&group, test);
    }
    if (group.count == 0)
        return;
    if (most - least < 0.005)
        snprintf(words, sizeof words, "measured for only %.2f s; more would take long to prepare.",
                 most);
    else
        snprintf(words, sizeof words,
                 "measured for only %.2f to %.2f s; more would take long to prepare.", least, most);
    print_about(out, has_begun, group.names, words);
}

/* Notes which tests would have written, if the device were to be written to. */
static void print_reads(FILE *out, const struct result *r, bool *has_begun)
{
    struct test_group group = {0};
    for (enum test_id test = TEST_SEEKS; test <= TEST_IOPS; test++)
        if (r->plan->reads_only && r->tests[test].measured)
            group_add(&group, test);
    if (group.count > 0)
        print_about(out, has_begun, group.names, "only read; the device is not written to.");
}

/* The text about the tail is the longest of those that the following functions write. */

static void say_levels(char words[static TAIL_TEXT], const struct test_result *t, enum test_id test)
{
    levels_words(words, &t->levels, test_counts_operations(test) ? t->chunk_bytes : 0);
}

static void say_tail(char words[static TAIL_TEXT], const struct test_result *t, enum test_id test)
{
    (void)test;
    tail_summary_words(words, &t->tail);
}

static void say_steady(char words[static TAIL_TEXT], const struct test_result *t, enum test_id test)
{
    (void)test;
    if (!t->steady.wanted)
        return;
    steady_text(words, &t->steady);
    strcat(words, ".");
}

/* Prints what `say` writes about each test, unless it writes nothing. */
static void print_each(FILE *out, const struct result *r, bool *has_begun,
                       void (*say)(char words[static TAIL_TEXT], const struct test_result *t,
                                   enum test_id test))
{
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        char words[TAIL_TEXT] = "";
        say(words, &r->tests[test], test);
        if (words[0] != '\0')
            print_about(out, has_begun, test_names[test], words);
    }
}

/*
 * Notes which tests had transfers that cost more than necessary. All of them use the same engine.
 */
static void print_plain_queues(FILE *out, const struct result *r, bool *has_begun)
{
    struct test_group group = {0};
    char words[WORDS_TEXT];
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct test_result *t = &r->tests[test];
        if (!t->measured || !t->has_plain_queue)
            continue;
        snprintf(words, sizeof words,
                 "buffers could not be registered with %s (ulimit -l): each transfer takes more "
                 "CPU time.",
                 t->engine);
        group_add(&group, test);
    }
    if (group.count > 0)
        print_about(out, has_begun, group.names, words);
}

/*
 * Prints a verdict. One test has it on the line of its name; several have their names on a line,
 * and the verdict below.
 */
static void print_verdict(FILE *out, const struct test_group *group, const struct verdict *v,
                          bool advice)
{
    char text[ADVICE_TEXT];
    char sentence[LIMIT_SENTENCE];
    limit_sentence(sentence, &v->least, &v->most);
    fprintf(out, "  %-*s  ", LIMIT_COLUMNS, limit_name(v->least.by));
    if (group->count == 1) {
        fprintf(out, "%-*s  ", NAME_COLUMNS, group->names);
        print_wrapped(out, TEXT_COLUMN, sentence);
    } else {
        print_wrapped(out, NAMES_COLUMN, group->names);
        fprintf(out, "%*s", NAMES_COLUMN, "");
        print_wrapped(out, NAMES_COLUMN, sentence);
    }
    if (!advice || v->advice == 0)
        return;
    advice_text(text, v->advice);
    fprintf(out, "%*s", NAMES_COLUMN, "");
    print_wrapped(out, NAMES_COLUMN, text);
}

static bool has_verdict(const struct test_result *t)
{
    return test_result_is_long_enough(t) && t->verdict.is_known;
}

/* Prints all verdicts. Tests with the same reason share one, at the place of the first of them. */
static void print_verdicts(FILE *out, const struct result *r, bool advice, bool *has_begun)
{
    bool is_told[TEST_COUNT] = {false};
    for (enum test_id first = 0; first < TEST_COUNT; first++) {
        struct verdict sum = r->tests[first].verdict;
        struct test_group group = {0};
        if (is_told[first] || !has_verdict(&r->tests[first]))
            continue;
        for (enum test_id test = first; test < TEST_COUNT; test++) {
            const struct test_result *t = &r->tests[test];
            if (!has_verdict(t) || !verdict_join(&sum, &t->verdict))
                continue;
            is_told[test] = true;
            group_add(&group, test);
        }
        begin_section(out, has_begun);
        print_verdict(out, &group, &sum, advice);
    }
}

/* Prints how closely several ranks began together, in the test in which that was worst. */
static void print_starts(FILE *out, const struct result *r, bool *has_begun)
{
    char text[WORDS_TEXT];
    char starts[STARTS_TEXT];
    uint64_t spread = 0;
    uint64_t uncertainty = 0;
    size_t hosts = 0;
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct joint_test *t = &r->tests[test].together;
        spread = t->start_spread_ns > spread ? t->start_spread_ns : spread;
        uncertainty = t->clock_uncertainty_ns > uncertainty ? t->clock_uncertainty_ns : uncertainty;
        hosts = t->host_count > hosts ? t->host_count : hosts;
    }
    if (hosts == 0)
        return;
    begin_section(out, has_begun);
    starts_text(starts, spread, uncertainty);
    snprintf(text, sizeof text, "%u ranks on %zu host%s began every test %s; each read what %s.",
             r->ranks, hosts, hosts == 1 ? "" : "s", starts,
             r->shift > 0 ? "another wrote (--shift)" : "it wrote itself");
    fputs("  ", out);
    print_wrapped(out, 2, text);
}

/* Prints the host that each test waited for. */
static void print_slowest(FILE *out, const struct result *r)
{
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct joint_test *t = &r->tests[test].together;
        if (t->host_count < 2)
            continue;
        const struct host_result *slowest = together_slowest(t);
        fprintf(out, "  %-*s  slowest host: %s (%.2f s of %.2f s)\n", NAME_COLUMNS,
                test_names[test], printable(slowest->name).text, (double)slowest->elapsed_ns / 1e9,
                (double)r->tests[test].elapsed_ns / 1e9);
    }
}

static void print_facts(FILE *out, const struct result *r, bool *has_begun)
{
    const struct facts *f = &r->storage->facts;
    for (unsigned i = 0; i < f->count && i < FACT_PRINTED; i++) {
        begin_section(out, has_begun);
        fputs("  ", out);
        print_wrapped(out, 2, printable(f->list[i].text).text);
    }
}

/* Says that O_DIRECT went past the page cache, or that nobody knows; a "no" is a verdict. */
static void print_direct(FILE *out, const struct result *r, bool *has_begun)
{
    char text[DIRECT_TEXT];
    if (direct_text(text, r, 1) == DIRECT_NO || !*text)
        return;
    begin_section(out, has_begun);
    fputs("  ", out);
    print_wrapped(out, 2, text);
}

/*
 * Prints below "What was measured" what limited every test's figure and, with `advice`, which
 * options may help, and below "What was damaged" the first corrupted places. Tests with the same
 * reason share their lines, so that the table above stays visible on a screen of 24 lines. All
 * lines below these two headings are indented and have no commas, because scripts take a line with
 * a comma for the CSV line. Prints nothing if there is nothing to report. Returns 0, or a negative
 * errno when not everything could be written.
 */
static int measured_print(FILE *out, const struct result *r, bool advice)
{
    bool has_begun = false;
    print_verdicts(out, r, advice, &has_begun);
    print_direct(out, r, &has_begun);
    print_facts(out, r, &has_begun);
    print_each(out, r, &has_begun, say_levels);
    print_each(out, r, &has_begun, say_tail);
    print_each(out, r, &has_begun, say_steady);
    print_starts(out, r, &has_begun);
    print_slowest(out, r);
    print_short(out, r, &has_begun);
    print_reads(out, r, &has_begun);
    print_plain_queues(out, r, &has_begun);
    print_corruption(out, r);
    return report_end(out);
}

/*
 * Prints Bonnie++'s table, made only from the texts of the CSV line (report/figures.h). A text that
 * is too wide for its column is not cut, but shifts the rest of the line.
 */
#define PREFIX 19 /* number of columns left of the figures */

#define PAIR_COLUMNS 8 /* number of columns of a rate and its CPU time */
#define CPU_COLUMNS  3
#define WIDTH        79 /* width of a line that has only label and settings */

/* Fewer columns of a label say nothing: then the label gets a line of its own. */
#define MIN_LABEL 4

/* The text of a default that settings.h defines as a number. */
#define TEXT_OF(macro) LITERAL_OF(macro)

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

static void print_metadata(FILE *out, const struct result *r, const struct figures *f)
{
    print_version(out, r, "------Sequential Create------ --------Random Create--------");
    print_heading(out, f->label, "-Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--");
    const char *heading = f->file_max[0] != '\0' ? "files:max:min" : "files";
    fprintf(out, "%*s%s\n", PREFIX, heading, units);

    struct line files = {0}; /* files:max:min/directories:chunk without defaults */
    add_text(&files, "%s", f->files);
    if (f->file_max[0] != '\0')
        add_text(&files, ":%s", f->file_max);
    if (f->file_min[0] != '\0')
        add_text(&files, ":%s", f->file_min);
    if (f->directories[0] != '\0' || f->file_chunk[0] != '\0')
        add_text(&files, "/%s", f->directories[0] != '\0' ? f->directories : "1");
    if (f->file_chunk[0] != '\0')
        add_text(&files, ":%s", f->file_chunk);
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
    if (!io && !iops && !metadata) {
        static const char note[] = "  (no test was run)";
        print_version(out, r, "");
        fprintf(out, "%.*s%s\n", (int)sanitize_cut(f.label, WIDTH - (sizeof note - 1)), f.label,
                note);
    }
    extra_tables(out, r, 1);
    return report_end(out);
}

const struct report_ops report_text = {
    .name = "text",
    .run = text_run,
    .notes = measured_print,
    .all = summary_table,
};
