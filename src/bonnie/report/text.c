// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdarg.h>

#include "bonnie/report/figures.h"
#include "bonnie/reports.h"

#define NAME_COLUMNS 10                                /* "  page cache  seq_create" */
#define NAMES_TEXT   (TEST_COUNT * (NAME_COLUMNS + 1)) /* room for the names of all tests */

/* Adds a test to those that share a note, in the order of the tests. */
static void name_add(struct label_text *names, enum test_id test)
{
    label_add(names, "%s%s", *names->text ? " " : "", test_names[test]);
}

#define HEADING "What limited each test"

/* The section below the table. */
struct notes {
    FILE *out;
    bool has_begun; /* the heading has been printed */
};

/* Prints a note in the section. */
__attribute__((format(printf, 2, 3))) static void note(struct notes *n, const char *format, ...)
{
    char text[NAMES_TEXT + 2 + PRINTABLE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs(n->has_begun ? "  " : HEADING "\n  ", n->out);
    n->has_begun = true;
    print_wrapped(n->out, 2, text);
}

/* Prints above the table what a test found damaged: the share of what it read, and the first
 * places. Lines have no commas, because scripts take a line with one for the CSV line. */
static int damage_print(FILE *out, const struct result *r)
{
    bool has_begun = false;
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct test_result *t = &r->tests[test];
        if (!t->measured || t->corrupted == 0)
            continue;
        has_begun = true;
        fprintf(out, "DAMAGED: %s: %" PRIu64 " %s in the %s that were checked\n", test_names[test],
                t->corrupted, t->corrupted == 1 ? "place" : "places",
                units_bytes(t->verified_bytes).text);
        for (size_t i = 0; i < t->corruption.count; i++) {
            const struct corruption_entry *entry = &t->corruption.entries[i];
            char text[CORRUPTED_PLACE_TEXT + 80];
            snprintf(text, sizeof text, "data file %" PRIu64 " at %" PRIu64 ": %s", entry->file,
                     entry->offset, entry->description);
            for (char *comma = strchr(text, ','); comma; comma = strchr(comma, ','))
                *comma = ';';
            fputs("  ", out);
            print_wrapped(out, 2, text);
        }
    }
    if (has_begun)
        fputc('\n', out);
    return report_end(out);
}

/* Notes what is to be known about single tests: levels of their speed, slow operations, rounds. */
static void note_tests(struct notes *n, const struct result *r)
{
    enum { LEVELS, TAIL, STEADY, KINDS };
    const char *unseen = NULL;
    for (int kind = LEVELS; kind < KINDS; kind++)
        for (enum test_id test = 0; test < TEST_COUNT; test++) {
            const struct test_result *t = &r->tests[test];
            struct label_text words = {""};
            if (kind == LEVELS)
                levels_words(&words, &t->levels, test_counts_operations(test) ? t->chunk_bytes : 0);
            else if (kind == TAIL)
                tail_summary_words(&words, &t->tail, "");
            else if (t->steady.wanted)
                steady_words(&words, &t->steady);
            if (*words.text)
                note(n, "%s: %s%s", test_names[test], words.text, kind == STEADY ? "." : "");
            if (t->tail.is_wanted && *t->tail.note)
                unseen = t->tail.note; /* the same of all tests */
        }
    if (unseen)
        note(n, "Not everything can be seen: %s.", unseen);
}

/* Notes what several tests have in common: measured for less than --min-time, only read ... */
static void note_groups(struct notes *n, const struct result *r)
{
    struct label_text brief = {""};
    struct label_text reading = {""};
    struct label_text plain = {""}; /* transfers cost more than necessary; all use one engine */
    const char *engine = "";
    double least = 0;
    double most = 0;
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct test_result *t = &r->tests[test];
        double seconds = (double)t->elapsed_ns / 1e9;
        if (!t->measured)
            continue;
        if (t->is_short) {
            least = !*brief.text ? seconds : MIN(seconds, least);
            most = MAX(seconds, most);
            name_add(&brief, test);
        }
        if (r->plan->reads_only && (test == TEST_SEEKS || test == TEST_IOPS))
            name_add(&reading, test);
        if (t->has_plain_queue) {
            engine = t->engine;
            name_add(&plain, test);
        }
    }
    if (*brief.text && most - least < 0.005)
        note(n, "%s: measured for only %.2f s; more would take long to prepare.", brief.text, most);
    else if (*brief.text)
        note(n, "%s: measured for only %.2f to %.2f s; more would take long to prepare.",
             brief.text, least, most);
    if (*reading.text)
        note(n, "%s: only read; the device is not written to.", reading.text);
    if (*plain.text)
        note(n,
             "%s: buffers could not be registered with %s (ulimit -l): each transfer takes more "
             "CPU time.",
             plain.text, engine);
}

