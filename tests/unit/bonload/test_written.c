// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bonload/ledger/written.h"
#include "util/rng.h"

static void open_written(struct written_set *w, unsigned channels)
{
    struct err e;
    err_init(&e);
    assert_int_equal(written_open(w, channels, &e), 0);
}

static void nothing_yet(void **state)
{
    struct written_set w;
    (void)state;
    open_written(&w, 2);
    assert_int_equal(written_pick(&w, 1), 0);
    uint64_t number = written_begin(&w, 0);
    assert_int_equal(number, 1);
    assert_int_equal(written_pick(&w, 1), 0);
    written_end(&w, 0, number, false);
    assert_int_equal(written_pick(&w, 1), 0);
    written_close(&w);
}

/* Writes the numbers in turn. `fails` says which of these writes fail. */
static void write_up_to(struct written_set *w, uint64_t last, bool (*fails)(uint64_t))
{
    while (atomic_load(&w->issued) < last) {
        uint64_t number = written_begin(w, 0);
        written_end(w, 0, number, !fails(number));
    }
}

static bool every_third(uint64_t number)
{
    return number % 3 == 0;
}

static bool never(uint64_t number)
{
    (void)number;
    return false;
}

static void only_what_was_written_is_picked_and_all_of_it_alike(void **state)
{
    enum { NUMBERS = 30, PICKS = 200000 };
    struct written_set w;
    uint64_t counts[NUMBERS + 1] = {0};
    double squares = 0;
    (void)state;
    open_written(&w, 1);
    write_up_to(&w, NUMBERS, every_third);
    for (uint64_t i = 0; i < PICKS; i++)
        counts[written_pick(&w, rng_mix(i))]++;
    double expected = (double)PICKS / 20;
    for (uint64_t i = 1; i <= NUMBERS; i++) {
        if (every_third(i)) {
            assert_int_equal(counts[i], 0);
            continue;
        }
        squares += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    }
    assert_int_equal(counts[0], 0);
    assert_true(squares < 43.8); /* chi-square with 19 degrees of freedom: exceeded in one of 1000
                                    cases; the seed is fixed */
    written_close(&w);
}

static void what_is_being_written_is_not_picked(void **state)
{
    struct written_set w;
    (void)state;
    open_written(&w, 3);
    uint64_t slow = written_begin(&w, 0);
    uint64_t first = written_begin(&w, 1);
    uint64_t other = written_begin(&w, 2);
    written_end(&w, 1, first, true);
    written_end(&w, 2, other, true);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_not_equal(written_pick(&w, rng_mix(i)), slow);
    written_end(&w, 0, slow, true);
    bool was_picked = false;
    for (uint64_t i = 0; i < 1000; i++)
        was_picked = was_picked || written_pick(&w, rng_mix(i)) == slow;
    assert_true(was_picked);
    written_close(&w);
}

/* Memory for failures is bounded: they are recorded one by one, later in blocks of 1024, and in the
 * end as a limit beyond which everything counts as failed. */
static void many_failures(void **state)
{
    struct written_set w;
    (void)state;
    open_written(&w, 1);
    for (uint64_t number = 2; number <= 200000; number += 2)
        written_leave_out(&w, number);
    atomic_store(&w.issued, UINT64_C(40000000000));
    assert_false(written_has(&w, 100000));
    assert_true(written_has(&w, 100001));
    assert_false(written_has(&w, 200000));

    uint64_t far = UINT64_C(10000000);
    for (uint64_t i = 0; i < 60000; i++)
        written_leave_out(&w, 300000 + i);
    written_leave_out(&w, far);
    assert_false(written_has(&w, far));
    assert_false(written_has(&w, far + 1)); /* in the same block */
    assert_true(written_has(&w, far + 1024));

    for (uint64_t i = 0; i < 20000; i++)
        written_leave_out(&w, far + 4096 * i);
    assert_true(written_has(&w, far + 1024));
    assert_false(written_has(&w, far + UINT64_C(4096) * 20000 + 5)); /* beyond the limit */
    written_leave_out(&w, far + 1); /* its block is there: the limit stays where it is */
    assert_true(written_has(&w, far + 1024));
    written_close(&w);
}

/* What was written before the disk was full is still read. */
static void picks_among_few_of_very_many(void **state)
{
    struct written_set w;
    (void)state;
    open_written(&w, 1);
    write_up_to(&w, 100, never);
    uint64_t number = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        number = written_begin(&w, 0);
        written_end(&w, 0, number, false);
    }
    atomic_store(&w.issued, number + UINT64_C(1000000000));
    for (uint64_t i = 0; i < 1000; i++)
        assert_in_range(written_pick(&w, rng_mix(i)), 1, 100);
    written_close(&w);
}

