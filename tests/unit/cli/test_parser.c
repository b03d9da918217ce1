// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "cli/option.h"
#include "cli/parser.h"
#include "util/units.h"

/* The settings of a program whose options are written like Go's. */
struct things {
    bool on;
    struct optional count;
    struct optional time;
    struct optional size;
    struct optional rate;
    const char *text;
    char secret[16];
};

static int set_secret(void *settings, const char *value, struct err *e)
{
    struct things *t = settings;
    if (strlen(value) >= sizeof t->secret)
        return err_say(e, "up to 15 characters");
    strcpy(t->secret, value);
    return 0;
}

#define FIELD(name) offsetof(struct things, name)

static const struct option_entry entries[] = {
    {.name = "on", .kind = OPTION_BOOLEAN, .field = FIELD(on), .help = "on"},
    {.name = "count",
     .value = VALUE_REQUIRED,
     .value_name = "N",
     .kind = OPTION_COUNT,
     .field = FIELD(count),
     .max = 10,
     .accepted = "a number"},
    {.name = "time",
     .value = VALUE_REQUIRED,
     .value_name = "D",
     .kind = OPTION_DURATION,
     .field = FIELD(time),
     .accepted = "a duration"},
    {.name = "size",
     .value = VALUE_REQUIRED,
     .value_name = "S",
     .kind = OPTION_SIZE,
     .field = FIELD(size),
     .max = 1 << 20,
     .accepted = "a size"},
    {.name = "rate",
     .value = VALUE_REQUIRED,
     .value_name = "R",
     .kind = OPTION_DECIMAL,
     .field = FIELD(rate),
     .max = 100 * BILLION,
     .accepted = "a rate"},
    {.name = "text",
     .value = VALUE_REQUIRED,
     .value_name = "T",
     .kind = OPTION_TEXT,
     .field = FIELD(text),
     .accepted = "a text"},
    {.name = "secret",
     .value = VALUE_REQUIRED,
     .value_name = "K",
     .set = set_secret,
     .quirks = OPTION_SECRET},
};

static const struct option_table table = {
    .style = STYLE_GO, .entries = entries, .count = sizeof entries / sizeof *entries};

#define WORDS 8

/* Parses copies of the words, because the parser may write to argv. */
struct parsed {
    int rc;
    struct things things;
    bool given[MAX_OPTIONS];
    struct err e;
    char words[WORDS][64];
};

static void parse(struct parsed *p, const char *operand, const char *const given[])
{
    char *argv[WORDS + 1] = {0};
    int argc = 0;
    memset(p, 0, sizeof *p);
    err_init(&p->e);
    p->things.on = true;
    strcpy(p->words[argc++], "program");
    while (given[argc - 1]) {
        strcpy(p->words[argc], given[argc - 1]);
        argc++;
    }
    for (int i = 0; i < argc; i++)
        argv[i] = p->words[i];
    struct option_table named = table;
    named.operand_name = operand;
    p->rc = cli_parse(&named, argc, argv, &p->things, p->given, NULL, &p->e);
}

#define PARSE(p, operand, ...) parse(p, operand, (const char *const[]){__VA_ARGS__, NULL})

static void one_dash_or_two(void **state)
{
    struct parsed p;
    (void)state;
    PARSE(&p, NULL, "-count=3", "--time", "1m30s", "-size", "1KiB", "--rate=0.5");
    assert_int_equal(p.rc, 0);
    assert_int_equal(p.things.count.value, 3);
    assert_int_equal(p.things.time.value, 90 * BILLION);
    assert_int_equal(p.things.size.value, 1024);
    assert_int_equal(p.things.rate.value, BILLION / 2);
}

static void booleans(void **state)
{
    struct parsed p;
    (void)state;
    PARSE(&p, NULL, "-on=false");
    assert_false(p.things.on);
    PARSE(&p, NULL, "-on=false", "-on");
    assert_true(p.things.on);
    PARSE(&p, "text", "-on", "false", "word");
    assert_false(p.things.on);
    assert_string_equal(p.things.text, "word");
    PARSE(&p, "text", "-on", "no");
    assert_true(p.things.on);
    assert_string_equal(p.things.text, "no");
    PARSE(&p, NULL, "-on=maybe");
    assert_int_equal(p.rc, -EINVAL);
    assert_string_equal(p.e.text, "-on: 'maybe' is not accepted; expected true or false");
}

static void operands(void **state)
{
    struct parsed p;
    (void)state;
    PARSE(&p, "text", "tmp/XX", "-count", "1");
    assert_int_equal(p.rc, 0);
    assert_string_equal(p.things.text, "tmp/XX");
    assert_int_equal(p.things.count.value, 1);
    PARSE(&p, "text", "--", "-count");
    assert_string_equal(p.things.text, "-count");
    PARSE(&p, "text", "a", "b");
    assert_int_equal(p.rc, -EINVAL);
    PARSE(&p, "text", "-text=a", "b");
    assert_string_equal(p.e.text, "unexpected argument 'b'; -help lists the options");
    PARSE(&p, "text", "b", "-text=a");
    assert_int_equal(p.rc, -EINVAL);
    PARSE(&p, NULL, "a");
    assert_int_equal(p.rc, -EINVAL);
}