static bool has_verdict(const struct test_result *t)
{
    return test_result_is_long_enough(t) && t->verdict.is_known;
}

/* Prints the table and, once for all tests with one reason, what else is known, and `advice`. */
static void print_limits(struct notes *n, const struct result *r, bool advice)
{
    static const int columns[] = {sizeof "device busy" + 1, sizeof "computing" + 1,
                                  sizeof "no CPU" + 1};
    bool is_told[TEST_COUNT] = {false};
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct judgement *j = &r->tests[test].verdict.least;
        const double figures[] = {j->device_known ? j->device_percent : -1, j->computed_percent,
                                  j->others.waited_percent};
        if (!has_verdict(&r->tests[test]))
            continue;
        if (!n->has_begun)
            fprintf(n->out, "%-*s  device busy  computing  no CPU\n", 2 * (2 + NAME_COLUMNS),
                    HEADING);
        n->has_begun = true;
        fprintf(n->out, "  %-*s  %-*s", NAME_COLUMNS, limit_text(j->by), NAME_COLUMNS,
                test_names[test]);
        for (size_t i = 0; i < COUNT_OF(figures); i++)
            if (figures[i] < 0)
                fprintf(n->out, "%*s", columns[i], "-");
            else
                fprintf(n->out, "%*.0f %%", columns[i] - 2, floor(figures[i]));
        fputc('\n', n->out);
    }
    for (enum test_id first = 0; first < TEST_COUNT; first++) {
        struct verdict sum = r->tests[first].verdict;
        struct label_text names = {""};
        char help[ADVICE_TEXT] = "";
        char sentence[LIMIT_SENTENCE] = "";
        if (is_told[first] || !has_verdict(&r->tests[first]))
            continue;
        for (enum test_id test = first; test < TEST_COUNT; test++) {
            const struct test_result *t = &r->tests[test];
            if (!has_verdict(t) || !verdict_join(&sum, &t->verdict))
                continue;
            is_told[test] = true;
            name_add(&names, test);
        }
        const enum limit_reason reason = sum.least.reason;
        bool is_in_table = reason == REASON_OTHERS_COMPUTED || /* which says all of it */
                           (sum.least.quota_percent <= 0 &&
                            (reason == REASON_NOTHING_EXPLAINS || reason == REASON_DEVICE_BUSY ||
                             reason == REASON_COMPUTED));
        if (!is_in_table)
            limit_sentence(sentence, &sum.least, &sum.most);
        else if (reason == REASON_NOTHING_EXPLAINS)
            snprintf(sentence, sizeof sentence, "Nothing that was watched explains the figure.");
        if (advice && sum.advice > 0)
            advice_text(help, sum.advice);
        if (*sentence || *help)
            note(n, "%s: %s%s%s", names.text, sentence, *sentence && *help ? " " : "", help);
    }
}

/* Prints how closely several ranks began together, at worst, and the host a test waited for. */
static void print_ranks(struct notes *n, const struct result *r)
{
    char starts[STARTS_TEXT];
    uint64_t spread = 0;
    uint64_t uncertainty = 0;
    size_t hosts = 0;
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct joint_test *t = &r->tests[test].together;
        spread = MAX(t->start_spread_ns, spread);
        uncertainty = MAX(t->clock_uncertainty_ns, uncertainty);
        hosts = MAX(t->host_count, hosts);
    }
    if (hosts == 0)
        return;
    starts_text(starts, spread, uncertainty);
    note(n, "%u ranks on %zu host%s began every test %s; each read what %s.", r->ranks, hosts,
         hosts == 1 ? "" : "s", starts,
         r->shift > 0 ? "another wrote (--shift)" : "it wrote itself");
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct joint_test *t = &r->tests[test].together;
        if (t->host_count < 2)
            continue;
        const struct host_result *slowest = together_slowest(t);
        fprintf(n->out, "  %-*s  slowest host: %s (%.2f s of %.2f s)\n", NAME_COLUMNS,
                test_names[test], printable(slowest->name).text, (double)slowest->elapsed_ns / 1e9,
                (double)r->tests[test].elapsed_ns / 1e9);
    }
}

/* Prints what limited every test's figure and, with `advice`, which options may help. Lines are
 * shared, so that the table above stays visible on a screen of 24 lines; they are indented and have
 * no commas, because scripts take a line with a comma for the CSV line. */