static void what_a_name_holds(void **state)
{
    struct written_set v = {0};
    struct err e;
    (void)state;
    err_init(&e);
    assert_int_equal(versions_open(&v, &e), 0);
    uint64_t begun = versions_begin(&v, 5);
    assert_false(versions_read(&v, 5).is_quiet);
    versions_end(&v, 5, begun, 7, true);
    struct version before = versions_read(&v, 5);
    assert_true(before.is_quiet);
    assert_int_equal(before.last, 7);
    assert_false(versions_changed(&v, 5, &before));

    /* Two writes overlap, so the contents are not known. */
    uint64_t one = versions_begin(&v, 5);
    assert_true(versions_changed(&v, 5, &before));
    uint64_t two = versions_begin(&v, 5);
    versions_end(&v, 5, one, 8, true);
    assert_false(versions_read(&v, 5).is_quiet);
    versions_end(&v, 5, two, 9, true);
    assert_true(versions_read(&v, 5).is_quiet);
    assert_int_equal(versions_read(&v, 5).last, 0);

    /* After a failed write the contents are not known either, until the next write. */
    versions_end(&v, 5, versions_begin(&v, 5), 10, false);
    assert_int_equal(versions_read(&v, 5).last, 0);
    versions_end(&v, 5, versions_begin(&v, 5), 11, true);
    assert_int_equal(versions_read(&v, 5).last, 11);
    written_close(&v);
}

/* A thread reports its write late: meanwhile another thread has written the whole file. The test
 * prepares the report in memory of its own, and stores it when it arrives. */
static void a_late_note_is_not_believed(void **state)
{
    struct written_set v = {0};
    struct written_set late = {0};
    struct err e;
    (void)state;
    err_init(&e);
    assert_int_equal(versions_open(&v, &e), 0);
    assert_int_equal(versions_open(&late, &e), 0);
    versions_end(&late, 5, versions_begin(&late, 5), 8, true);
    uint64_t note = atomic_load(&late.names[5].last);
    versions_begin(&v, 5);
    versions_end(&v, 5, versions_begin(&v, 5), 9, true);
    atomic_store(&v.names[5].last, note);
    atomic_fetch_add(&v.names[5].writes, 1);
    assert_true(versions_read(&v, 5).is_quiet);
    assert_int_equal(versions_read(&v, 5).last, 0);
    versions_end(&v, 5, versions_begin(&v, 5), 10, true);
    assert_int_equal(versions_read(&v, 5).last, 10);
    written_close(&v);
    written_close(&late);
}

/* Picks the oldest name first, without those whose write failed or is in progress. */
static void what_is_removed_is_not_picked(void **state)
{
    struct written_set w;
    (void)state;
    open_written(&w, 2);
    assert_int_equal(written_take_oldest(&w), 0);
    write_up_to(&w, 6, every_third);
    assert_int_equal(written_take_oldest(&w), 1);
    assert_true(written_is_removed(&w, 1));
    assert_false(written_is_removed(&w, 2));
    assert_int_equal(written_take_oldest(&w), 2);
    assert_false(written_has(&w, 2));
    for (uint64_t random = 0; random < 100; random++)
        assert_in_range(written_pick(&w, random), 4, 5);
    uint64_t under_way = written_begin(&w, 0);
    written_end(&w, 1, written_begin(&w, 1), true);
    assert_int_equal(written_take_oldest(&w), 4);
    assert_int_equal(written_take_oldest(&w), 5);
    assert_int_equal(written_take_oldest(&w), 0);
    written_end(&w, 0, under_way, true);
    assert_int_equal(written_take_oldest(&w), under_way);
    assert_int_equal(written_take_oldest(&w), 8);
    assert_int_equal(written_take_oldest(&w), 0);
    assert_int_equal(written_pick(&w, 1), 8);
    written_close(&w);
}

/* Two writes of one name overtake each other: the later one may make the file. */
static void a_file_that_a_later_round_made(void **state)
{
    struct written_set w;
    (void)state;
    open_written(&w, 1);
    written_note_file(&w, 153, 100, true);
    written_note_file(&w, 53, 100, false);
    written_note_file(&w, 54, 100, false);
    written_note_file(&w, 154, 100, false);
    written_note_file(&w, 55, 100, true);
    assert_true(number_set_has(&w.made_later, 53));
    assert_false(number_set_has(&w.made_later, 54));
    assert_true(number_set_has(&w.not_made.singles, 54));
    assert_false(number_set_has(&w.not_made.singles, 55));
    assert_false(number_set_has(&w.not_made.singles, 154));
    written_close(&w);
}

/* Only a name that is not known counts as unknown, also when there is no room for more names. */
static void a_known_name_stays_known(void **state)
{
    struct made_set m = {0};
    uint64_t number = 0;
    (void)state;
    assert_true(made_open(&m, 0));
    while (atomic_load(&m.unknown) == 0)
        made_note(&m, ++number);
    for (uint64_t known = 1; known < number; known++)
        made_note(&m, known);
    assert_int_equal(atomic_load(&m.unknown), 1);
    made_rename(&m, 1, 2);
    assert_int_equal(atomic_load(&m.unknown), 1);
    made_rename(&m, 1, number);
    assert_int_equal(atomic_load(&m.unknown), 2);
    made_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_yet),
        cmocka_unit_test(only_what_was_written_is_picked_and_all_of_it_alike),
        cmocka_unit_test(what_is_being_written_is_not_picked),
        cmocka_unit_test(many_failures),
        cmocka_unit_test(picks_among_few_of_very_many),
        cmocka_unit_test(what_a_name_holds),
        cmocka_unit_test(a_late_note_is_not_believed),
        cmocka_unit_test(what_is_removed_is_not_picked),
        cmocka_unit_test(a_file_that_a_later_round_made),
        cmocka_unit_test(a_known_name_stays_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
