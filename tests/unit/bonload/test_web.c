// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bonload/targets/target.h"
#include "bonload/targets/web/web.h"

static void text_of(const char *xml, const char *element, const char *expected)
{
    char text[64];
    bool is_there = xml_text(xml, strlen(xml), element, text, sizeof text);
    assert_string_equal(text, expected ? expected : "");
    assert_int_equal(is_there, expected != NULL);
}

static void the_text_of_an_element(void **state)
{
    (void)state;
    text_of(
        "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code><Message>a &lt;b&gt; &amp;</Message>",
        "Code", "NoSuchKey");
    text_of("<Message>a &lt;b&gt; &amp;amp; &quot;&apos;&#34;</Message>", "Message",
            "a <b> &amp; \"'\"");
    text_of("<Codes>1</Codes><Code>2</Code>", "Code", "2");
    text_of("<Code></Code>", "Code", "");
    text_of("<Code>cut", "Code", NULL);
    text_of("<Code", "Code", NULL);
    text_of("<<<<", "Code", NULL);
    text_of("", "Code", NULL);
    text_of("<A><Code>x</Code>", "B", NULL);
}

static void what_is_too_long_is_cut(void **state)
{
    char text[5];
    (void)state;
    assert_true(xml_text("<C>abcdefgh</C>", 15, "C", text, sizeof text));
    assert_string_equal(text, "abcd");
}

static void keys_are_encoded(void **state)
{
    char memory[100];
    struct text t;
    (void)state;
    text_begin(&t, memory, sizeof memory);
    text_put_encoded(&t, "/a b+c%d//\xc3\xa9~-._", "/");
    assert_string_equal(memory, "/a%20b%2Bc%25d//%C3%A9~-._");
    text_begin(&t, memory, 5);
    text_put(&t, "abcd");
    assert_true(text_is_whole(&t));
    text_put_encoded(&t, "%", "");
    assert_false(text_is_whole(&t));
    text_put(&t, "more");
    assert_string_equal(memory, "abcd");
}

static void describe(const struct web_reasons *r, uint32_t failure, const char *expected)
{
    char text[300];
    web_reasons_describe(r, failure, text, sizeof text);
    assert_string_equal(text, expected);
}

static void one_kind_has_one_failure(void **state)
{
    static struct web_reasons r = {.lock = PTHREAD_MUTEX_INITIALIZER};
    char key[2 * WEB_REASON_KEY] = "";
    (void)state;
    uint32_t first = web_reasons_failure(&r, "404", "404 Not Found");
    uint32_t second = web_reasons_failure(&r, "500", "500 line\none");
    assert_int_not_equal(first, 0);
    assert_int_not_equal(first, second);
    assert_int_equal(web_reasons_failure(&r, "404", "404 in other words"), first);
    memset(key, 'k', sizeof key - 1);
    uint32_t cut = web_reasons_failure(&r, key, "a long key");
    assert_int_equal(web_reasons_failure(&r, key, "is cut"), cut);
    describe(&r, first, "404 Not Found");
    describe(&r, second, "500 line one");
}

static void secrets_become_stars(void **state)
{
    static struct web_reasons r = {.lock = PTHREAD_MUTEX_INITIALIZER};
    char text[300];
    (void)state;
    web_reasons_hide(&r, "s3cret");
    web_reasons_hide(&r, NULL);
    web_reasons_hide(&r, "");
    web_reasons_hide(&r, "****");
    describe(&r, web_reasons_failure(&r, "1", "it is s3cret and s3crets3cret"),
             "it is ****** and ************");
    snprintf(text, sizeof text, "%0*ds3cret", WEB_REASON_TEXT - 4, 0);
    web_reasons_describe(&r, web_reasons_failure(&r, "2", text), text, sizeof text);
    assert_null(strstr(text, "s3"));
}

/* As many as the target s3 may have: its keys and token, and two words of each header. */
static void many_secrets_become_stars(void **state)
{
    static struct web_reasons r = {.lock = PTHREAD_MUTEX_INITIALIZER};
    static char secrets[3 + 2 * 59][12];
    (void)state;
    for (unsigned i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        snprintf(secrets[i], sizeof secrets[i], "secret-%03u", i);
        web_reasons_hide(&r, secrets[i]);
    }
    describe(&r, web_reasons_failure(&r, "1", "secret-000 secret-120"), "********** **********");
}

static void there_is_room_for_a_number_of_kinds(void **state)
{
    static struct web_reasons r = {.lock = PTHREAD_MUTEX_INITIALIZER};
    char key[20];
    uint32_t last = 0;
    (void)state;
    for (int i = 0; i < MAX_WEB_REASONS + 10; i++) {
        snprintf(key, sizeof key, "%d", i);
        uint32_t failure = web_reasons_failure(&r, key, key);
        assert_true(i > MAX_WEB_REASONS ? failure == last : failure != last);
        last = failure;
    }
    describe(&r, last, "another reason");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_of_an_element),
        cmocka_unit_test(what_is_too_long_is_cut),
        cmocka_unit_test(keys_are_encoded),
        cmocka_unit_test(one_kind_has_one_failure),
        cmocka_unit_test(secrets_become_stars),
        cmocka_unit_test(many_secrets_become_stars),
        cmocka_unit_test(there_is_room_for_a_number_of_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