static int measured_print(FILE *out, const struct result *r, bool advice)
{
    const struct facts *f = &r->storage->facts;
    struct notes n = {.out = out};
    struct label_text direct = {""};
    print_limits(&n, r, advice);
    note_tests(&n, r);
    /* O_DIRECT went past the page cache, or nobody knows; a "no" is a verdict */
    if (direct_words(&direct, r, 1) != DIRECT_NO && *direct.text)
        note(&n, "%s", direct.text);
    for (unsigned i = 0; i < f->count && i < FACT_PRINTED; i++)
        note(&n, "%s", printable(f->list[i].text).text);
    print_ranks(&n, r);
    note_groups(&n, r);
    return report_end(out);
}

/* Bonnie++'s table. A text that is too wide for its column shifts the rest of the line. */
#define PREFIX        19 /* number of columns left of the figures */
#define PAIR_COLUMNS  8  /* number of columns of a rate and its CPU time */
#define CPU_COLUMNS   3
#define WIDTH         79  /* width of a line that has only label and settings */
#define MIN_LABEL     4   /* fewer columns say nothing: then the label gets a line of its own */
#define SETTINGS_TEXT 512 /* room for five settings of UNITS_TEXT */

/* The text of a default that preset.h defines as a number. */
#define TEXT_OF(macro)    LITERAL_OF(macro)
#define LITERAL_OF(value) #value

static const char units[] = "  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP";

/* Prints a text, cut or padded to `columns` columns. */
static void print_columns(FILE *out, const char *text, size_t columns)
{
    size_t width = sanitize_columns(text);
    int blanks = width < columns ? (int)(columns - width) : 0;
    fprintf(out, "%.*s%*s", (int)sanitize_cut(text, columns), text, blanks, "");
}

/* Ends a line with the rates of some tests and their CPU times; a line with their latencies
 * follows. Throughput is scaled, and so are other rates that are wider than their column. A CPU
 * time above 999 percent takes columns from the rate. */
static void print_pairs(FILE *out, const struct figures *f, enum test_id first, enum test_id last)
{
    for (enum test_id test = first; test <= last; test++) {
        const char *rate = f->tests[test].rate;
        const char *cpu = f->tests[test].cpu;
        char text[UNITS_TEXT];
        size_t width = strlen(cpu) > CPU_COLUMNS ? strlen(cpu) : CPU_COLUMNS;
        size_t room = width < PAIR_COLUMNS ? PAIR_COLUMNS - width : 0;
        bool is_number = rate[0] != '\0' && rate[0] != '+';
        bool is_speed = is_number && test < TEST_SEEKS;
        if (is_speed)
            units_format_speed(text, strtod(rate, NULL));
        else
            snprintf(text, UNITS_TEXT, "%s", rate);
        if (is_speed && strlen(text) > room)
            units_format_short_speed(text, strtod(rate, NULL));
        else if (is_number && strlen(text) > room)
            units_format_short_count(text, strtod(rate, NULL));
        fprintf(out, " %*s %*s", (int)room, text, CPU_COLUMNS, cpu);
    }
    fprintf(out, "\n%-17s", "Latency");
    for (enum test_id test = first; test <= last; test++)
        fprintf(out, " %9s", f->tests[test].latency);
    fputc('\n', out);
}

/* Prints a line of headings with a text to the left of them. */
static void print_heading(FILE *out, const char *text, const char *heading)
{
    print_columns(out, text, PREFIX);
    fprintf(out, " %s\n", heading);
}

static void print_version(FILE *out, const struct result *r, const char *heading)
{
    char text[PREFIX + 1];
    snprintf(text, sizeof text, "Version %s", r->version);
    print_heading(out, text, heading);
}

static void print_io(FILE *out, const struct result *r, const struct figures *f)
{
    print_version(out, r, "------Sequential Output------ --Sequential Input- --Random-");
    print_heading(out, "", "-Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--");
    fprintf(out, "%-*s%s\n", PREFIX, "Name:Size etc", units);

    /* size:chunk:concurrency:seeks:seekers without defaults and trailing colons */
    const struct {
        const char *text, *is_default;
    } parts[] = {
        {f->chunk, ""}, /* empty if it is the default */
        {f->concurrency, "1"},
        {f->seeks, TEXT_OF(DEFAULT_SEEKS)},
        {f->seekers, TEXT_OF(DEFAULT_SEEKERS)},
    };
    char size[SETTINGS_TEXT];
    size_t used = (size_t)snprintf(size, sizeof size, "%s", f->size);
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        used +=
            (size_t)snprintf(size + used, sizeof size - used, ":%s",
                             strcmp(parts[i].text, parts[i].is_default) != 0 ? parts[i].text : "");
    while (size[used - 1] == ':')
        size[--used] = '\0';

    /* label and size, on a line of their own if they do not fit before the figures */
    size_t needed = used + 1; /* with the blank before it */
    if (needed + MIN_LABEL <= PREFIX || needed + sanitize_columns(f->label) <= PREFIX) {
        print_columns(out, f->label, PREFIX - needed);
        fprintf(out, " %s", size);
    } else {
        size_t room = needed < WIDTH ? WIDTH - needed : 0;
        fprintf(out, "%.*s %s\n%*s", (int)sanitize_cut(f->label, room), f->label, size, PREFIX, "");
    }
    print_pairs(out, f, TEST_PUTC, TEST_SEEKS);
}

