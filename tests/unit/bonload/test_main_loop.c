// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bonload/control/main_loop.h"
#include "bonload/options.h"
#include "bonload/report/report.h"
#include "sys/stop.h"

/* One of two ranks. This test plays the other one, which brings the same as this rank, or what rank
 * 1 handed over in an earlier run, but rubbish to one meeting. The run must not go on, or print
 * anything, as if that rank had done nothing. */

#define HANDING_OVER "Handing over the figures"

static const char *damaged_meeting;

/* What rank 1 handed over. */
static uint64_t handed_over[1 << 17];
static size_t handed_bytes;

static int meet(struct coordinator *c, struct meeting *m, struct err *e)
{
    static const unsigned char rubbish[] = {0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    bool is_damaged = strcmp(m->name, damaged_meeting) == 0;
    bool hands_over = strcmp(m->name, HANDING_OVER) == 0;
    (void)e;
    if (c->ranks.number == 1 && hands_over) {
        handed_bytes = bundle_bytes(&m->mine);
        assert_true(handed_bytes <= sizeof handed_over);
        memcpy(handed_over, m->mine.words, handed_bytes);
    }
    if (c->ranks.number == 1)
        return 0;
    meeting_take(m, 0, m->mine.words, bundle_bytes(&m->mine));
    if (is_damaged)
        meeting_take(m, 1, rubbish, sizeof rubbish);
    else if (hands_over)
        meeting_take(m, 1, handed_over, handed_bytes);
    else
        meeting_take(m, 1, m->mine.words, bundle_bytes(&m->mine));
    meeting_decide(m);
    return 0;
}

/* Makes a run of a rank. Returns how it ended, and the number of reads that all ranks made. */
static int run_as(unsigned rank, uint64_t *made, int argc, char *argv[], struct err *e)
{
    static const struct coordinator_ops ops = {.meet = meet};
    static struct run run;
    struct settings settings;
    struct plan plan;
    struct main_loop main_loop;
    struct result result;
    struct coordinator c = {.ops = &ops, .ranks = {.count = 2, .number = rank}};
    c.ranks.cards = calloc(2, sizeof *c.ranks.cards);
    err_init(e);
    assert_non_null(c.ranks.cards);
    assert_int_equal(stop_init(e), 0);
    assert_int_equal(options_parse(argc, argv, &settings, NULL, e), 0);
    assert_int_equal(plan_make(&plan, &settings, &c, e), 0);
    assert_int_equal(run_open(&run, &plan, e), 0);
    assert_int_equal(main_loop_open(&main_loop, &run, &c, e), 0);
    int rc = main_loop_run(&main_loop, e);
    if (rc == 0) {
        rc = result_make(&result, &main_loop, e);
        *made = rc == 0 ? result.figures->kinds[LOAD_READ].made : 0;
        result_release(&result);
    }
    main_loop_close(&main_loop);
    run_close(&run);
    free(c.ranks.cards);
    return rc;
}

/* Makes a run whose other rank brings rubbish to the meeting `name`. */
static void run_fails_at(const char *name, int argc, char *argv[])
{
    struct err e;
    uint64_t made;
    damaged_meeting = name;
    assert_int_not_equal(run_as(0, &made, argc, argv, &e), 0);
    assert_string_equal(e.text, "the figures of another rank cannot be read");
}

#define RUN_FAILS_AT(name, ...)                                                                    \
    do {                                                                                           \
        char *argv[] = {strdup("bonload"), strdup("-requests-engine=null"),                        \
                        strdup("-show-progress=false"), __VA_ARGS__, NULL};                        \
        int argc = (int)(sizeof argv / sizeof *argv) - 1;                                          \
        run_fails_at(name, argc, argv);                                                            \
        for (int i = 0; i < argc; i++)                                                             \
            free(argv[i]);                                                                         \
    } while (0)

static void figures_that_cannot_be_read_are_no_figures(void **state)
{
    (void)state;
    RUN_FAILS_AT(HANDING_OVER, strdup("-rt=2"), strdup("-max-requests=10"));
}

static void neither_are_those_of_a_step(void **state)
{
    (void)state;
    RUN_FAILS_AT("Ending a step", strdup("-rps=10"), strdup("-sweep=10,20"),
                 strdup("-duration=50ms"));
}

static void nor_how_a_load_stands(void **state)
{
    (void)state;
    RUN_FAILS_AT("Looking at the load", strdup("-rps=10"), strdup("-sweep=10,20"),
                 strdup("-duration=50ms"));
}

/* Gives a slow request of rank 1 an operation that the target does not have. In a bundle, two words
 * precede each object, its size and a number of pairs: of a word that is not 0, and its place. */
static void damage_operation(void)
{
    const size_t size = offsetof(struct figures, ops); /* this target has no operations */
    const size_t place =
        (offsetof(struct figures, slowest[LOAD_READ].list) + offsetof(struct slow_result, op)) /
        sizeof *handed_over;
    const unsigned other = 1;
    size_t i = 0;
    while (i < handed_bytes / sizeof *handed_over && handed_over[i] != size)
        i += 2 + 2 * handed_over[i + 1];
    for (i += 2; i < handed_bytes / sizeof *handed_over && handed_over[i] != place; i += 2)
        continue;
    assert_true(i < handed_bytes / sizeof *handed_over);
    memcpy(&handed_over[i + 1], &other, sizeof other);
}

static void figures_arrive_as_they_were(void **state)
{
    char *argv[] = {"bonload", "-requests-engine=null", "-show-progress=false",
                    "-rt=2",   "-max-requests=11",      NULL};
    int argc = (int)(sizeof argv / sizeof *argv) - 1;
    struct err e;
    uint64_t made;
    (void)state;
    damaged_meeting = "";
    assert_int_equal(run_as(1, &made, argc, argv, &e), 0);
    assert_int_equal(made, 5);
    assert_int_equal(run_as(0, &made, argc, argv, &e), 0);
    assert_int_equal(made, 11);
    damage_operation();
    assert_int_not_equal(run_as(0, &made, argc, argv, &e), 0);
    assert_string_equal(e.text, "the figures of another rank cannot be read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_that_cannot_be_read_are_no_figures),
        cmocka_unit_test(neither_are_those_of_a_step),
        cmocka_unit_test(nor_how_a_load_stands),
        cmocka_unit_test(figures_arrive_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
