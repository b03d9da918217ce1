// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bonload/load/backing.h"
#include "util/units.h"

/* Others read as many bytes from the device as the requests did. Whether these came from the
 * device, too, is seen by how long they took. */
static void what_took_microseconds_came_from_memory(void **state)
{
    static const struct {
        bool may_be_cached;
        uint64_t median_ns;
        const char *limited_by;
    } cases[] = {{true, 3900, "page cache"}, {true, 80000, "device"}, {false, 3900, "device"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct backing b = {
            .is_watched = true,
            .is_judged = true,
            .may_be_cached = {[LOAD_READ] = cases[i].may_be_cached},
        };
        const struct reading spent = {.ns = BILLION,
                                      .device = {.known = true, .read_bytes = 512000},
                                      .moved.by = {SOURCE_DEVICE, SOURCE_DEVICE}};
        const struct traffic traffic[LOAD_KINDS] = {
            [LOAD_READ] = {.bytes = 512000, .median_ns = cases[i].median_ns}};
        struct backing_use use;
        backing_use(&b, &spent, traffic, &use);
        assert_true(use.is_judged[LOAD_READ] && !use.is_judged[LOAD_WRITE]);
        assert_string_equal(limit_name(use.kinds[LOAD_READ].by), cases[i].limited_by);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_took_microseconds_came_from_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
