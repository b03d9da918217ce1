#include "bonnie/report/measured.h"

#include <inttypes.h>
#include <string.h>

#include "bonnie/report/report.h"
#include "bonnie/report/steady_text.h"
#include "report/starts.h"

#define LAST_COLUMN 80

/* "  seq_create  page cache  " */
#define NAME_COLUMNS  10
#define LIMIT_COLUMNS 10
#define TEXT_COLUMN   (2 + NAME_COLUMNS + 2 + LIMIT_COLUMNS + 2)
#define PLACE_COLUMN  (2 + NAME_COLUMNS + 2)

/* Prints words, broken at blanks; the line has reached that column already. */
static void print_wrapped(FILE *out, size_t indent, const char *text)
{
    size_t column = indent;
    while (*text) {
        size_t word = strcspn(text, " ");
        if (column > indent && column + 1 + word > LAST_COLUMN) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, word, out);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static const struct verdict *verdict_of(const struct result *r, enum test_id test)
{
    const struct test_result *t = &r->tests[test];
    return test_result_is_long_enough(t) && *t->verdict.sentence ? &t->verdict : NULL;
}

/* An advice with the tests that it is for, at the first of them. */
static void print_advice(FILE *out, const struct result *r, enum test_id first, const char *advice)
{
    char text[VERDICT_TEXT + TEST_COUNT * (NAME_COLUMNS + 2)];
    size_t used = 0;
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct verdict *v = verdict_of(r, test);
        if (!v || strcmp(v->advice, advice) != 0)
            continue;
        if (test < first)
            return; /* it has been printed */
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? " " : "",
                                 test_name(test));
    }
    snprintf(text + used, sizeof text - used, ": %s", advice);
    fputs("  ", out);
    print_wrapped(out, 2, text);
}

/* One place; semicolons stand where a comma would make it a CSV line. */
static void print_place(FILE *out, const struct corruption_entry *entry)
{
    char text[CORRUPTED_PLACE_TEXT + 80];
    snprintf(text, sizeof text, "data file %" PRIu64 " at %" PRIu64 ": %s", entry->file,
             entry->offset, entry->description);
    for (char *comma = strchr(text, ','); comma; comma = strchr(comma, ','))
        *comma = ';';
    fprintf(out, "%*s", PLACE_COLUMN, "");
    print_wrapped(out, PLACE_COLUMN, text);
}

/* What a test found damaged: how much of what was read, and the first places. */
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
                NAME_COLUMNS, test_name(test), t->corrupted, t->corrupted == 1 ? "place" : "places",
                t->verified_bytes);
        for (size_t i = 0; i < t->corruption.count; i++)
            print_place(out, &t->corruption.entries[i]);
    }
}

/* The heading, above the first line that follows it. */
static void begin(FILE *out, bool *has_begun)
{
    if (!*has_begun)
        fputs("What was measured\n", out);
    *has_begun = true;
}

/* Tests that measured for less than --min-time. */
static void print_short(FILE *out, const struct result *r, bool *has_begun)
{
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct test_result *t = &r->tests[test];
        char text[VERDICT_TEXT];
        if (!t->measured || !t->is_short)
            continue;
        begin(out, has_begun);
        snprintf(text, sizeof text,
                 "%s: measured for only %.2f s; preparing more takes too long here.",
                 test_name(test), (double)t->elapsed_ns / 1e9);
        fputs("  ", out);
        print_wrapped(out, 2, text);
    }
}

/* Tests that were to become steady, and whether they did. */
static void print_steady(FILE *out, const struct result *r, bool *has_begun)
{
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct test_result *t = &r->tests[test];
        char verdict[STEADY_TEXT];
        char text[STEADY_TEXT + NAME_COLUMNS + 8];
        if (!t->measured || !t->steady.wanted)
            continue;
        begin(out, has_begun);
        steady_text(verdict, &t->steady);
        snprintf(text, sizeof text, "%s: %s.", test_name(test), verdict);
        fputs("  ", out);
        print_wrapped(out, 2, text);
    }
}

/* Tests whose transfers cost more than they need. */
static void print_plain_queues(FILE *out, const struct result *r, bool *has_begun)
{
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct test_result *t = &r->tests[test];
        char text[VERDICT_TEXT];
        if (!t->measured || !t->has_plain_queue)
            continue;
        begin(out, has_begun);
        snprintf(text, sizeof text,
                 "%s: its buffers could not be registered with %s (ulimit -l), so each transfer "
                 "takes more CPU time.",
                 test_name(test), t->engine);
        fputs("  ", out);
        print_wrapped(out, 2, text);
    }
}

static void print_verdicts(FILE *out, const struct result *r, bool *has_begun)
{
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct verdict *v = verdict_of(r, test);
        if (!v)
            continue;
        begin(out, has_begun);
        fprintf(out, "  %-*s  %-*s  ", NAME_COLUMNS, test_name(test), LIMIT_COLUMNS,
                bottleneck_name(v->by));
        print_wrapped(out, TEXT_COLUMN, v->sentence);
    }
}

/* Of several ranks: how well they began together, in the test where that was worst. */
static void print_starts(FILE *out, const struct result *r, bool *has_begun)
{
    char text[VERDICT_TEXT];
    char starts[STARTS_TEXT];
    uint64_t spread = 0;
    uint64_t uncertainty = 0;
    size_t hosts = 0;
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct together *t = &r->tests[test].together;
        spread = t->start_spread_ns > spread ? t->start_spread_ns : spread;
        uncertainty = t->clock_uncertainty_ns > uncertainty ? t->clock_uncertainty_ns : uncertainty;
        hosts = t->host_count > hosts ? t->host_count : hosts;
    }
    if (hosts == 0)
        return;
    begin(out, has_begun);
    starts_text(starts, spread, uncertainty);
    snprintf(text, sizeof text, "%u ranks on %zu host%s began every test %s; each read what %s.",
             r->ranks, hosts, hosts == 1 ? "" : "s", starts,
             r->shift > 0 ? "another wrote (--shift)" : "it wrote itself");
    fputs("  ", out);
    print_wrapped(out, 2, text);
}

/* The host that each test waited for. */
static void print_slowest(FILE *out, const struct result *r)
{
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct together *t = &r->tests[test].together;
        if (t->host_count < 2)
            continue;
        const struct host_result *slowest = together_slowest(t);
        fprintf(out, "  %-*s  slowest host: %s (%.2f s of %.2f s)\n", NAME_COLUMNS, test_name(test),
                slowest->name, (double)slowest->elapsed_ns / 1e9,
                (double)r->tests[test].elapsed_ns / 1e9);
    }
}

static void print_all_advice(FILE *out, const struct result *r)
{
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct verdict *v = verdict_of(r, test);
        if (v && *v->advice)
            print_advice(out, r, test, v->advice);
    }
}

int measured_print(FILE *out, const struct result *r, bool advice)
{
    bool has_begun = false;
    print_verdicts(out, r, &has_begun);
    print_steady(out, r, &has_begun);
    if (advice)
        print_all_advice(out, r);
    print_starts(out, r, &has_begun);
    print_slowest(out, r);
    print_short(out, r, &has_begun);
    print_plain_queues(out, r, &has_begun);
    print_corruption(out, r);
    return report_end(out);
}
