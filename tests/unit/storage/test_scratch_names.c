// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "storage/scratch.h"

static void names_have_their_form(void **state)
{
    (void)state;
    char private[PRIVATE_NAME_SIZE];
    const struct made_name data = made_name(MADE_FILE, 7),
                           target = made_name(MADE_TARGET, UINT64_MAX);
    const struct made_name directory = made_name(MADE_DIRECTORY, 99999);
    const struct made_name last_data = made_name(MADE_FILE, UINT32_MAX),
                           last_directory = made_name(MADE_DIRECTORY, UINT32_MAX);
    private_name(private, UINT64_MAX);
    assert_memory_equal(private, "bonnie.ffffffffffff", 19);
    private_name(private, 10);
    assert_memory_equal(private, "bonnie.000000000000", 19);
    assert_true(private_name_is_made(private));
    private[10] = '1';
    assert_false(private_name_is_made(private));
    assert_string_equal(data.text, "data00007");
    assert_string_equal(target.text, "o18446744073709551615");
    assert_string_equal(directory.text, "d99999");
    assert_true(is_private_name(private) && name_has_form(data.text, FORM_FILE));
    assert_true(name_has_form(target.text, FORM_FILE));
    assert_true(name_has_form(directory.text, FORM_DIRECTORY));
    assert_true(name_has_form(last_data.text, FORM_FILE)); /* of many workers on many ranks */
    assert_true(name_has_form(last_directory.text, FORM_DIRECTORY));
}

static void names_of_all_programs_are_known(void **state)
{
    (void)state;
    static const char *const programs[] = {"bonload", "boncut", "getc_putc"};
    char made[PRIVATE_NAME_SIZE], other[PRIVATE_NAME_SIZE], text[OWNER_TEXT_SIZE];
    private_name(made, 1 << 20);
    assert_true(is_private_name_of_any(made) && is_private_name_of_any("bonnie.0000000000000001"));
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        snprintf(other, sizeof other, "%s%s", programs[i], strchr(made, '.'));
        assert_true(is_private_name_of_any(other) && !is_private_name(other));
        other[strlen(other) - 1] ^= 1;
        assert_false(is_private_name_of_any(other));
    }
    assert_false(is_private_name_of_any(strchr(made, '.')));
    assert_memory_equal(text, "scratch directory of boncut: boncut.0123456789abcdef\n",
                        owner_text(text, "boncut.0123456789abcdef"));
}

static void names_of_promises_and_messages_have_their_form(void **state)
{
    (void)state;
    static const char *const workers[] = {"fsync.0", "rwf_dsync.17+3", "rename.0b"};
    static const char *const units[] = {"17", "17.4"};
    static const char *const none[] = {"",    "fsync",    "fsync.",   "fsync.x",
                                       ".0",  "fsync.0c", "fsync.0+", "fsync.0ab",
                                       "17.", "17.x",     "../0",     "1234567890123456789"};
    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++)
        assert_true(name_has_form(workers[i], FORM_WORKER) &&
                    !name_has_form(workers[i], FORM_ENTRY));
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        assert_true(name_has_form(units[i], FORM_ENTRY) && !name_has_form(units[i], FORM_WORKER));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(name_has_form(none[i], FORM_WORKER) || name_has_form(none[i], FORM_ENTRY) ||
                     name_has_form(none[i], FORM_DIRECTORY));
    assert_true(name_has_form("tmp", FORM_DIRECTORY) && name_has_form("new", FORM_DIRECTORY));
    assert_true(name_has_form("00000000000000ff", FORM_ENTRY));
    assert_false(name_has_form("00000000000000fg1", FORM_ENTRY));
}

static void others_are_not_taken_for_ours(void **state)
{
    (void)state;
    static const char *const others[] = {
        "",
        "bonnie",
        "bonnie.",
        "bonnie.123",
        "bonnie.0123456789abcdeg",
        "bonnie.0123456789abcdef0",
        "Bonnie.4711",
        "data0000",
        "data000000",
        "data0000x",
        "o",
        "o1x",
        "d0000",
        "d000000",
        "d-0001",
        "owner",
        "00000000a",               /* nine digits */
        "000000000g",              /* a letter that names never have */
        "0000000000ABC",           /* capitals */
        "0000000000abcdefghijklm", /* thirteen letters */
        "abc.0000000000",
        "../000000000a",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(is_private_name(others[i]));
        assert_false(name_has_form(others[i], FORM_FILE));
        assert_false(name_has_form(others[i], FORM_DIRECTORY));
        assert_false(name_has_form(others[i], FORM_ENTRY));
    }
}

#define FILES 5000

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void make_names(char (*names)[FILE_NAME_SIZE], enum name_order order, uint64_t seed)
{
    for (uint64_t i = 0; i < FILES; i++) {
        file_name(names[i], order, seed, i);
        assert_true(name_has_form(names[i], FORM_ENTRY));
    }
}

static size_t neighbours_in_order(char (*names)[FILE_NAME_SIZE])
{
    size_t count = 0;
    for (size_t i = 1; i < FILES; i++)
        count += strcmp(names[i - 1], names[i]) < 0;
    return count;
}

static void file_names_are_in_their_order(void **state)
{
    (void)state;
    static char names[FILES][FILE_NAME_SIZE];
    make_names(names, NAMES_SORTED, 3);
    assert_int_equal(neighbours_in_order(names), FILES - 1);
    make_names(names, NAMES_RANDOM, 3);
    assert_in_range(neighbours_in_order(names), FILES * 4 / 10, FILES * 6 / 10);
}

static void file_names_are_all_different(void **state)
{
    (void)state;
    static char names[FILES][FILE_NAME_SIZE];
    make_names(names, NAMES_RANDOM, 11);
    qsort(names, FILES, sizeof *names, compare);
    for (size_t i = 1; i < FILES; i++)
        assert_string_not_equal(names[i - 1], names[i]);
}

static void seed_changes_the_names(void **state)
{
    (void)state;
    char one[FILE_NAME_SIZE], two[FILE_NAME_SIZE];
    unsigned equal = 0;
    for (uint64_t i = 0; i < 100; i++) {
        file_name(one, NAMES_SORTED, 1, i);
        file_name(two, NAMES_SORTED, 2, i);
        equal += strcmp(one, two) == 0;
        file_name(two, NAMES_SORTED, 1, i);
        assert_string_equal(one, two);
    }
    assert_in_range(equal, 0, 10);
}

static void last_index_fits(void **state)
{
    (void)state;
    char name[FILE_NAME_SIZE];
    file_name(name, NAMES_SORTED, 1, (UINT64_C(1) << 40) - 1);
    assert_memory_equal(name, "ffffffffff", 10);
}

static void owner_text_names_the_directory(void **state)
{
    (void)state;
    char text[OWNER_TEXT_SIZE];
    size_t length = owner_text(text, "bonnie.0123456789abcdef");
    assert_int_equal(length, strlen(text));
    assert_non_null(strstr(text, "bonnie.0123456789abcdef\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_their_form),
        cmocka_unit_test(names_of_all_programs_are_known),
        cmocka_unit_test(names_of_promises_and_messages_have_their_form),
        cmocka_unit_test(others_are_not_taken_for_ours),
        cmocka_unit_test(file_names_are_in_their_order),
        cmocka_unit_test(file_names_are_all_different),
        cmocka_unit_test(seed_changes_the_names),
        cmocka_unit_test(last_index_fits),
        cmocka_unit_test(owner_text_names_the_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