/* Prints a table of iops, which Bonnie++'s table and line have no place for. */
static void print_iops(FILE *out, const struct result *r, const struct figures *f)
{
    const struct figure *iops = &f->tests[TEST_IOPS];
    const struct latencies *l = &r->tests[TEST_IOPS].latency_ns;
    const uint64_t percentiles[] = {l->p50, l->p99, l->p99_9};
    char text[UNITS_TEXT];
    print_version(out, r, "-Random Reads and Writes- ------------Latency------------");
    print_heading(out, "", "block writes     /sec %CP     p50     p99   p99.9     max");
    print_columns(out, f->label, PREFIX);
    units_format_chunk(text, r->plan->iops.block_bytes);
    fprintf(out, " %5s %5u%% %8s %3s", text, r->plan->iops.write_percent, iops->rate, iops->cpu);
    for (size_t i = 0; i < COUNT_OF(percentiles); i++) {
        units_format_latency(text, percentiles[i]);
        fprintf(out, " %7s", percentiles[i] > 0 ? text : "-");
    }
    fprintf(out, " %7s\n", iops->latency);
}

static void print_metadata(FILE *out, const struct result *r, const struct figures *f)
{
    print_version(out, r, "------Sequential Create------ --------Random Create--------");
    print_heading(out, f->label, "-Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--");
    fprintf(out, "%*s%s\n", PREFIX, *f->file_max ? "files:max:min" : "files", units);

    char files[SETTINGS_TEXT]; /* files:max:min/directories:chunk without defaults */
    bool has_directories = *f->directories || *f->file_chunk;
    snprintf(files, sizeof files, "%s%s%s%s%s%s%s%s%s", f->files, *f->file_max ? ":" : "",
             f->file_max, *f->file_min ? ":" : "", f->file_min, has_directories ? "/" : "",
             has_directories && !*f->directories ? "1" : f->directories, *f->file_chunk ? ":" : "",
             f->file_chunk);
    if (fprintf(out, "%*s", PREFIX, files) > PREFIX)
        fprintf(out, "\n%*s", PREFIX, "");
    print_pairs(out, f, TEST_SEQ_CREATE, TEST_RAN_DEL);
}

static int text_run(FILE *out, const struct result *r)
{
    struct figures f;
    char *text = NULL;
    size_t size = 0;
    FILE *table = open_memstream(&text, &size);
    if (!table)
        return -ENOMEM;
    figures_init(&f, r);
    bool io = figures_any(&f, 0, TEST_IOPS);
    bool iops = figures_any(&f, TEST_IOPS, TEST_IOPS + 1);
    bool metadata = figures_any(&f, TEST_FIRST_METADATA, TEST_COUNT);
    if (io)
        print_io(table, r, &f);
    if (iops)
        print_iops(table, r, &f);
    if (metadata)
        print_metadata(table, r, &f);
    else if (io) /* the second half is an empty line in Bonnie++, too */
        fputc('\n', table);
    if (!io && !iops && !metadata) {
        static const char note[] = "  (no test was run)";
        print_version(table, r, "");
        fprintf(table, "%.*s%s\n", (int)sanitize_cut(f.label, WIDTH - (sizeof note - 1)), f.label,
                note);
    }
    int rc = fclose(table) == 0 ? 0 : -ENOMEM;
    /* without trailing blanks */
    for (char *rest = text, *line; rc == 0 && (line = strsep(&rest, "\n")) && rest;) {
        size_t length = strlen(line);
        while (length > 0 && line[length - 1] == ' ')
            length--;
        fprintf(out, "%.*s\n", (int)length, line);
    }
    free(text);
    int ended = extra_tables(out, r, 1);
    return rc ? rc : ended;
}

const struct report_ops report_text = {
    .name = "text",
    .damage = damage_print,
    .run = text_run,
    .notes = measured_print,
    .all = summary_table,
};
