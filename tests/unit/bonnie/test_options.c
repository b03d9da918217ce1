// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bonnie/plan.h"
#include "util/units.h"

/* Copies the words, because the parser may write to them as to those of main(). */
static int parse(struct settings *s, struct err *e, ...)
{
    static char copies[16][64];
    char *words[17] = {(char *)"bonnie"};
    int count = 1;
    va_list arguments;
    va_start(arguments, e);
    for (const char *word; count < 16 && (word = va_arg(arguments, const char *)); count++) {
        words[count] = copies[count];
        snprintf(copies[count], sizeof copies[count], "%s", word);
    }
    va_end(arguments);
    err_init(e);
    return options_parse(count, words, s, NULL, e);
}

static void nothing_given_is_nothing_set(void **state)
{
    (void)state;
    struct settings s;
    struct err e;
    assert_int_equal(parse(&s, &e, NULL), 0);
    assert_string_equal(s.plan.directory, ".");
    assert_false(s.data_bytes.given || s.files_k.given || s.workers.given || s.tests_given);
}

static void size_has_four_fields(void **state)
{
    (void)state;
    struct settings s;
    struct err e;
    assert_int_equal(parse(&s, &e, "-s", "2g:64k:100:7", NULL), 0);
    assert_int_equal(s.data_bytes.value, 2048 * MIB);
    assert_int_equal(s.chunk_bytes.value, 65536);
    assert_int_equal(s.seeks.value, 100);
    assert_int_equal(s.seekers.value, 7);
    assert_int_equal(parse(&s, &e, "-s3000::50", NULL), 0);
    assert_int_equal(s.data_units.value, 3000 * BILLION);
    assert_false(s.chunk_bytes.given);
    assert_int_equal(s.seeks.value, 50);
}

/* Bonnie++ skips a colon at the beginning, so "-s:3000:64k" means the same as "-s 3000:64k". */
static void leading_colon_is_skipped(void **state)
{
    (void)state;
    struct settings s;
    struct err e;
    assert_int_equal(parse(&s, &e, "-s:3000:64k", NULL), 0);
    assert_int_equal(s.data_units.value, 3000 * BILLION);
    assert_int_equal(s.chunk_bytes.value, 65536);
    assert_int_equal(parse(&s, &e, "-s", ":131072", NULL), 0);
    assert_int_equal(s.data_units.value, 131072 * BILLION);
}

static void files_have_five_fields(void **state)
{
    (void)state;
    struct settings s;
    struct err e;
    assert_int_equal(parse(&s, &e, "-n5:102400:2:100:4k", NULL), 0);
    assert_int_equal(s.files_k.value, 5);
    assert_int_equal(s.file_max_bytes.value, 102400);
    assert_int_equal(s.file_min_bytes.value, 2);
    assert_int_equal(s.directories.value, 100);
    assert_int_equal(s.file_chunk_bytes.value, 4096);
    assert_int_equal(parse(&s, &e, "-n", "1:8M", NULL), 0);
    assert_int_equal(s.file_max_bytes.value, 8 * MIB);
    assert_int_equal(parse(&s, &e, "-n1:-1", NULL), 0);
    assert_int_equal(s.plan.files.kind, FILES_HARD_LINKS);
}

static void optional_values_must_be_attached(void **state)
{
    (void)state;
    struct settings s;
    struct err e;
    assert_int_equal(parse(&s, &e, "-f300", NULL), 0);
    assert_int_equal(s.perchar_bytes.value, 300 * MIB);
    assert_int_equal(parse(&s, &e, "-qfb", NULL), 0);
    assert_true(s.plan.quiet && s.fast && s.plan.sync);
    assert_int_equal(parse(&s, &e, "-y", "-q", NULL), 0);
    assert_ptr_equal(s.coordination, &coordinator_semaphores);
    assert_true(s.plan.quiet);
    assert_int_equal(parse(&s, &e, "-y", "p", NULL), 0);
    assert_ptr_equal(s.coordination, &coordinator_prompt);
}

static void refusals_name_option_value_and_what_is_accepted(void **state)
{
    (void)state;
    struct settings s;
    struct err e;
    assert_int_not_equal(parse(&s, &e, "-c", "0", NULL), 0);
    assert_string_equal(e.text, "--concurrency: '0' is not accepted; expected 1 to 1024, or auto");
    assert_int_not_equal(parse(&s, &e, "--tests=putc,putx", NULL), 0);
    assert_non_null(strstr(e.text, "--tests: 'putc,putx' is not accepted"));
    assert_int_not_equal(parse(&s, &e, "-s", NULL), 0);
    assert_non_null(strstr(e.text, "--size needs a value"));
}

static void rubbish_is_refused(void **state)
{
    (void)state;
    static const char *const words[] = {
        "-s1x",
        "-s-1",
        "-s1:255",
        "-s1:8k:0",
        "-s1:8k:1:0",
        "-s1:1:1:1:1",
        "-s 1",
        "-n1:2:3",
        "-n-1",
        "-n1:-3",
        "-n1:0:0:100000",
        "-x0",
        "-r1e3",
        "-z-1",
        "-p0",
        "-p-2",
        "-yx",
        "--tests=",
        "--tests=putc,",
        "--format=csv,csv",
        "--format=xml",
        "--data=ones",
        "--cache=cold",
        "--preset=b",
        "--nonsense",
        "-Q",
        "--quiet=1",
        "",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct settings s;
        struct err e;
        if (parse(&s, &e, words[i], NULL) == 0)
            fail_msg("%s was accepted", words[i]);
        assert_true(strlen(e.text) > 10);
        assert_null(strchr(e.text, '\n'));
    }
}

static void last_one_counts(void **state)
{
    (void)state;
    struct settings s;
    struct err e;
    assert_int_equal(parse(&s, &e, "-s1", "-s2", "--format=text", "-html", NULL), 0);
    assert_int_equal(s.data_units.value, 2 * BILLION);
    assert_int_equal(s.format_count, 1);
    assert_string_equal(s.formats[0], "html");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_given_is_nothing_set),
        cmocka_unit_test(size_has_four_fields),
        cmocka_unit_test(leading_colon_is_skipped),
        cmocka_unit_test(files_have_five_fields),
        cmocka_unit_test(optional_values_must_be_attached),
        cmocka_unit_test(refusals_name_option_value_and_what_is_accepted),
        cmocka_unit_test(rubbish_is_refused),
        cmocka_unit_test(last_one_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