static void what_was_given(void **state)
{
    struct parsed p;
    (void)state;
    PARSE(&p, "text", "word", "-on");
    for (size_t i = 0; i < table.count; i++)
        assert_int_equal(p.given[i], strcmp(entries[i].name, "text") == 0 ||
                                         strcmp(entries[i].name, "on") == 0);
}

static void refusals(void **state)
{
    struct parsed p;
    (void)state;
    PARSE(&p, NULL, "-count=11");
    assert_string_equal(p.e.text, "-count: '11' is not accepted; expected a number");
    PARSE(&p, NULL, "-count");
    assert_string_equal(p.e.text, "-count needs a value: N, a number");
    PARSE(&p, NULL, "-size=2MiB");
    assert_int_equal(p.rc, -EINVAL);
    PARSE(&p, NULL, "-cou=1");
    assert_string_equal(p.e.text, "unknown option -cou; did you mean -count?");
    PARSE(&p, NULL, "-=1");
    assert_int_equal(p.rc, -EINVAL);
}

static void secrets_leave_argv(void **state)
{
    struct parsed p;
    (void)state;
    PARSE(&p, NULL, "-secret=abc", "-count=1");
    assert_string_equal(p.things.secret, "abc");
    assert_string_equal(p.words[1], "-secret=***");
    PARSE(&p, NULL, "-secret", "abc");
    assert_string_equal(p.things.secret, "abc");
    assert_string_equal(p.words[2], "***");
    PARSE(&p, NULL, "-secret", "much-too-long-for-it");
    assert_int_equal(p.rc, -EINVAL);
    assert_null(strstr(p.e.text, "much"));
    assert_string_equal(p.words[2], "********************");
}

/* ---- letters, and names that may be cut short ------------------------------------------------ */

struct letters {
    bool quiet;
    bool sync;
    unsigned verbose;
    struct optional count;
    const char *fast;
    const char *how;
    const char *text;
    const char *operands[4];
    unsigned operand_count;
};

static int set_text(void *field, const char *value, struct err *e)
{
    (void)e;
    *(const char **)field = value ? value : "";
    return 0;
}

static int take_operand(void *settings, const char *word, struct err *e)
{
    struct letters *l = settings;
    if (l->operand_count == 4)
        return err_say(e, "too many");
    l->operands[l->operand_count++] = word;
    return 0;
}

#undef FIELD
#define FIELD(name) offsetof(struct letters, name)

static const char *const how_words[] = {"s", "p", NULL};

static const struct option_entry letter_entries[] = {
    {.letter = 'q', .name = "quiet", .kind = OPTION_FLAG, .field = FIELD(quiet), .help = "q"},
    {.letter = 'b', .name = "sync", .kind = OPTION_FLAG, .field = FIELD(sync), .help = "b"},
    {.letter = 'v', .name = "verbose", .kind = OPTION_OCCURRENCES, .field = FIELD(verbose)},
    {.letter = 'c',
     .name = "count",
     .alias = "threads",
     .value = VALUE_REQUIRED,
     .value_name = "N",
     .kind = OPTION_COUNT,
     .field = FIELD(count),
     .max = 10,
     .accepted = "up to 10",
     .help = "c"},
    {.letter = 'f',
     .name = "fast",
     .value = VALUE_OPTIONAL,
     .set = set_text,
     .field = FIELD(fast),
     .quirks = OPTION_TAKES_NUMBERS},
    {.letter = 'y',
     .value = VALUE_OPTIONAL,
     .set = set_text,
     .field = FIELD(how),
     .quirks = OPTION_DETACHED,
     .words = how_words},
    {.name = "html", .kind = OPTION_FLAG, .field = FIELD(quiet), .quirks = OPTION_SINGLE_DASH},
    {.letter = 'm',
     .name = "text",
     .value = VALUE_REQUIRED,
     .kind = OPTION_TEXT,
     .field = FIELD(text)},
};

/* Parses words, which are separated by blanks, in that style; "~" is an empty word. */
static struct letters letters_of(enum option_style style, const char *line, bool has_operands,
                                 char text[static 512])
{
    static char words[WORDS][64];
    char *argv[WORDS + 1] = {words[0]};
    struct letters l = {.quiet = false};
    struct err e;
    int argc = 1;
    const struct option_table letters = {
        .style = style,
        .entries = letter_entries,
        .count = sizeof letter_entries / sizeof *letter_entries,
        .operand = has_operands ? take_operand : NULL,
    };
    for (const char *at = line; *at; argc++) {
        size_t length = strcspn(at, " ");
        snprintf(words[argc], sizeof words[argc], "%.*s", (int)length, at);
        if (strcmp(words[argc], "~") == 0)
            words[argc][0] = '\0';
        argv[argc] = words[argc];
        at += length + (at[length] == ' ');
    }
    err_init(&e);
    int rc = cli_parse(&letters, argc, argv, &l, NULL, NULL, &e);
    assert_int_equal(rc, e.code ? -EINVAL : 0);
    snprintf(text, 512, "%s", e.text);
    return l;
}

