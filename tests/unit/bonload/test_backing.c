// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bonload/load/backing.h"
#include "support/tree.h"
#include "util/units.h"

/*
 * Others read as many bytes from the device as the requests did. Whether these came from the
 * device, too, is seen by how long they took.
 */
static void what_took_microseconds_came_from_memory(void **state)
{
    static const struct {
        bool may_be_cached;
        uint64_t median_ns;
        const char *measured;
    } cases[] = {{true, 3900, "page cache"}, {true, 80000, "device"}, {false, 3900, "device"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct backing b = {
            .is_watched = true,
            .is_judged = true,
            .may_be_cached = {[LOAD_READ] = cases[i].may_be_cached},
            .sources = {.devices = {.root = tree_root(),
                                    .count = 1,
                                    .filesystem = 1,
                                    .devices = {{.name = "vda", .major = 8}},
                                    .name = "vda"},
                        .by = {SOURCE_DEVICE, SOURCE_DEVICE}},
        };
        const struct traffic traffic[LOAD_KINDS] = {
            [LOAD_READ] = {.bytes = 512000, .median_ns = cases[i].median_ns}};
        struct backing_use use;
        tree_file("sys/dev/block/8:0/stat", "0 0 0 0 0 0 0 0 0 0 0\n");
        backing_begin(&b, 1);
        tree_file("sys/dev/block/8:0/stat", "9 0 1000 0 0 0 0 0 0 200 0\n");
        backing_use(&b, BILLION + 1, traffic, &use);
        assert_string_equal(use.measured[LOAD_READ], cases[i].measured);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
        what_took_microseconds_came_from_memory, tree_make, tree_remove)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
