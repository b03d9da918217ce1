#include "bonnie/report/measured.h"

#include <inttypes.h>
#include <string.h>

#include "bonnie/report/report.h"
#include "bonnie/report/steady_text.h"
#include "report/sanitize.h"

#define LAST_COLUMN 80

/* "  page cache  seq_create  " */
#define NAME_COLUMNS  10
#define LIMIT_COLUMNS 10
#define NAMES_COLUMN  (2 + LIMIT_COLUMNS + 2)
#define TEXT_COLUMN   (NAMES_COLUMN + NAME_COLUMNS + 2)
#define PLACE_COLUMN  (2 + NAME_COLUMNS + 2)

/* Room for the names of all tests, separated by blanks. */
#define NAMES_TEXT (TEST_COUNT * (NAME_COLUMNS + 1))

/* Prints words, and breaks lines at blanks. The current line is already at column `indent`. */
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
                                    group->count > 0 ? " " : "", test_name(test));
    group->count++;
}

/*
 * Prints a corrupted place. Replaces commas by semicolons, because scripts take a line with a comma
 * for the CSV line.
 */
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
                NAME_COLUMNS, test_name(test), t->corrupted, t->corrupted == 1 ? "place" : "places",
                t->verified_bytes);
        for (size_t i = 0; i < t->corruption.count; i++)
            print_place(out, &t->corruption.entries[i]);
    }
}

/* Prints the heading of a section before its first line. */
static void begin_section(FILE *out, bool *has_begun)
{
    if (!*has_begun)
        fputs("What was measured\n", out);
    *has_begun = true;
}

/* Prints "NAMES: WORDS". */
static void print_about(FILE *out, const char *names, const char *words)
{
    char text[NAMES_TEXT + 2 + TAIL_TEXT];
    snprintf(text, sizeof text, "%s: %s", names, words);
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
    begin_section(out, has_begun);
    if (most - least < 0.005)
        snprintf(words, sizeof words, "measured for only %.2f s; more would take long to prepare.",
                 most);
    else
        snprintf(words, sizeof words,
                 "measured for only %.2f to %.2f s; more would take long to prepare.", least, most);
    print_about(out, group.names, words);
}

/* Notes for each test that had to become steady whether it has. */
static void print_steady(FILE *out, const struct result *r, bool *has_begun)
{
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct test_result *t = &r->tests[test];
        char verdict[STEADY_TEXT];
        char words[STEADY_TEXT + 1];
        if (!t->measured || !t->steady.wanted)
            continue;
        begin_section(out, has_begun);
        steady_text(verdict, &t->steady);
        snprintf(words, sizeof words, "%s.", verdict);
        print_about(out, test_name(test), words);
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
    if (group.count == 0)
        return;
    begin_section(out, has_begun);
    print_about(out, group.names, words);
}

/*
 * Prints a verdict. One test has it on the line of its name; several have their names on a line,
 * and the verdict below.
 */
static void print_verdict(FILE *out, const struct test_group *group, const struct verdict *v,
                          bool advice)
{
    char text[ADVICE_TEXT];
    char sentence[VERDICT_TEXT];
    verdict_sentence(sentence, v);
    fprintf(out, "  %-*s  ", LIMIT_COLUMNS, bottleneck_name(v->least.by));
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
        const struct together *t = &r->tests[test].together;
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

/* Says what the slowest operations of each test waited for. */
static void print_tails(FILE *out, const struct result *r, bool *has_begun)
{
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        char words[TAIL_TEXT];
        tail_summary_words(words, &r->tests[test].tail);
        if (words[0] == '\0')
            continue;
        begin_section(out, has_begun);
        print_about(out, test_name(test), words);
    }
}

/* Prints the host that each test waited for. */
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

int measured_print(FILE *out, const struct result *r, bool advice)
{
    bool has_begun = false;
    print_verdicts(out, r, advice, &has_begun);
    print_tails(out, r, &has_begun);
    print_steady(out, r, &has_begun);
    print_starts(out, r, &has_begun);
    print_slowest(out, r);
    print_short(out, r, &has_begun);
    print_plain_queues(out, r, &has_begun);
    print_corruption(out, r);
    return report_end(out);
}