static struct letters must_parse(enum option_style style, const char *line)
{
    char text[512];
    struct letters l = letters_of(style, line, true, text);
    assert_string_equal(text, "");
    return l;
}

static void must_refuse(enum option_style style, const char *line, const char *expected)
{
    char text[512];
    letters_of(style, line, false, text);
    assert_string_equal(text, expected);
}

static void letters_in_one_word(void **state)
{
    (void)state;
    struct letters l = must_parse(STYLE_LETTERS, "-qbvvc3 -v");
    assert_true(l.quiet && l.sync);
    assert_int_equal(l.verbose, 3);
    assert_int_equal(l.count.value, 3);
    assert_int_equal(must_parse(STYLE_LETTERS, "-qc 4").count.value, 4);
    l = must_parse(STYLE_LETTERS, "-fb -f300");
    assert_true(l.sync);
    assert_string_equal(l.fast, "300");
    l = must_parse(STYLE_LETTERS, "-fb -q");
    assert_string_equal(l.fast, "");
    l = must_parse(STYLE_LETTERS, "-by s -y x");
    assert_string_equal(l.how, "");
    assert_string_equal(l.operands[0], "x");
    assert_string_equal(must_parse(STYLE_LETTERS, "-by s").how, "s");
    assert_string_equal(must_parse(STYLE_LETTERS, "-yp").how, "p");
    assert_string_equal(must_parse(STYLE_LETTERS, "-m -q").text, "-q");
    assert_string_equal(must_parse(STYLE_LETTERS, "-m ~").text, "");
    must_refuse(STYLE_LETTERS, "-qx", "unknown option -x; --help lists the options");
    must_refuse(STYLE_LETTERS, "-qc", "--count needs a value: N, up to 10");
    must_refuse(STYLE_LETTERS, "-c 11", "--count: '11' is not accepted; expected up to 10");
}

static void names_cut_short(void **state)
{
    (void)state;
    assert_int_equal(must_parse(STYLE_LETTERS, "--cou=2").count.value, 2);
    assert_int_equal(must_parse(STYLE_LETTERS, "--th 2").count.value, 2);
    assert_string_equal(must_parse(STYLE_LETTERS, "--fast=b").fast, "b");
    assert_true(must_parse(STYLE_LETTERS, "-html").quiet);
    must_refuse(STYLE_LETTERS, "--t=2", "ambiguous option --t: it may be --threads, --text");
    must_refuse(STYLE_LETTERS, "--quite", "unknown option --quite; did you mean --quiet?");
    must_refuse(STYLE_LETTERS, "--=2", "unknown option --; --help lists the options");
    must_refuse(STYLE_LETTERS, "--qui=2", "--quiet takes no value");
}

static void names_after_one_dash(void **state)
{
    (void)state;
    assert_int_equal(must_parse(STYLE_ONE_DASH, "-count=2").count.value, 2);
    assert_int_equal(must_parse(STYLE_ONE_DASH, "-cou 2").count.value, 2);
    assert_int_equal(must_parse(STYLE_ONE_DASH, "-c 2").count.value, 2);
    assert_int_equal(must_parse(STYLE_ONE_DASH, "-c2").count.value, 2);
    assert_true(must_parse(STYLE_ONE_DASH, "-qb").sync);
    must_refuse(STYLE_ONE_DASH, "-te=x -t=2", "ambiguous option -t: it may be --threads, --text");
    must_refuse(STYLE_ONE_DASH, "-xyz", "unknown option -xyz; --help lists the options");
}

static void words_that_are_no_options(void **state)
{
    (void)state;
    struct letters l = must_parse(STYLE_LETTERS, "a - -q -- -b");
    assert_true(l.quiet && !l.sync);
    assert_int_equal(l.operand_count, 3);
    assert_string_equal(l.operands[1], "-");
    assert_string_equal(l.operands[2], "-b");
    must_refuse(STYLE_LETTERS, "-q a", "unexpected argument 'a'; --help lists the options");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_dash_or_two),
        cmocka_unit_test(booleans),
        cmocka_unit_test(operands),
        cmocka_unit_test(refusals),
        cmocka_unit_test(secrets_leave_argv),
        cmocka_unit_test(what_was_given),
        cmocka_unit_test(letters_in_one_word),
        cmocka_unit_test(names_cut_short),
        cmocka_unit_test(names_after_one_dash),
        cmocka_unit_test(words_that_are_no_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
