// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bonload/targets/target.h"
#include "util/units.h"

static void a_generation_keeps_the_size(void **state)
{
    static const uint64_t sizes[] = {0, 1, 4096, GIB, TIB - 1, TIB};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t number = 1; number < 1000; number += 7)
            assert_int_equal(body_size(body_generation(number, sizes[i])), sizes[i]);
}

static void each_write_has_its_own(void **state)
{
    (void)state;
    assert_int_not_equal(body_generation(1, TIB), body_generation(2, TIB));
    assert_int_not_equal(body_generation(1, TIB), body_generation(2, 0));
    assert_int_not_equal(body_generation(UINT64_MAX, TIB), PATTERN_ANY);
}

/* What a target works with if names recur after 100 numbers and sizes are all the same. */
#define SIZE 100

struct setting {
    struct plan plan;
    struct names names;
    struct sizes sizes;
    struct written_set written;
    struct verify_counts verified;
    struct target_setup setup;
    struct pattern pattern;
    struct expected_body expected;
};

static void open_setting(struct setting *s)
{
    struct err e;
    err_init(&e);
    *s = (struct setting){
        .plan.kinds = {{.pace = PACE_CLOSED}, {.pace = PACE_CLOSED}},
        .sizes = {.least = SIZE, .most = SIZE},
        .setup = {.plan = &s->plan,
                  .names = &s->names,
                  .sizes = &s->sizes,
                  .pattern = &s->pattern,
                  .written = &s->written,
                  .verified = &s->verified},
    };
    assert_int_equal(names_open(&s->names, "XX", NULL, false, 1, &e), 0);
    assert_int_equal(sizes_open(&s->sizes, 1, &e), 0);
    assert_int_equal(versions_open(&s->written, &e), 0);
    pattern_init(&s->pattern, DATA_RANDOM, 100, PATTERN_UNIT_MAX, 1, 0);
}

static void close_setting(struct setting *s)
{
    written_close(&s->written);
    sizes_close(&s->sizes);
    names_close(&s->names);
}

/* Writes the name with that number: `body` becomes what is stored. */
static void write_number(struct setting *s, uint64_t number, unsigned char body[static SIZE])
{
    char name[3];
    uint64_t hash = names_hash(name, names_format(&s->names, number, name));
    s->written.issued = number;
    uint64_t begun = versions_begin(&s->written, hash);
    expected_of_write(&s->expected, &s->setup, name, number);
    assert_int_equal(s->expected.size, SIZE);
    body_fill(&s->pattern, &s->expected.body, 0, body, SIZE);
    versions_end(&s->written, hash, begun, number, true);
}

static void prepare_read(struct setting *s, uint64_t number)
{
    char name[3];
    char other[3];
    names_format(&s->names, number, name);
    expected_of_read(&s->expected, &s->setup, name, number, other);
}

static uint32_t end_read(struct setting *s, const unsigned char *body, size_t length)
{
    expected_check(&s->expected, &s->setup, 0, body, length);
    return expected_verdict(&s->expected, &s->setup, length);
}

/* Damage is found in the first round of the names, when none has recurred yet, and later. */
static void reads_are_judged_in_every_round(void **state)
{
    unsigned char body[SIZE];
    struct setting s;
    (void)state;
    open_setting(&s);
    for (uint64_t number = 7; number < 300; number += 100) {
        write_number(&s, number, body);
        prepare_read(&s, number);
        assert_int_equal(end_read(&s, body, SIZE), 0);
        prepare_read(&s, number);
        assert_int_equal(end_read(&s, body, SIZE - 1), failure_of(CALL_SHORT, 0));
        body[SIZE - 1] ^= 1;
        prepare_read(&s, number);
        assert_int_equal(end_read(&s, body, SIZE), failure_of(CALL_DAMAGED, 0));
    }
    close_setting(&s);
}

/* A write that overlaps a read may change what is read, also the first one that has the name
 * again. */
static void overlapped_reads_are_not_judged(void **state)
{
    unsigned char body[SIZE];
    struct setting s;
    (void)state;
    open_setting(&s);
    write_number(&s, 7, body);
    prepare_read(&s, 7);
    struct expected_body before = s.expected;
    write_number(&s, 107, body);
    s.expected = before;
    assert_true(expected_is_overlapped(&s.expected, &s.setup));
    assert_int_equal(end_read(&s, body, SIZE), 0);
    close_setting(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_generation_keeps_the_size),
        cmocka_unit_test(each_write_has_its_own),
        cmocka_unit_test(reads_are_judged_in_every_round),
        cmocka_unit_test(overlapped_reads_are_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
