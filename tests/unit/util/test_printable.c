// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "util/printable.h"

static void expect_plain(const char *label, const char *expected)
{
    char text[LABEL_BYTES];
    memset(text, 'x', sizeof text);
    sanitize_plain(text, label);
    assert_string_equal(text, expected);
}

static void expect_html(const char *label, const char *expected)
{
    char text[LABEL_HTML_BYTES];
    memset(text, 'x', sizeof text);
    sanitize_html(text, label);
    assert_string_equal(text, expected);
}

static void ordinary_labels_stay(void **state)
{
    (void)state;
    static const char *const ordinary[] = {
        "lab",         "server-1.example.org", "AT&T R&D (3; 4)",  "",          "a b",
        "k\303\266ln", "\342\202\254",         "\360\237\220\231", "a=b+c@d-e",
    };
    for (size_t i = 0; i < sizeof ordinary / sizeof ordinary[0]; i++)
        expect_plain(ordinary[i], ordinary[i]);
    expect_html("lab k\303\266ln", "lab k\303\266ln");
}

static void formats_that_quote_get_all_that_is_harmless(void **state)
{
    (void)state;
    char text[64];
    sanitize_clean(text, sizeof text, " =\"k\303\266ln\", <a>\t\033\377 \n");
    assert_string_equal(text, "=\"k\303\266ln\", <a> ??");
    sanitize_clean(text, 4, "k\303\266\303\266"); /* no character is cut in two */
    assert_string_equal(text, "k\303\266");
    sanitize_clean(text, sizeof text, NULL);
    assert_string_equal(text, "");
}

static void no_label_is_an_empty_one(void **state)
{
    (void)state;
    expect_plain(NULL, "");
    expect_html(NULL, "");
    expect_plain("  \t\n ", "");
}

