// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "cli/option.h"
#include "cli/parser.h"
#include "util/units.h"

/* The settings of a program whose options are written like Go's. */
struct things {
    bool on;
    struct given count;
    struct given time;
    struct given size;
    struct given rate;
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
     .kind = OPTION_BYTES,
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
    .dashes = "-", .entries = entries, .count = sizeof entries / sizeof *entries};

#define WORDS 8

/* Parses copies of the words, because the parser may write to argv. */
struct parsed {
    int rc;
    struct things things;
    bool given[OPTIONS_MOST];
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
    p->rc = cli_parse_go(&table, operand, argc, argv, &p->things, p->given, &p->e);
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
    assert_string_equal(p.e.text, "-count needs a value: a number");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_dash_or_two),    cmocka_unit_test(booleans),
        cmocka_unit_test(operands),           cmocka_unit_test(refusals),
        cmocka_unit_test(secrets_leave_argv), cmocka_unit_test(what_was_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
