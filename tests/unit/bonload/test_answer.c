// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bonload/judge/verdict.h"
#include "util/units.h"
#include <cmocka.h>

/* The first sentences of an answer: many people read no more. */

/* An answer about etcd at 50 writes per second, where a sync took 2 ms and a commit took
 * commit_ns. */
static struct answer answer_of(bool is_more_sought, enum found found, uint64_t commit_ns)
{
    struct answer a = {.profile = *profile_by_name("etcd"),
                       .load_count = 1,
                       .is_more_sought = is_more_sought,
                       .more = {.found = found, .load = found == FOUND_NONE ? 0 : 1830}};
    struct at_load *l = &a.loads[0];
    const uint64_t found_ns[] = {2 * MILLION, commit_ns};
    l->asked = 50;
    l->judged_count = 2;
    for (unsigned i = 0; i < 2; i++)
        l->judged[i] = (struct judged_limit){.limit = &profile_by_name("etcd")->limits[i],
                                             .count = 1000,
                                             .found_ns = found_ns[i],
                                             .goodness = GOODNESS_GOOD};
    return a;
}

static void answer_is(const struct answer *a, const char *expected)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    answers_print(a, 1, out);
    assert_int_equal(fclose(out), 0);
    char *end = strstr(text, "\n\n");
    assert_non_null(end);
    *end = '\0';
    for (char *at = text; (at = strchr(at, '\n'));)
        *at = ' ';
    assert_string_equal(text, expected);
    free(text);
}

#define SYNC "etcd: good: fdatasync p99 2.00 ms at 50 writes/s, limit 10.0 ms."
static void more_is_said_of_the_deciding_limit(void **state)
{
    (void)state;
    static const char *const lines[] = {
        [FOUND_LOAD] = SYNC " Up to 1.83 k/s stay below it.",
        [FOUND_NONE] = SYNC " No higher load was found to stay below it.",
        [FOUND_MOST] = SYNC " At least 1.83 k/s stay below it.",
        [FOUND_UNSURE] = SYNC " At least 1.83 k/s stay below it; the search was not finished.",
    };
    struct answer unsought = answer_of(false, FOUND_LOAD, 1 * MILLION);
    answer_is(&unsought, SYNC);
    for (enum found found = FOUND_LOAD; found <= FOUND_UNSURE; found++) {
        struct answer a = answer_of(true, found, 1 * MILLION);
        answer_is(&a, lines[found]);
    }
}

static void why_there_is_no_more_is_said(void **state)
{
    (void)state;
    struct answer a = answer_of(true, FOUND_UNSURE, 1 * MILLION);
    a.more.why = FOUND_BUSY;
    answer_is(&a, SYNC " At least 1.83 k/s stay below it; others used the machine meanwhile.");
}

/* The search judges only the syncs. */
static void another_limit_is_named(void **state)
{
    (void)state;
    struct answer a = answer_of(true, FOUND_LOAD, 20 * MILLION);
    answer_is(
        &a, "etcd: good: backend commit p99 20.0 ms at 50 writes/s, limit 25.0 ms. Up to 1.83 k/s "
            "keep fdatasync p99 below 10.0 ms.");
}

/* Others used the machine at the first load, and the last one is not to blame. */
static void the_busy_load_is_named(void **state)
{
    (void)state;
    struct answer a = answer_of(false, FOUND_LOAD, 30 * MILLION);
    a.load_count = 2;
    a.loads[1] = a.loads[0];
    a.loads[0].judged_count = 1;
    a.loads[0].machine = (struct others){.cpus = 2, .used_percent = 96};
    struct judged_limit *j = &a.loads[1].judged[1];
    j->goodness = GOODNESS_UNKNOWN;
    j->is_withheld = true;
    j->low_ns = j->high_ns = j->found_ns;
    answer_is(&a, "etcd: not known: backend commit p99 30.0 ms at 50 writes/s, limit 25.0 ms; the "
                  "machine was "
                  "busy: others used 96 % of 2 CPUs (busy from 25 %).");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_is_said_of_the_deciding_limit),
        cmocka_unit_test(why_there_is_no_more_is_said),
        cmocka_unit_test(another_limit_is_named),
        cmocka_unit_test(the_busy_load_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
