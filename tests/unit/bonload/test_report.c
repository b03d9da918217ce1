// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "bonload/report/report.h"
#include "support/golden.h"
#include "util/units.h"

/* The report of an ordinary load, compared with tests/golden/report/load.txt, which was written by
 * hand. */

static const struct settings settings;
static const struct target_ops target = {.name = "disk", .traits = TARGET_FILES | TARGET_NAMES};
static const struct plan plan = {
    .settings = &settings,
    .mode = MODE_RATE,
    .target = &target,
    .kinds = {[LOAD_READ] = {.pace = PACE_RATE, .rate = 200 * BILLION},
              [LOAD_WRITE] = {.pace = PACE_RATE, .rate = 50 * BILLION}},
    .least_body = 16 * KIB,
    .most_body = 16 * KIB,
    .seed = 7,
};

/* All requests of a kind: most took typical_ns, nearly 1 % slow_ns, and one longest_ns. */
static void count(struct kind_result *k, uint64_t requests, uint64_t late, uint64_t typical_ns,
                  uint64_t slow_ns, uint64_t longest_ns)
{
    for (uint64_t i = 0; i < requests; i++) {
        bool is_slow = i <= 1 + requests / 100;
        histogram_record(&k->tally.response, i == 0 ? longest_ns : is_slow ? slow_ns : typical_ns);
        histogram_record(&k->tally.service, 80 * MILLION / 1000);
    }
    k->tally.bytes = requests * 16 * KIB;
    k->tally.late = late;
    k->elapsed = 3;
    k->made = k->begun = k->due = requests;
    k->offered = (double)requests / 3;
}

static void a_load_is_told_in_this_form(void **state)
{
    static struct figures figures = {
        .start_ns = BILLION,
        .end_ns = 4 * BILLION,
        .cpu_seconds = .06,
        .machine = {.cpus = 2, .used_percent = 93},
        .checked_bytes = 600 * 16 * KIB,
    };
    const struct backing backing = {
        .sources = {.filesystem = "ext4", .devices.name = "loop0"},
    };
    const struct levels levels[LOAD_KINDS] = {{0}};
    struct result result = {
        .plan = &plan,
        .figures = &figures,
        .levels = levels,
        .backing = {.backing = &backing,
                    .is_judged = {true, true},
                    .kinds = {[LOAD_READ] = {.by = LIMITED_PAGE_CACHE,
                                             .reason = REASON_READ_FROM_CACHE,
                                             .source = SOURCE_DEVICE,
                                             .way = WAY_READ},
                              [LOAD_WRITE] = {.by = LIMITED_PAGE_CACHE,
                                              .reason = REASON_NOT_WRITTEN,
                                              .source = SOURCE_DEVICE,
                                              .way = WAY_WRITTEN}}},
    };
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    (void)state;
    assert_non_null(out);
    count(&figures.kinds[LOAD_READ], 600, 8, 92500, 1750000, 4560000);
    count(&figures.kinds[LOAD_WRITE], 150, 4, 148000, 3960000, 19400000);
    report_text(&result, out);
    assert_int_equal(fclose(out), 0);
    char *expected = golden_text("load.txt");
    assert_string_equal(text, expected);
    free(expected);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_load_is_told_in_this_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
