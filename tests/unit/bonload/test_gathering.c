#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bonload/control/conductor.h"
#include "bonload/options.h"
#include "bonload/planning.h"
#include "bonload/result/result.h"
#include "sys/stop.h"

/*
 * Rank 0 of two. This test plays the other rank, which brings the same as rank 0, but rubbish to
 * one meeting. The run must not go on, or print anything, as if that rank had done nothing.
 */

static const char *damaged_meeting;

static int meet(struct coordinator *c, const struct meeting *m, struct err *e)
{
    static const unsigned char rubbish[] = {0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    bool is_damaged = strcmp(m->name, damaged_meeting) == 0;
    (void)c, (void)e;
    if (m->take) {
        m->take(m->context, 0, m->mine, m->bytes);
        m->take(m->context, 1, is_damaged ? rubbish : m->mine,
                is_damaged ? sizeof rubbish : m->bytes);
    }
    if (m->decide)
        m->decide(m->context);
    return 0;
}

/* Makes a run whose other rank brings rubbish to the meeting `name`. */
static void run_fails_at(const char *name, int argc, char *argv[])
{
    static const struct coordinator_ops ops = {.meet = meet};
    static struct run run;
    struct settings settings;
    struct plan plan;
    struct err e;
    struct conductor conductor;
    struct result result;
    struct coordinator c = {.ops = &ops, .ranks = {.count = 2}};
    c.ranks.cards = calloc(2, sizeof *c.ranks.cards);
    damaged_meeting = name;
    err_init(&e);
    assert_non_null(c.ranks.cards);
    assert_int_equal(stop_init(&e), 0);
    assert_int_equal(options_parse(argc, argv, &settings, &e), 0);
    assert_int_equal(plan_make(&plan, &settings, &c, &e), 0);
    assert_int_equal(run_open(&run, &plan, &e), 0);
    assert_int_equal(conductor_open(&conductor, &run, &c, &e), 0);
    int rc = conductor_run(&conductor, &e);
    if (rc == 0) {
        rc = conductor_result(&conductor, &result, &e);
        result_release(&result);
    }
    assert_int_not_equal(rc, 0);
    assert_string_equal(e.text, "the figures of another rank cannot be read");
    conductor_close(&conductor);
    run_close(&run);
    free(c.ranks.cards);
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
    RUN_FAILS_AT("Handing over the figures", strdup("-rt=2"), strdup("-max-requests=10"));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_that_cannot_be_read_are_no_figures),
        cmocka_unit_test(neither_are_those_of_a_step),
        cmocka_unit_test(nor_how_a_load_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
