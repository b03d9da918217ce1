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
        static struct tally writes;
        static struct tally reads;
        const struct tally *const tallies[] = {[LOAD_WRITE] = &writes, [LOAD_READ] = &reads};
        struct backing_use use;
        reads.bytes = 512000;
        histogram_clear(&reads.response);
        histogram_record(&reads.response, cases[i].median_ns);
        backing_use(&b, &spent, tallies, &use);
        assert_true(use.is_judged[LOAD_READ] && !use.is_judged[LOAD_WRITE]);
        assert_string_equal(limit_name(use.kinds[LOAD_READ].by), cases[i].limited_by);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_took_microseconds_came_from_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