static void what_csv_and_html_give_a_meaning_is_replaced(void **state)
{
    (void)state;
    expect_plain("<script>alert(1)</script>,\"x\"&", "(script)alert(1)(/script);'x'&");
    expect_html("<a href='x'>&\"", "&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
}

static void white_space_becomes_blanks(void **state)
{
    (void)state;
    expect_plain("a\tb\nc\rd\ve\ff", "a b c d e f");
    expect_plain("a\302\205b\342\200\250c\342\200\251d", "a b c d");
    expect_plain("\n a \n", "a");
    expect_html("\n a\nb \n", "a b");
}

static void controls_become_question_marks(void **state)
{
    (void)state;
    expect_plain("\033[31mred\007\177", "?[31mred??");
    expect_plain("a\302\233b", "a?b");         /* C1: another encoding of ESC [ */
    expect_plain("\342\200\256abc", "?abc");   /* right-to-left override */
    expect_plain("a\330\234b", "a?b");         /* Arabic letter mark */
    expect_plain("\357\273\277a", "?a");       /* byte order mark */
    expect_plain("a\357\277\275b", "a?b");     /* the replacement character itself */
    expect_plain("a\360\237\277\276b", "a?b"); /* U+1FFFE, a noncharacter */
    expect_html("a\033b", "a?b");
}

static void bytes_that_are_not_utf8_become_question_marks(void **state)
{
    (void)state;
    expect_plain("k\366ln", "k?ln");
    expect_plain("\377\376", "??");
    expect_plain("a\200", "a?");
    expect_plain("a\303", "a?");              /* cut off */
    expect_plain("a\342\202", "a??");         /* cut off */
    expect_plain("\303,x", "?;x");            /* must not swallow the comma */
    expect_plain("\300\254", "??");           /* a comma in two bytes */
    expect_plain("\340\200\254", "???");      /* in three */
    expect_plain("\355\240\200", "???");      /* a surrogate */
    expect_plain("\364\220\200\200", "????"); /* above U+10FFFF */
    expect_plain("\365\200\200\200", "????");
    expect_plain("\370\220\200\200", "????"); /* no character begins with it */
}

static void formulas_are_disarmed(void **state)
{
    (void)state;
    expect_plain("=1+1", "'=1+1");
    expect_plain("  +x", "'+x");
    expect_plain("-x", "'-x");
    expect_plain("@x", "'@x");
    expect_html("=1+1", "=1+1");
}

static void long_labels_are_cut_between_characters(void **state)
{
    (void)state;
    char label[2000];
    char text[LABEL_BYTES];
    for (size_t i = 0; i + 3 < sizeof label; i += 3)
        memcpy(label + i, "\342\202\254", 4);
    sanitize_plain(text, label);
    assert_int_equal(strlen(text), 255);
    assert_int_equal(sanitize_columns(text), 85);

    memcpy(label, "=a",
           2); /* one byte before, so that the last character, of three bytes, does not fit */
    sanitize_plain(text, label);
    assert_int_equal(strlen(text), 253);

    char html[LABEL_HTML_BYTES];
    memset(label, '"', sizeof label - 1);
    label[sizeof label - 1] = '\0';
    sanitize_html(html, label);
    assert_int_equal(strlen(html), 255 * 6);
}

static void columns_are_characters(void **state)
{
    (void)state;
    assert_int_equal(sanitize_columns(""), 0);
    assert_int_equal(sanitize_columns("abc"), 3);
    assert_int_equal(sanitize_columns("k\303\266ln\342\202\254"), 5);
}

static void cuts_are_between_characters(void **state)
{
    (void)state;
    assert_int_equal(sanitize_cut("abc", 2), 2);
    assert_int_equal(sanitize_cut("abc", 3), 3);
    assert_int_equal(sanitize_cut("abc", 10), 3);
    assert_int_equal(sanitize_cut("abc", 0), 0);
    assert_int_equal(sanitize_cut("", 5), 0);
    assert_int_equal(sanitize_cut("k\303\266ln", 1), 1);
    assert_int_equal(sanitize_cut("k\303\266ln", 2), 3);
    assert_int_equal(sanitize_cut("\342\202\254\342\202\254", 1), 3);
}

static const struct {
    const char *text;
    const char *message; /* in place, for a message of one line */
    const char *clean;   /* for a line of a report */
} texts[] = {
    {"plain", "plain", "plain"},
    {"", "", ""},
    {"caf\xc3\xa9 \xf0\x9f\x92\xbe", "caf\xc3\xa9 \xf0\x9f\x92\xbe",
     "caf\xc3\xa9 \xf0\x9f\x92\xbe"},
    {"a\nb\tc\r", "a?b?c?", "a b c"},
    {"\x1b[2J\x7f", "?[2J?", "?[2J?"},
    {"\xc2\x9b"
     "31m",
     "?31m", "?31m"}, /* C1 in UTF-8 */
    {"\x9b"
     "31m \xe9t\xe9",
     "?31m ?t?", "?31m ?t?"}, /* bytes that are no characters */
    {"txt.\xe2\x80\xae"
     "exe",
     "txt.?exe", "txt.?exe"}, /* right to left */
    {"cut \xf0\x9f", "cut ??", "cut ??"},
};

static void a_unit_stays_beside_its_figure(void **state)
{
    (void)state;
    char lines[WRAPPED_TEXT];
    wrap_text(lines, 70, "busy for 10 %: p99 25.0 ms, of 2  3");
    char expected[WRAPPED_TEXT];
    snprintf(expected, sizeof expected, "busy for\n%*s10 %%: p99\n%*s25.0 ms,\n%*sof 2  3", 70, "",
             70, "", 70, "");
    assert_string_equal(lines, expected);
}

static void nothing_controls_the_terminal(void **state)
{
    (void)state;
    char text[64];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        strcpy(text, texts[i].text);
        make_printable(text);
        assert_string_equal(text, texts[i].message);
        assert_true(is_printable(text));
        assert_int_equal(is_printable(texts[i].text), strcmp(text, texts[i].text) == 0);
        assert_string_equal(printable(texts[i].text).text, texts[i].clean);
    }
    assert_string_equal(printable(NULL).text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_stays_beside_its_figure),
        cmocka_unit_test(nothing_controls_the_terminal),
        cmocka_unit_test(ordinary_labels_stay),
        cmocka_unit_test(formats_that_quote_get_all_that_is_harmless),
        cmocka_unit_test(no_label_is_an_empty_one),
        cmocka_unit_test(what_csv_and_html_give_a_meaning_is_replaced),
        cmocka_unit_test(white_space_becomes_blanks),
        cmocka_unit_test(controls_become_question_marks),
        cmocka_unit_test(bytes_that_are_not_utf8_become_question_marks),
        cmocka_unit_test(formulas_are_disarmed),
        cmocka_unit_test(long_labels_are_cut_between_characters),
        cmocka_unit_test(columns_are_characters),
        cmocka_unit_test(cuts_are_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
